/**
 * Hooks that a person installed, of an agent in a pane that the town adopted: their real command below a real program in tmux, the
 * real server, and callers that are not what they say.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { hooksHeard, hooksSocket } from '../../../src/sources/claude-hooks.ts';
import { MARK } from '../../../src/sources/hook-caller.ts';
import { tempFolder } from '../../world/over.ts';
import { adopted, commandOf, SLOW, type Pane, type Said } from './adopted.ts';
import { BASH, ID, LIFE, tokenFor, town, type Town } from './hooked.ts';

const DENIED = {
  hook_event_name: 'PermissionDenied',
  session_id: ID,
  tool_name: 'Bash',
  tool_input: { command: 'git push --force' },
  reason: 'not asked for',
};
const LIMIT = { hook_event_name: 'StopFailure', session_id: ID, error: 'rate_limit' };
const QUESTION = { hook_event_name: 'PermissionRequest', session_id: ID, cwd: '/work/app', ...BASH };
const START = { hook_event_name: 'SessionStart', session_id: ID };
const SILENT = { code: '0', printed: '' };
const wordOf = async ({ claude }: Pane) => (await claude.hear())?.word;
const heard = async ({ settings }: Town) => hooksHeard(settings);
const HEARD_NONE = { adopted: {}, unwatched: 0, unproved: 0 };

/** What comes of a program beside. */
async function run(
  words: readonly string[],
  input: object,
  env = process.env,
): Promise<{ code: number; printed: string }> {
  const [program = '', ...args] = words;
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(input));
  const ended = once(child, 'close') as Promise<[code: number]>;
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, printed: out + err };
}
const hookBeside = (it: Pick<Town, 'settings'>, said: Said, command = commandOf(it, said.hook_event_name)) =>
  run(['sh', '-c', command], said);
const NOTHING = { code: 0, printed: '' };

/** A process beside calls with these headers. */
async function forge(
  { settings }: Town,
  said: Said,
  headers: Readonly<Record<string, string | number>>,
): Promise<void> {
  const words = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const at = ['--unix-socket', hooksSocket(settings), 'http://town/hook'];
  expect(await run(['curl', '-q', '-s', ...words, '--data-binary', '@-', ...at], said)).toEqual(NOTHING);
}

// Rules: M-2, law 11.
describe('an adopted agent is heard by installed hooks', () => {
  test('which say why its turn halted', async () => {
    const it = await town();
    const pane = await adopted(it);
    expect(await pane.hook(DENIED)).toEqual(SILENT);
    expect(await wordOf(pane)).toMatchObject({
      by: 'hook',
      source: 'claude hook PermissionDenied',
      state: 'denied',
      detail: 'Bash: git push --force (not asked for)',
    });
    expect((await pane.claude.hearBeside())?.word).toMatchObject({ by: 'hook', state: 'denied' });
    expect(await pane.hook(LIMIT)).toEqual(SILENT);
    expect(await wordOf(pane)).toMatchObject({ by: 'hook', state: 'limited' });
    expect(await heard(it)).toMatchObject({ ...HEARD_NONE, adopted: { [LIFE]: { events: 2 } } });
  });

  test('and bring its question, which is answered by its own call', async () => {
    const it = await town();
    const pane = await adopted(it);
    const ended = pane.hook(QUESTION);
    pane.claude.says('waiting');
    pane.claude.calls(BASH);
    await expect.poll(async () => (await pane.claude.hear())?.asked?.kind, SLOW).toBe('permission');
    const asked = (await pane.claude.hear())?.asked;
    expect(await asked?.answer(asked.offers[0]?.label ?? '')).toBe('taken');
    const { code, printed } = await ended;
    expect(code).toBe('0');
    expect(JSON.parse(printed)).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'allow' } } });
  });

  test('and are given its mail as it begins a conversation', async () => {
    const given = () => Promise.resolve();
    const it = await town(undefined, [], (uuid) =>
      Promise.resolve(uuid === LIFE ? { text: 'You have mail', given } : null),
    );
    expect((await (await adopted(it)).hook(START)).printed).toContain('You have mail');
  });
});

