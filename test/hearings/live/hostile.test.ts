/** What would make the town type, press Enter, pardon or execute where it must not: drafts, races, neighbours, echoes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ownRows } from '../../../src/hearings/echo-filter.ts';
import { Court } from './court.ts';
import { bash, claude, question } from './questions.ts';
import { courtAsking, courtWith } from './courts.ts';

const RUNNING = { ready: 'Ready' };
const script = (body: string): string[] => bash(`echo ready; ${body}`);
const READY = { ready: 'ready' };

describe("a person's draft is not sent", () => {
  test.each([
    ['a folded paste', '[Pasted text #1 +20 lines]'],
    ['words behind a folded paste', '[Pasted text #1 +20 lines] do not run this yet'],
    ['other letters before the end of our question', 'не удаляй! что значит «that code without its dash»?'],
  ])('%s', async (_name, draft) => {
    const { court, target } = await courtWith(claude('deaf', draft), RUNNING);
    expect(await court.ask(target)).toMatchObject({ type: 'NOT_ASKED', obstacle: { kind: 'busy' } });
    expect(await court.text(target)).not.toContain(`> ${draft}`);
  });

  test('a nudge in letters that are not Latin', async () => {
    const { court, target } = await courtWith(claude('deaf', '请不要删除数据库'), RUNNING);
    expect(await court.nudge(target, '请检查收件箱')).toMatchObject({ type: 'NOT_NUDGED' });
    expect(await court.text(target)).not.toContain('> 请不要删除数据库');
  });

  test('its Chinese words around an old nudge of ours are not taken out', async () => {
    const { court, target } = await courtWith(claude('deaf'), RUNNING);
    await court.nudge(target, 'please run the tests');
    await court.type(target, '不要！先备份数据库！ please run the tests');
    const outcome = await court.ask(target);
    expect(JSON.stringify(outcome)).toContain('a half-typed line (31 characters)');
  });

  test('a line whose cursor stands at its beginning is not typed into', async () => {
    const { court, target } = await courtWith(script(`read -e -p '> ' x`), {
      ready: '>',
      policy: { pasteShownMs: 500 },
    });
    await court.type(target, 'do not delete the', 'C-a');
    await court.until(async () => (await court.text(target)).includes('delete'), 'the draft');
    await court.ask(target);
    expect(await court.text(target)).not.toContain('DOG');
  });
});

describe('Enter goes to no other', () => {
  test('not to the neighbours of a synchronized window', async () => {
    const { court, target } = await courtWith(claude('answer'), RUNNING);
    const split = ['split-window', '-d', '-P', '-F', '#{pane_id}', '-t', target.paneId];
    const neighbour = await court.server.tmux(...split, 'bash', '--norc', '-i');
    await court.server.tmux('send-keys', '-t', neighbour, '-l', 'echo sent-$((1+1))');
    await court.server.tmux('set-window-option', '-t', target.paneId, 'synchronize-panes', 'on');
    await court.ask(target);
    await pause(500);
    expect(await court.server.tmux('capture-pane', '-p', '-t', neighbour)).not.toContain('sent-2');
  });

  test('not to a program that took the place of the asked one after the paste', async () => {
    const { court, target } = await courtWith(['cat'], { policy: { pasteShownMs: 500 } });
    const call = court.tmux.call.bind(court.tmux);
    const other = `printf 'Wipe the disk? Enter means yes: '; read x; echo "got [$x]"; sleep 100`;
    court.tmux.call = async (args, input) => {
      const said = await call(args, input);
      if (args[0] === 'paste-buffer')
        await court.server.tmux('respawn-pane', '-k', '-t', target.paneId, 'bash', '-c', other);
      return said;
    };
    await court.ask(target);
    await pause(300);
    expect(await court.text(target)).not.toContain('got []');
  });

  test.each([
    ['a question that the width breaks', `read -p 'Overwrite builds/? [y/N] ' x; echo "got [$x]"; sleep 100`, 22],
    ['a key that is asked for one row above', `echo 'Delete? y = yes'; read -n1 x; echo "got [$x]"; sleep 100`, 100],
  ])('not to %s', async (_name, body, width) => {
    const { court, target } = await courtWith(script(body), { ...READY, width, policy: { pasteShownMs: 500 } });
    await pause(300);
    await court.ask(target);
    await pause(300);
    expect(await court.text(target)).not.toContain('got [');
  });
});

/** As the fixture of its namesake; USR1 opens a dialog in the place of its composer. */
const ASKING = `#!/usr/bin/env node
let [text, isAsking, said] = ['', false, ['⏺ Ready.', '']];
const rule = () => '─'.repeat(process.stdout.columns - 1);
const composer = () => [rule(), '❯\\u00a0' + text, rule(), '  ? for shortcuts'];
const dialog = () => [rule(), 'Bash command', '  rm -rf build', '', 'Do you want to proceed?', '❯ 1. Yes', '  2. No', '', 'Esc to cancel · Tab to amend'];
const parked = () => '\\x1b[2A\\r\\x1b[' + (text.length + 2) + 'C';
const draw = () => process.stdout.write('\\x1b[H' + [...said, ...(isAsking ? dialog() : composer())].join('\\x1b[K\\r\\n') + '\\x1b[K\\x1b[J' + (isAsking ? '' : parked()));
process.on('SIGUSR1', () => draw((isAsking = true)));
process.stdin.setRawMode(true).on('data', (keys) => {
  const typed = String(keys).replace(/\\x1b\\[20[01]~/g, '');
  if (isAsking && typed.includes('\\r')) [isAsking] = [false, said.push('⏺ It ran.')];
  else if (!isAsking && typed === '\\r') [text] = ['', said.push('> ' + text, '')];
  else if (!isAsking) text += typed;
  draw();
});
process.stdout.write('\\x1b[?2004h');
draw();
`;

