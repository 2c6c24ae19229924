/** A stopped agent on real panes (D-7): its silence says nothing of it, and nothing is typed into it. */
import { expect, test } from 'vitest';
import type { Incarnation } from '../../../machines/protocol.ts';
import { table, type Court } from './court.ts';
import { agent, bash, claude } from './questions.ts';
import { courtAsking, courtWith } from './courts.ts';

/** Longer than the first wait for what an Enter leads to. */
const STARVED_MS = 2_000;
const SILENT = { kind: 'silent' };
const says = (text: RegExp): unknown => expect.stringMatching(text);
const stopped = (program: string) => ({
  kind: 'unknown',
  seen: 'unanswered',
  cannotRun: true,
  why: says(new RegExp(`^its process (\\d+) \\(${program}\\) is stopped; \`kill -CONT \\1\` continues it$`)),
});

/** The process of this name below the agent. */
async function below(court: Court, { agent }: Incarnation, comm: string): Promise<number> {
  const tree = async (): Promise<number[]> => {
    const children = await table.children();
    const under = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(under)];
    return under(agent.pid).filter((pid) => table.commandOf(pid)?.comm === comm);
  };
  await court.until(async () => (await tree()).length > 0, comm);
  return (await tree())[0] ?? 0;
}

const isStopped = (pid: number): boolean => {
  const proc = table.proc(pid);
  return proc !== null && table.cannotRun(proc);
};

// Rules: D-7.
test.each([
  ['below a wrapper', bash('sleep 100000; :'), 'sleep'],
  ['below a wrapper, in a session of its own', bash('setsid -w sleep 100000; :'), 'sleep'],
])('%s: the look is unknown while it is stopped, and silent again once it goes on', async (_, command, comm) => {
  const { court, target, attempts } = await courtAsking(command);
  const pid = await below(court, target, comm);
  expect(await court.look(target, attempts)).toEqual(SILENT);
  process.kill(pid, 'SIGSTOP');
  await court.until(() => Promise.resolve(isStopped(pid)), 'the program to stop');
  expect(await court.look(target, attempts)).toMatchObject(stopped(comm));
  process.kill(pid, 'SIGCONT');
  await court.until(() => Promise.resolve(!isStopped(pid)), 'the program to go on');
  expect(await court.look(target, attempts)).toEqual(SILENT);
});

// Rules: D-7.
test('a program that its wrapper put into the background is stopped as it reads', async () => {
  const { court, target } = await courtWith(bash('timeout 100000 cat; :'));
  const pid = await below(court, target, 'cat');
  await court.until(() => Promise.resolve(isStopped(pid)), 'the terminal to stop it');
  expect(await court.ask(target)).toMatchObject({ type: 'NOT_ASKED', obstacle: { kind: 'busy' } });
});

// Rules: D-7, D-8.
test('an adopted agent that a person put to sleep by Ctrl-Z is not silent', async () => {
  const { court } = await courtWith(['cat']);
  const target = await court.adopted();
  const attempts = [await court.asked(target)];
  expect(await court.look(target, attempts)).toEqual(SILENT);
  await court.type(target, '', 'C-z');
  await court.until(() => Promise.resolve(isStopped(target.agent.pid)), 'Ctrl-Z');
  expect(await court.look(target, attempts)).toMatchObject(stopped('sleep'));
});

// Rules: D-6, D-7.
test('nothing is typed into a stopped agent: it would stand there unread', async () => {
  const { court, target } = await courtWith(bash('sleep 100000; :'));
  const pid = await below(court, target, 'sleep');
  process.kill(pid, 'SIGSTOP');
  const { why } = stopped('sleep');
  expect(await court.ask(target)).toEqual({ type: 'NOT_ASKED', obstacle: { kind: 'busy', what: why } });
  expect(await court.nudge(target)).toEqual({ type: 'NOT_NUDGED', obstacle: { kind: 'busy', what: why } });
  expect((await court.text(target)).trim()).toBe('');
  process.kill(pid, 'SIGCONT');
  await court.asked(target);
});

// Rules: D-6.
test('an Enter that stands unread is waited for: no other is pressed meanwhile', async () => {
  const { court, target } = await courtWith(bash(`${process.execPath} ${agent('claude')} answer; :`), {
    ready: 'Ready',
  });
  const pid = (await table.children()).get(target.agent.pid)?.[0] ?? 0;
  const call = court.tmux.call.bind(court.tmux);
  let enters = 0;
  court.tmux.call = async (words, input) => {
    if (words[0] !== 'if-shell') return call(words, input);
    enters += 1;
    process.kill(pid, 'SIGSTOP');
    setTimeout(() => process.kill(pid, 'SIGCONT'), STARVED_MS);
    return call(words, input);
  };
  expect([(await court.ask(target)).type, enters]).toEqual(['ASKED', 1]);
  await court.until(async () => (await court.text(target)).includes('ALIVE K73F'), 'the answer');
});

// Rules: D-7.
test('a stopped tool of a known program keeps that from nothing', async () => {
  const { court, target, attempts } = await courtAsking(claude('working'), { ready: 'Pondering' });
  const pid = await below(court, target, 'sleep');
  process.kill(pid, 'SIGSTOP');
  await court.until(() => Promise.resolve(isStopped(pid)), 'the tool to stop');
  expect((await court.look(target, attempts)).kind).not.toBe('unknown');
});