// Rules: law 11, law 1.
describe('a caller that is not proved changes nothing, and is counted', () => {
  test('the same hook of a program that is in no watched session', async () => {
    const it = await town();
    const pane = await adopted(it);
    expect(await hookBeside(it, LIMIT)).toEqual(NOTHING);
    expect(await wordOf(pane)).toMatchObject({ by: 'program', state: 'idle' });
    expect(await heard(it)).toMatchObject({ ...HEARD_NONE, unwatched: 1 });
  });

  test('a program of the same kind that the agent runs itself: neither its halt nor its start is the agent’s', async () => {
    const it = await town();
    const pane = await adopted(it);
    expect(await pane.nested(LIMIT)).toEqual(SILENT);
    expect(await wordOf(pane)).toMatchObject({ by: 'program', state: 'idle' });
    expect(await heard(it)).toMatchObject({ ...HEARD_NONE, unwatched: 1 });
    await pane.hook(LIMIT);
    expect(await wordOf(pane)).toMatchObject({ state: 'limited' });
  });

  test('a question of a program in no watched session is let go at once', async () => {
    const it = await town();
    expect(await hookBeside(it, QUESTION)).toEqual(NOTHING);
    expect(await heard(it)).toMatchObject({ ...HEARD_NONE, unwatched: 1 });
  });

  test.each([
    ['nothing', () => ({})],
    ['its number alone', ({ pid }: { pid: number }) => ({ 'x-town-process': pid })],
    ['its number and an invented mark', ({ pid }) => ({ 'x-town-process': pid, 'x-town-mark': MARKED })],
    ['a mark that no process could have', ({ pid }) => ({ 'x-town-process': pid, 'x-town-mark': '' })],
    ['a number that no process has', () => ({ 'x-town-process': 4_194_305, 'x-town-mark': MARKED })],
    ['no number', () => ({ 'x-town-process': 'x', 'x-town-mark': MARKED })],
    ['its life without a token', () => ({ 'x-town-life': LIFE, 'x-town-token': tokenFor('another') })],
  ] as readonly (readonly [string, (of: { readonly pid: number }) => Record<string, string | number>])[])(
    'one that says %s',
    async (_, headers) => {
      const it = await town();
      const pane = await adopted(it);
      await forge(it, LIMIT, headers(pane.life.agent));
      expect(await wordOf(pane)).toMatchObject({ by: 'program', state: 'idle' });
      expect(await heard(it)).toMatchObject({ ...HEARD_NONE, unproved: 1 });
    },
  );

  test('one that read the mark of a hook that waits: it speaks once', async () => {
    const it = await town();
    const pane = await adopted(it);
    const ended = pane.hook(QUESTION);
    await expect.poll(async () => (await it.server.of(LIFE)).length, SLOW).toBe(1);
    const waits = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && markOf(pid) !== null && isBelow(pid, pane));
    const [caller = ''] = waits;
    await forge(it, LIMIT, { 'x-town-process': caller, 'x-town-mark': markOf(caller) ?? '' });
    expect(await wordOf(pane)).toMatchObject({ by: 'program', state: 'idle' });
    expect(await heard(it)).toMatchObject({ adopted: { [LIFE]: { events: 1 } }, unproved: 1 });
    it.server.close();
    expect(await ended).toEqual(SILENT);
  });

  test('one of a life that is over', async () => {
    const it = await town();
    const pane = await adopted(it);
    it.living.clear();
    expect(await pane.hook(DENIED)).toEqual(SILENT);
    expect(await heard(it)).toMatchObject({ ...HEARD_NONE, unwatched: 1 });
  });

  test('one while the lives cannot be told', async () => {
    const it = await town();
    const pane = await adopted(it);
    it.living.values = () => {
      throw new Error('EMFILE');
    };
    expect(await pane.hook(DENIED)).toEqual(SILENT);
    expect(await wordOf(pane)).toMatchObject({ by: 'program', state: 'idle' });
  });

  test('a flood of them', async () => {
    const it = await town();
    for (let n = 0; n < 40; n += 1) await forge(it, LIMIT, { 'x-town-process': n, 'x-town-mark': MARKED });
    expect(await heard(it)).toMatchObject({ ...HEARD_NONE, unproved: 40 });
  });
});

const MARKED = '0f8fad5b-d9cb-469f-a165-70867728950e';

function markOf(pid: string): string | null {
  try {
    const entry = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .find((one) => one.startsWith(`${MARK}=`));
    return entry?.slice(MARK.length + 1) ?? null;
  } catch {
    return null; // It ended meanwhile.
  }
}

const isBelow = (pid: string, { dir }: Pane): boolean =>
  readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${dir}`);

describe('an agent that the town started is heard by its own hooks alone', () => {
  test('the installed command calls nothing where the token of a life is', async () => {
    const it = await town();
    const pane = await adopted(it, 'started');
    expect(await pane.hook(DENIED, 'export TOWN_TOKEN=x\n')).toEqual(SILENT);
    expect(await heard(it)).toMatchObject(HEARD_NONE);
  });

  test('and the town takes nothing of it by its process, which is no refusal', async () => {
    const it = await town();
    const pane = await adopted(it, 'started');
    expect(await pane.hook(DENIED)).toEqual(SILENT);
    expect([await wordOf(pane), await heard(it)]).toMatchObject([{ by: 'program', state: 'idle' }, HEARD_NONE]);
  });
});

// Rules: law 9.
describe('without a town the agent loses nothing', () => {
  const events = [QUESTION, LIMIT, DENIED, START];

  test.each(events)('$hook_event_name says nothing where no socket is, or a killed town left one', async (said) => {
    const { server, settings } = await town();
    server.close();
    expect(await hookBeside({ settings }, said)).toEqual(NOTHING);
    const socket = JSON.stringify(hooksSocket(settings));
    const killed = `net.createServer().listen(${socket}, () => process.kill(process.pid, 'SIGKILL'))`;
    await run([process.execPath, '-e', killed], {});
    expect(existsSync(hooksSocket(settings))).toBe(true);
    expect(await hookBeside({ settings }, said)).toEqual(NOTHING);
  });

  test.each(events)('$hook_event_name is said once, though a killed town did not answer', async (said) => {
    const { server, settings } = await town();
    server.close();
    let calls = 0;
    const killed = createServer((connection: Socket) => {
      calls += 1;
      connection.destroy();
    });
    killed.listen(hooksSocket(settings));
    await once(killed, 'listening');
    expect(await hookBeside({ settings }, said)).toEqual(NOTHING);
    killed.close();
    expect(calls).toBe(1);
  });

  test('nothing is said either where the system has no marks, or no curl', async () => {
    const it = await town();
    const command = commandOf(it, LIMIT.hook_event_name);
    const bare = { PATH: tempFolder('no-curl') };
    expect(await run(['/bin/sh', '-c', command], {}, bare)).toEqual(NOTHING);
    const elsewhere = command.replace('/proc/sys/kernel/random/uuid', '/nowhere/uuid');
    expect(await hookBeside(it, LIMIT, elsewhere)).toEqual(NOTHING);
    expect(await heard(it)).toMatchObject(HEARD_NONE);
  });
});