test.each([
  ['opens right before Enter', 'if-shell', 1, 0],
  ['opens while tmux stands still in the last look', 'list-clients', 2, 2_000],
  ['opens while tmux does not take Enter in time', 'if-shell', 1, 7_000],
])('a dialog that %s is not answered', async (_name, command, nth, stoppedMs) => {
  await using court = await Court.open();
  const program = join(court.server.dir, 'claude');
  writeFileSync(program, ASKING);
  const target = await court.start([process.execPath, program], RUNNING);
  const server = (await court.tmux.server())?.pid ?? 0;
  const [query, call] = [court.tmux.query.bind(court.tmux), court.tmux.call.bind(court.tmux)];
  let seen = 0;
  const before = async (words: readonly string[]): Promise<void> => {
    if (words[0] === command) seen += 1;
    if (words[0] !== command || seen !== nth) return;
    seen += 1;
    if (stoppedMs > 0) process.kill(server, 'SIGSTOP');
    process.kill(target.agent.pid, 'SIGUSR1');
    if (stoppedMs > 0) setTimeout(() => process.kill(server, 'SIGCONT'), stoppedMs);
    else await pause(200);
  };
  court.tmux.query = async (words) => {
    await before(words);
    return query(words);
  };
  court.tmux.call = async (words, input) => {
    await before(words);
    return call(words, input);
  };
  await court.ask(target);
  await pause(3_000);
  expect(await court.text(target)).not.toContain('It ran.');
});

test('D-8: a shell behind another program (script, ssh, docker exec) is a shell', async () => {
  await using court = await Court.open();
  const shell = `PS1='dev@box:~$ ' bash --norc -i`;
  const target = await court.start(['script', '-qc', shell, '/dev/null'], { ready: 'dev@box' });
  expect(await court.ask(target)).toMatchObject({ type: 'NOT_ASKED' });
  expect(await court.text(target)).not.toContain('command not found');
});

describe('D-4: what an agent says is no silence, what it repeats is no answer', () => {
  test.each([
    ['the command of the question', 'town alive K7-3F'],
    ['words of the question', 'Session max, respond ALIVE'],
    ['a sign without letters', '✅'],
  ])('an agent that replies with %s', async (_name, reply) => {
    const { court, target, attempts } = await courtAsking(script(`read q; echo '${reply}'; sleep 100`), READY);
    await pause(600);
    expect([...(await court.watch(target, attempts, 'evidence'))]).not.toEqual(['silent']);
  });

  test.each([
    ['with escapes of JSON', '"${q//–/u2013}"'],
    ['cut off, with a word behind it', '"bad input near ${q:130:75}... (truncated)"'],
    ['in pieces, each with words around it', '"piece 4 | ${q:145:50} | queued"'],
  ])('our question, repeated %s', async (_name, echo) => {
    const { court, target, attempts } = await courtAsking(
      bash(`export LC_ALL=C.UTF-8; echo ready; read q; echo ${echo}; sleep 100`),
      { ...READY, width: 400 },
    );
    await pause(600);
    expect(await court.text(target)).toMatch(/u2013|truncated|queued/);
    expect([...(await court.watch(target, attempts, 'evidence'))].join(' ')).not.toContain('answered');
  });
});

test('a row that repeats our question a thousand times holds no hearing up: its length is not squared', () => {
  const lines = question('K73F');
  const cost = (times: number): number => {
    const began = performance.now();
    ownRows([lines.join(' · ').repeat(times)], [lines, lines, lines]);
    return performance.now() - began;
  };
  const one = Math.max(1, cost(5));
  expect(cost(1_000) / one).toBeLessThan(200);
});
