/** A key that was pressed in a dialog: when it is remembered, and when the next one may follow. */
import { expect, test } from 'vitest';
import { TmuxError } from '../../../src/tmux/errors.ts';
import { asking, chosen, REFUSED, standing, stopped, why } from './asking.ts';

// Rules: A-2.
test('a dialog of a program that does not read takes one key, of any order and over a kill of the town', async () => {
  const { court, target, dialog } = await asking('below', 'rm -rf build,dropdb production', ['Yes|No'], {
    policy: { answerProvedMs: 600 },
  });
  const wake = await stopped(target);
  const first = await court.choose(target, dialog.id, 'No');
  expect(first).toMatchObject({ type: REFUSED, given: true });
  expect(why(first)).toContain('the dialog is still open');
  const told = /^"No" was pressed \d+ s ago, and it is not known yet that its program took it; answer it in its pane/;
  for (const option of ['Yes', 'No']) {
    const next = await court.choose(target, dialog.id, option);
    expect(next).toMatchObject({ type: REFUSED, given: true, why: expect.stringMatching(told) as string });
    court.forget();
  }
  wake();
  await court.until(async () => (await chosen(court, target)).length > 0, 'the first answer');
  const next = await standing(court, target);
  expect(next.id).not.toBe(dialog.id);
  expect(await chosen(court, target)).toEqual(['chose No for rm -rf build']);
  // The next dialog is answered as ever.
  expect((await court.choose(target, next.id, 'Yes')).type).toBe('DIALOG_ANSWERED');
  expect(await chosen(court, target)).toEqual(['chose No for rm -rf build', 'chose Yes for dropdb production']);
});

// Rules: A-2.
test('a key that showed no effect is forgotten once its dialog is seen to be gone', async () => {
  const { court, target, dialog } = await asking('below', 'make', [], { policy: { answerProvedMs: 600 } });
  const wake = await stopped(target);
  await court.choose(target, dialog.id, 'Yes');
  await court.scanned([target]);
  expect(await court.pressed(target)).toMatchObject({ dialog: dialog.id, option: 'Yes' });
  wake();
  await court.until(async () => {
    await court.scanned([target]);
    return (await court.pressed(target)) === null;
  }, 'the key to be forgotten');
  expect(await chosen(court, target)).toEqual(['chose Yes for make']);
});

// Rules: A-2.
test('a dialog of a program that has not read its key takes no other one after any time', async () => {
  const { court, target, dialog } = await asking('below', 'make,dropdb', [], {
    policy: { answerProvedMs: 600, stillWorkMs: 0 },
  });
  const wake = await stopped(target);
  await court.choose(target, dialog.id, 'Yes');
  const next = await court.choose(target, dialog.id, 'Yes');
  expect(why(next)).toContain('"Yes" was pressed');
  wake();
  await court.until(async () => (await chosen(court, target)).length > 0, 'the answer');
  expect(await chosen(court, target)).toEqual(['chose Yes for make']);
});

// Rules: A-2.
test('a question that comes again and looks the same is answered once its program has read the first key a while ago', async () => {
  const { court, target, dialog } = await asking('forgets', 'make,make', [], { policy: { answerProvedMs: 600 } });
  const left = async (): Promise<string> =>
    court.server.tmux('display-message', '-p', '-t', target.paneId, '#{pane_title}');
  expect(why(await court.choose(target, dialog.id, 'Yes'))).toContain('the dialog is still open');
  expect(await left()).toMatch(/^1 left/);
  // Read a moment ago, it may have to be handled yet.
  expect(why(await court.choose(target, dialog.id, 'Yes'))).toContain('not known yet');
  expect(await left()).toMatch(/^1 left/);
  court.policy = { ...court.policy, stillWorkMs: 0 };
  expect((await court.choose(target, dialog.id, 'Yes')).type).toBe('DIALOG_ANSWERED');
  expect(await left()).toMatch(/^0 left/);
});

