/** The questions of the town as channels get them, from what `town ask` prints and how it ends. */
import { expect, test } from 'vitest';
import type { Answered } from '../../src/proc/ask-program.ts';
import { townPlace } from '../../src/town/questions-place.ts';
import { ask, said } from '../channels/make.ts';

const SHOWN = {
  id: 'tw-1',
  session: 'builder',
  kind: 'case',
  text: 'dirty polecat: three files',
  since: '2026-01-01T00:00:00.000Z',
  shows: ['a.txt', 'b.txt'],
  options: [
    { key: 'COMMIT_AND_PUSH', label: 'COMMIT_AND_PUSH', gives: 'push', text: 'may', for_desk: true },
    { key: 'DISCARD', label: 'DISCARD', gives: 'remove', text: 'may', for_desk: false },
    { key: 'seen', label: 'seen', gives: 'leave', text: 'none', for_desk: false },
    { key: 'execute', label: 'execute', gives: 'end it', text: 'none', for_desk: false, by_name: true },
  ],
};

function place(answered: Partial<Answered>) {
  const asked: (readonly string[])[] = [];
  const ended = { ok: true, exit: 0, out: '', says: '', ...answered };
  const made = townPlace({
    ask: (words, _, input) => {
      asked.push(input === undefined ? words : [...words, `< ${input}`]);
      return Promise.resolve(ended);
    },
    tags: () => Promise.resolve(['worker']),
  });
  return { asked, place: made };
}
const showing = (more: object) => place({ out: JSON.stringify({ data: { ...SHOWN, ...more } }) }).place.now('tw-1');

// Rules: A-3.
test('a question has its rows, and the options that show all they give', async () => {
  expect(await showing({})).toMatchObject({ id: 'tw-1', session: 'builder', kind: 'case', life: '', tags: ['worker'] });
  const { whole, offers } = (await showing({})) ?? {};
  expect(whole).toEqual(['a.txt', 'b.txt']);
  expect(offers).toEqual([
    { word: 'discard', label: 'DISCARD', does: 'remove', text: 'may' },
    { word: 'seen', label: 'seen', does: 'leave' },
    { word: 'execute', label: 'execute', does: 'end it', isGrave: true },
  ]);
  expect(await showing({ shows: ['password=hunter2hunter2'] })).toMatchObject({ whole: null });
});

test.each([
  ['a dialog, which has a place of its own, is none', { out: JSON.stringify({ data: { ...SHOWN, kind: 'dialog' } }) }],
  ['one that is over is none', { ok: false, exit: 3, says: 'town: over' }],
])('%s', async (_, answered) => {
  expect(await place(answered).place.now('tw-1')).toBeNull();
});

test('what cannot be seen is not over', async () => {
  await expect(place({ ok: false, exit: 1, says: 'town: no' }).place.now('tw-1')).rejects.toThrow('no');
  await expect(place({ out: 'x', says: 'x' }).place.now('tw-1')).rejects.toThrow('x');
});

// Rules: A-2.
test.each<[string, Partial<Answered>, object]>([
  ['done is done', { says: 'tw-1 is closed' }, { ok: true, value: { then: 'tw-1 is closed' } }],
  ['over is over', { ok: false, exit: 3, says: 'town: it is over' }, { ok: false, exit: 3, text: 'it is over' }],
  ['another one is another one', { ok: false, exit: 5, says: 'town: x' }, { exit: 5 }],
  ['what was refused failed', { ok: false, exit: 2, says: 'town: x' }, { exit: 1 }],
  [
    'what took too long is unknown, without its words',
    { ok: false, exit: null, says: 'Command failed: my words' },
    { text: expect.stringContaining('did not say in time') as string },
  ],
])('%s', async (_, answered, reply) => {
  const { asked, place: made } = place(answered);
  const one = ask({ kind: 'alert', dialog: 'disk', options: [{ word: 'seen', label: 'seen' }] });
  expect(await made.answer(one, { word: 'seen', label: 'seen' }, said({ text: '--all' }))).toMatchObject(reply);
  // The words of a person are no words of the command.
  expect(asked).toEqual([['answer', '--by=ntfy', '--file', '-', '--', 'disk', 'seen', '< --all']]);
});
