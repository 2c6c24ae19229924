/** Questions that a Claude Code holds open by the hook that the town gave it: the real command of the hook, and the real server. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createProcesses } from '../../../src/proc/processes.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { claudeSettings, heldByTown, hooksSocket } from '../../../src/sources/claude-hooks.ts';
import { transcriptFile } from '../../../src/sources/claude-transcript.ts';
import { claudePort } from '../../../src/sources/claude.ts';
import { HookServer } from '../../../src/sources/hook-server.ts';
import { SOURCES } from '../../../src/sources/policy.ts';
import type { Heard } from '../../../src/sources/port.ts';
import { defaultSettings } from '../../../src/config/load.ts';
import { tempFolder, whenOver } from '../../world/over.ts';

const ID = '83e007c0-2e57-458e-912f-25304f75f9d8';
const LIFE = '0b9fca5c-9a2b-4d43-8a53-5f6ec7b4b0a1';
const processes = createProcesses();
const tokenFor = (uuid: string): string => `token of ${uuid}`;
const calling = promisify(execFile);
const SLOW = { timeout: 30_000 };

interface Town {
  readonly root: string;
  readonly server: HookServer;
  living: Set<string>;
  /** What a person beside the town sees by it. */
  readonly settings: Parameters<typeof hooksSocket>[0];
}

async function town(root = tempFolder('town-hooks')): Promise<Town> {
  const settings = defaultSettings({ root, from: '--root', configured: false });
  const it: Town = { root, settings, living: new Set([LIFE]), server: null as unknown as HookServer };
  const server = new HookServer({ clock: systemClock, tokenFor, living: () => Promise.resolve(it.living) });
  await server.open(hooksSocket(settings));
  whenOver(() => server.close());
  return { ...it, server };
}

const BASH = { tool_name: 'Bash', tool_input: { command: 'rm -rf build', description: 'Clean' } };
const SUGGESTS = { permission_suggestions: [{ type: 'setMode' }] };

/** The hook as Claude Code runs it; what it printed once it ended. */
function hook({ settings }: Pick<Town, 'settings'>, said: object | string, life = LIFE, token = tokenFor(life)): Hook {
  const file = JSON.parse(claudeSettings(hooksSocket(settings))) as {
    hooks: { PermissionRequest: [{ hooks: [{ command: string }] }] };
  };
  const { command } = file.hooks.PermissionRequest[0].hooks[0];
  const env = { PATH: process.env['PATH'], TOWN_INCARNATION: life, TOWN_TOKEN: token };
  const child = spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  whenOver(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const body = { hook_event_name: 'PermissionRequest', session_id: ID, cwd: '/work/app', ...BASH };
  child.stdin.on('error', () => undefined);
  child.stdin.end(typeof said === 'string' ? said : JSON.stringify({ ...body, ...said }));
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number, printed })) };
}

interface Hook {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number; readonly printed: string }>;
}

interface Agent {
  says(status: string): void;
  /** Its transcript ends with these calls, which have no result. */
  calls(...calls: readonly { readonly tool_name: string; readonly tool_input: object }[]): void;
  hear(): Promise<Heard | null>;
  /** As a command beside the town hears it. */
  hearBeside(): Promise<Heard | null>;
}