// Rules: A-2.
test('a key whose dialog is gone is forgotten also where no pack knows the screen behind it', async () => {
  const { court, target, dialog } = await asking('returns', 'make');
  expect(await court.choose(target, dialog.id, 'Yes')).toEqual({
    type: 'DIALOG_ANSWERED',
    option: 'Yes',
    then: 'its screen is not known',
  });
  expect(await court.pressed(target)).toBeNull();
  await court.type(target, 'again');
  await court.until(async () => (await court.dialog(target))?.id === dialog.id, 'the same question');
  expect((await court.choose(target, dialog.id, 'Yes')).type).toBe('DIALOG_ANSWERED');
});

// Rules: A-2.
test('a key that tmux surely did not get is not on record', async () => {
  const { court, target, dialog } = await asking('at-once', 'make');
  const failing =
    (error: TmuxError): (() => Promise<string>) =>
    () =>
      Promise.reject(error);
  const { call } = court.tmux;
  for (const error of [
    new TmuxError('absent', 'there is no program "tmux" in PATH'),
    new TmuxError('none', 'no server running on /tmp'),
    new TmuxError('unknown', 'tmux gave no answer (EAGAIN)', { cause: new Error('spawn EAGAIN') }),
  ]) {
    court.tmux.call = failing(error);
    expect(await court.choose(target, dialog.id, 'Yes')).toMatchObject({ type: REFUSED, given: false });
    expect(await court.pressed(target)).toBeNull();
  }
  // Behind one that did not answer in time it may come yet.
  court.tmux.call = failing(new TmuxError('unknown', 'tmux did not answer within 5 s'));
  expect(await court.choose(target, dialog.id, 'Yes')).toMatchObject({ type: REFUSED, given: true });
  court.tmux.call = call;
  expect(why(await court.choose(target, dialog.id, 'Yes'))).toContain('"Yes" may have been pressed');
  expect(await chosen(court, target)).toEqual([]);
});

// Rules: A-2.
test('the dialog of a stopped program looks like another one in a smaller window, and takes no second key', async () => {
  const { court, target, dialog } = await asking('below', `make ${'all '.repeat(20)},dropdb`, ['Yes|No'], {
    policy: { answerProvedMs: 600 },
  });
  const wake = await stopped(target);
  await court.choose(target, dialog.id, 'No');
  await court.server.tmux('resize-window', '-t', target.paneId, '-x', '70', '-y', '30');
  await court.scanned([target]);
  const other = await court.dialog(target);
  expect(other?.id).not.toBe(dialog.id);
  for (const id of [dialog.id, other?.id ?? dialog.id])
    expect((await court.choose(target, id, 'Yes')).type).toBe(REFUSED);
  expect(await court.pressed(target)).toMatchObject({ dialog: dialog.id, option: 'No', size: '100x30' });
  wake();
  await court.until(async () => (await chosen(court, target)).length > 0, 'the first answer');
  expect((await chosen(court, target)).join()).toContain('chose No for make');
  expect(await chosen(court, target)).toHaveLength(1);
});

// Rules: A-2, law 6.
test('a key that moved the pointer is not on record where a person comes in before Enter', async () => {
  const { court, target, dialog } = await asking('moves', 'make', ['Yes|Yes, always|No']);
  const { call } = court.tmux;
  court.tmux.call = async (...given) => {
    const said = await call.apply(court.tmux, given);
    await court.until(async () => (await court.dialog(target))?.offers.at(-1)?.chosen === true, 'the pointer at No');
    await court.server.tmux('copy-mode', '-t', target.paneId);
    return said;
  };
  expect(why(await court.choose(target, dialog.id, 'No'))).toContain('copy mode');
  expect(await court.pressed(target)).toBeNull();
  court.tmux.call = call;
  await court.server.tmux('send-keys', '-t', target.paneId, '-X', 'cancel');
  expect((await court.choose(target, dialog.id, 'Yes')).type).toBe('DIALOG_ANSWERED');
  expect(await chosen(court, target)).toEqual(['chose Yes for make']);
});
