/** Whether an agent still waits for a person, on real panes: what is seen, what is not, and how often a pane is read for it. */
import { expect, test, vi } from 'vitest';
import { TmuxError } from '../../../src/tmux/errors.ts';
import { table } from './court.ts';
import { agent, claude } from './questions.ts';
import { courtWith } from './courts.ts';

test('a dialog is over when it was answered, and with its life', async () => {
  const { court, target } = await courtWith([agent('waiting')], { ready: 'y/N' });
  const dialogs = court.dialogs();
  expect(await dialogs.asks(target)).toBe(true);
  await court.type(target, 'y', 'Enter');
  await court.until(async () => (await dialogs.asks(target)) === false, 'no dialog');
  expect(await court.dialogs().asks(target)).toBe(false);
  table.signal(target.agent, 'KILL');
  // Its pane may go while it is read: that is unknown, for a moment.
  await court.until(async () => (await dialogs.asks(target).catch(() => true)) === null, 'the end of its life');
});

test('a pane that stands still is asked for numbers over the control client only, and is read again when it changed', async () => {
  const { court, target } = await courtWith(claude('dialog'), { ready: 'Do you want to proceed?' });
  const dialogs = court.dialogs();
  const calls = vi.spyOn(court.tmux, 'call');
  const sequences = vi.spyOn(court.tmux, 'sequence');
  const programs = (): number => calls.mock.calls.length + sequences.mock.calls.length;
  await court.until(async () => {
    const before = programs();
    expect(await dialogs.asks(target)).toBe(true);
    return programs() === before;
  }, 'a look without a program');
  const before = programs();
  for (let rounds = 0; rounds < 20; rounds += 1) expect(await dialogs.asks(target)).toBe(true);
  expect(programs()).toBe(before);
  await court.type(target, 'x');
  await court.until(async () => (await dialogs.asks(target)) === true && programs() > before, 'another reading');
});

// Rules: law 8.
test('what cannot be seen is not over: a silent tmux, a screen that its pack does not know', async () => {
  const { court, target: viewer } = await courtWith(claude('strange'), { ready: 'Something new' });
  await expect(court.dialogs().asks(viewer)).rejects.toThrow('does not know the screen');
  const target = await court.start(claude('dialog'), { ready: 'Do you want to proceed?' });
  const silent = vi.spyOn(court.tmux, 'query').mockRejectedValue(new TmuxError('unknown', 'no answer'));
  await expect(court.dialogs().asks(target)).rejects.toThrow('no answer');
  silent.mockRestore();
  expect(await court.dialogs().asks(target)).toBe(true);
});

// Rules: law 8.
test('what status still shows as a question is not over, though its pane shows it no more', async () => {
  const { court, target } = await courtWith(claude('bare'), { ready: '? for shortcuts' });
  let question: string | null | undefined = 'Do you want to proceed?';
  const dialogs = court.dialogs(() => question);
  expect(await dialogs.asks(target)).toBe(true);
  question = '';
  expect(await dialogs.asks(target)).toBe(true);
  question = null;
  expect(await dialogs.asks(target)).toBe(false);
  question = undefined;
  expect(await dialogs.asks(target)).toBe(false);
});