/** A process that stands for a Claude Code which the town started. */
async function agent({ server, settings }: Town, life = LIFE): Promise<Agent> {
  const home = tempFolder('town-claude');
  const folder = join(home, '.claude', 'sessions');
  mkdirSync(folder, { recursive: true });
  const env = { PATH: process.env['PATH'], HOME: home, TOWN_INCARNATION: life, TOWN_TOKEN: tokenFor(life) };
  const child = spawn('sleep', ['300'], { argv0: 'claude', env, stdio: 'ignore' });
  whenOver(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const proc = processes.proc(pid);
  if (proc === null) throw new Error('it ended at once');
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const transcript = transcriptFile({ config: join(home, '.claude'), cwd: home, id: ID });
  mkdirSync(join(transcript, '..'), { recursive: true });
  const earOf = (held: Parameters<typeof claudePort>[0]['held']) =>
    claudePort({ processes, held, wall: () => Date.now() }).open(proc);
  const [ear, beside] = [earOf(server), earOf(heldByTown(settings))];
  const session = { pid, sessionId: ID, cwd: home, procStart, version: '2.1.330', kind: 'interactive' };
  return {
    says: (status) => writeFileSync(join(folder, `${pid}.json`), JSON.stringify({ ...session, status })),
    calls: (...calls) => {
      const content = calls.map(({ tool_name: name, tool_input: input }, at) => {
        return { type: 'tool_use', id: `toolu_${at + 1}`, name, input };
      });
      const line = { sessionId: ID, isSidechain: false, message: { id: 'msg_1', content } };
      writeFileSync(transcript, `${JSON.stringify(line)}\n`);
    },
    hear: async () => (await ear?.hear()) ?? null,
    hearBeside: async () => (await beside?.hear()) ?? null,
  };
}

/** An agent that asks whether it may run a command. */
async function asking(it: Town, more: object = {}): Promise<{ readonly claude: Agent; readonly held: Hook }> {
  const claude = await agent(it);
  claude.says('waiting');
  claude.calls({ ...BASH, ...more });
  const held = hook(it, more);
  await expect.poll(async () => (await claude.hear())?.asked ?? null, SLOW).not.toBeNull();
  return { claude, held };
}

const decisionIn = (printed: string): unknown =>
  (JSON.parse(printed) as { hookSpecificOutput: { decision: unknown } }).hookSpecificOutput.decision;

// Rules.
describe('a question that is held open', () => {
  test('is told with what it is about and the answers that give no more, also beside the town', async () => {
    const it = await town();
    const { claude } = await asking(it, SUGGESTS);
    const { asked } = (await claude.hear()) ?? {};
    expect(asked).toMatchObject({
      id: 'toolu_1',
      question: 'Bash: rm -rf build?',
      shows: ['folder: /work/app', 'rm -rf build'],
      offers: [
        { label: 'Allow once', word: 'yes' },
        { label: 'Reject', word: 'no' },
      ],
      withheld: ['Allow always'],
    });
    expect(asked?.whole).toEqual(asked?.shows);
    const beside = (await claude.hearBeside())?.asked;
    expect(beside).toMatchObject({ id: 'toolu_1', question: 'Bash: rm -rf build?' });
    // Only the town itself can answer.
    expect(await beside?.answer('Allow once')).toBe('unknown');
  });

  test.each([
    ['Allow once', { behavior: 'allow' }],
    ['Reject', { behavior: 'deny', message: 'The operator refused this.' }],
  ])('takes %s once, and is told until its program goes on', async (label, decision) => {
    const it = await town();
    const { claude, held } = await asking(it);
    const { asked } = (await claude.hear()) ?? {};
    expect(await asked?.answer(label)).toBe('taken');
    const { code, printed } = await held.ended;
    expect([code, decisionIn(printed)]).toEqual([0, decision]);
    expect(await asked?.answer(label)).toBe('over');
    // The answer is no proof: its program has not gone on yet.
    expect((await claude.hear())?.asked?.id).toBe('toolu_1');
    claude.says('busy');
    expect(await claude.hear()).not.toHaveProperty('asked');
  });

  test('with options takes the one that was chosen', async () => {
    const it = await town();
    const questions = [{ question: 'Which one?', options: [{ label: 'A', description: 'a file' }, { label: 'B' }] }];
    const more = { tool_name: 'AskUserQuestion', tool_input: { questions } };
    const { claude, held } = await asking(it, more);
    const { asked } = (await claude.hear()) ?? {};
    expect(asked?.offers.map(({ label, word }) => [word, label])).toEqual([
      ['1', 'A'],
      ['2', 'B'],
    ]);
    expect(await asked?.answer('B')).toBe('taken');
    expect(decisionIn((await held.ended).printed)).toEqual({
      behavior: 'allow',
      updatedInput: { questions, answers: { 'Which one?': 'B' } },
    });
  });

  test('outlives the town with its id', async () => {
    const first = await town();
    const { claude, held } = await asking(first);
    first.server.close();
    const second = await town(first.root);
    const again = await agent(second);
    again.says('waiting');
    again.calls(BASH);
    await expect.poll(async () => (await again.hear())?.asked?.id, SLOW).toBe('toolu_1');
    expect(await (await again.hear())?.asked?.answer('Allow once')).toBe('taken');
    expect((await held.ended).code).toBe(0);
    expect(await claude.hear()).not.toBeNull();
  });
});

test('the same words asked once more are another question, also before the first is over', async () => {
  const it = await town();
  const { claude, held } = await asking(it);
  await (await claude.hear())?.asked?.answer('Allow once');
  await held.ended;
  const next = hook(it, {});
  await expect.poll(async () => (await it.server.of({ uuid: LIFE })).length, SLOW).toBe(2);
  expect(await (await claude.hear())?.asked?.answer('Reject')).toBe('taken');
  expect(decisionIn((await next.ended).printed)).toMatchObject({ behavior: 'deny' });
});

test('what is shown is all that a tool gets, or says that it is cut', async () => {
  const command = Array.from({ length: 40 }, (_, at) => `echo ${at} ${'x'.repeat(300)}`).join('\n');
  const { claude } = await asking(await town(), { tool_input: { command } });
  const { shows = [], whole } = (await claude.hear())?.asked ?? {};
  expect([shows.length, shows[1]?.at(-1), shows.at(-1)]).toEqual([SOURCES.maxShown, '…', '… 22 more lines']);
  const other = await asking(await town(), { tool_name: 'mcp__box', tool_input: { command: 'rm', args: ['-rf'] } });
  expect([whole, (await other.claude.hear())?.asked?.whole]).toEqual([null, ['rm', 'args: ["-rf"]']]);
});

describe('a question that is over', () => {
  test.each([
    ['its program goes on', (claude: Agent) => claude.says('busy')],
    ['its call has a result', (claude: Agent) => claude.calls({ ...BASH, tool_input: { command: 'another' } })],
  ])('is let go once %s', async (_, goesOn) => {
    const it = await town();
    const { claude, held } = await asking(it);
    goesOn(claude);
    const now = Date.now;
    Date.now = () => now() + SOURCES.heldBeforeShownMs + 1;
    whenOver(() => (Date.now = now));
    expect(await claude.hear()).not.toHaveProperty('asked');
    expect(await held.ended).toEqual({ code: 0, printed: '' });
  });

  test('with its life is let go', async () => {
    const it = await town();
    const { held } = await asking(it);
    it.living.clear();
    const stop = new AbortController();
    whenOver(() => stop.abort());
    void it.server.attend(stop.signal);
    expect(await held.ended).toEqual({ code: 0, printed: '' });
  });

  test('with its hook is told no more', async () => {
    const it = await town();
    const { claude, held } = await asking(it);
    process.kill(-(held.child.pid ?? 0), 'SIGKILL');
    await expect.poll(async () => (await claude.hear())?.asked ?? null, SLOW).toBeNull();
  });
});

describe('what is refused says nothing and decides nothing', () => {
  test.each([
    ['no JSON', 'what'],
    ['another event', { hook_event_name: 'Stop' }],
    ['too long', { tool_input: { command: 'x'.repeat(10 * 1_048_576) } }],
  ])('%s', async (_, said) => {
    const it = await town();
    expect(await hook(it, said).ended).toEqual({ code: 0, printed: '' });
  });

  test("another life's token", async () => {
    const it = await town();
    const { ended } = hook(it, {}, LIFE, tokenFor('another'));
    expect(await ended).toEqual({ code: 0, printed: '' });
  });

  test('more than one life may hold', async () => {
    const it = await town();
    const hooks = Array.from({ length: SOURCES.maxHeldPerLife + 1 }, () => hook(it, {}));
    expect(await Promise.race(hooks.map(({ ended }) => ended))).toEqual({ code: 0, printed: '' });
    expect(await it.server.of({ uuid: LIFE })).toHaveLength(SOURCES.maxHeldPerLife);
  });

  test('an agent that would answer itself: no path takes an answer', async () => {
    const it = await town();
    const { claude, held } = await asking(it);
    const [one] = await it.server.of({ uuid: LIFE });
    for (const path of ['/answer', '/held', '/hook', `/answer/${one?.key ?? ''}`]) {
      const words = ['-s', '--unix-socket', hooksSocket(it.settings), '-d', '{"behavior":"allow"}'];
      const proof = ['-H', `x-town-life: ${LIFE}`, '-H', `x-town-token: ${tokenFor(LIFE)}`];
      await calling('curl', [...words, ...proof, `http://town${path}`]);
    }
    expect((await claude.hear())?.asked?.id).toBe('toolu_1');
    expect(held.child.exitCode).toBeNull();
  });

  test("a stranger's question is not shown to another life", async () => {
    const it = await town();
    await asking(it);
    const other = await agent(it, '5e3f2f0e-9f0e-4b3e-8d0b-0d8f8ad2d7a2');
    other.says('waiting');
    other.calls(BASH);
    expect(await other.hear()).not.toHaveProperty('asked');
  });
});
