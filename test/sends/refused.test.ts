/** Work that the town refuses, or keeps while its record cannot be read, in virtual time. */
import { expect, test } from 'vitest';
import { SENDS } from '../../machines/sends/policy.ts';
import { town, WORKS } from './town.ts';

test('words that come while the record of work cannot be read are kept with what stood there', () => {
  const it = town({ w1: WORKS });
  it.send('a', 'w1');
  it.drive.run(SENDS.againMs);
  it.blind = true;
  it.drive.restart(SENDS.againMs);
  it.drive.tell({ type: 'WORDS_WANTED', session: 'w1', life: 'life-1', text: 'words' });
  it.blind = false;
  delete it.standing['w1'];
  it.drive.run(10 * SENDS.againMs);
  expect(it.typed).toEqual(['w1: words', 'w1: a']);
});

test('what is taken back is not typed; what is not there is refused by its name', () => {
  const it = town({ w1: WORKS });
  it.send('a', 'w1');
  it.drive.run(SENDS.againMs - 1);
  expect(it.cancel('a')).toMatchObject({ ok: true });
  expect(it.cancel('a')).toMatchObject({ ok: false, code: 'unknown_send' });
  delete it.standing['w1'];
  it.drive.run(5 * SENDS.againMs);
  expect(it.typed).toEqual([]);
});

test('more than a session may have waiting is refused, and those before stay', () => {
  const it = town({ w1: WORKS });
  for (let n = 0; n < SENDS.maxPerSession; n += 1) expect(it.send(`a${n}`, 'w1')).toMatchObject({ ok: true });
  expect(it.send('one', 'w1')).toMatchObject({ ok: false, code: 'many_sends' });
  expect(it.send('other', 'w2')).toMatchObject({ ok: true });
});

test('a request of the same id with other work, or for another session, is refused and loses neither', () => {
  const it = town({ w1: WORKS });
  it.send('a', 'w1', 'x');
  expect(it.send('a', 'w1', 'y')).toMatchObject({ ok: false, code: 'other_request' });
  expect(it.send('a', 'w2', 'x')).toMatchObject({ ok: false, code: 'other_request' });
  expect(it.send('a', 'w1', 'x')).toMatchObject({ ok: true, value: { id: 'a' } });
  expect(it.kept()).toEqual(['a']);
});

test('a request that comes again is answered with how its work ended, however much ended since; with other work it is refused', () => {
  const it = town({});
  for (let n = 0; n < 150; n += 1) {
    it.send(`r${String(n)}`, 'w1', 'x');
    it.drive.run(SENDS.againMs);
  }
  expect(it.send('r0', 'w1', 'x')).toMatchObject({ ok: true, value: { id: 'r0', end: 'typed', undone: null } });
  expect(it.send('r0', 'w1', 'y')).toMatchObject({ ok: false, code: 'other_request' });
  expect(it.send('r0', 'w2', 'x')).toMatchObject({ ok: false, code: 'other_request' });
  expect(it.typed).toHaveLength(150);
  const long = 'x'.repeat(SENDS.endBegins);
  it.send('long', 'w1', `${long} and this`);
  it.drive.run(SENDS.againMs);
  expect(it.send('long', 'w1', `${long} and that`)).toMatchObject({ ok: false, code: 'other_request' });
  expect(it.send('long', 'w1', `${long} and this`)).toMatchObject({ value: { end: 'typed' } });
});

test('work that is sent while the record cannot be read is refused with the reason, and writes nothing', () => {
  const it = town({ away: WORKS });
  it.send('a', 'away');
  it.blind = true;
  it.drive.restart(SENDS.againMs);
  expect(it.send('b', 'away')).toEqual({ ok: false, exit: 1, code: 'records_unreadable', text: 'EIO' });
  it.blind = false;
  it.drive.run(2 * SENDS.againMs);
  expect(it.send('c', 'away')).toMatchObject({ ok: true });
  expect(it.kept()).toEqual(['a', 'c']);
});
