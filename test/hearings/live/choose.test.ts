/** A person's choice in a dialog, on real panes: only in the very dialog that they saw, by its own keys, and proved. */
import { describe, expect, test } from 'vitest';
import type { Incarnation, OutcomeBody } from '../../../machines/protocol.ts';
import { dialogOf, type Taken } from '../../../src/sources/question.ts';
import { TmuxError } from '../../../src/tmux/errors.ts';
import { withServer } from '../../tmux/server.ts';
import { untilOver } from '../../world/over.ts';
import { table, type Court } from './court.ts';
import type { CourtOptions } from './court-options.ts';
import { agent } from './questions.ts';
import { courtWith } from './courts.ts';

const REFUSED = 'DIALOG_NOT_ANSWERED';

async function asking(
  how: string,
  commands = 'rm -rf build',
  options: readonly string[] = [],
  more: CourtOptions = {},
) {
  const command = [process.execPath, agent('asking/claude'), how, commands, ...options];
  const { court, target } = await courtWith(command, { ready: 'Esc to cancel', ...more });
  return { court, target, dialog: await standing(court, target) };
}

async function standing(court: Court, target: Incarnation) {
  const dialog = await court.dialog(target);
  if (dialog === null) throw new Error(`no dialog:\n${await court.text(target)}`);
  return dialog;
}

/** Stops the program that draws the dialog; resolves with what wakes it. */
async function stopped(target: Incarnation): Promise<() => void> {
  const [pid] = (await table.children()).get(target.agent.pid) ?? [];
  if (pid === undefined) throw new Error('no program below');
  process.kill(pid, 'SIGSTOP');
  return () => void process.kill(pid, 'SIGCONT');
}

const why = (outcome: OutcomeBody): string => ('why' in outcome ? outcome.why : outcome.type);
/** Number of choices that the program took. */
const chosen = async (court: Court, target: Incarnation): Promise<string[]> =>
  (await court.text(target)).split('\n').filter((row) => row.startsWith('chose '));

// Rules.
test.each([
  ['at-once', 'Yes', 'chose Yes for rm -rf build'],
  ['at-once', 'No, and tell Claude what to do differently (esc)', 'chose No, and tell'],
  // A number that only moves the pointer is followed by Enter, once the pointer is there.
  ['moves', 'No', 'chose No for rm -rf build'],
  ['pointed', 'No', 'chose No for rm -rf build'],
])('in a dialog that takes keys %s, %s is chosen once', async (how, option, row) => {
  const few = option === 'No' ? ['Yes|Yes, always|No'] : [];
  const { court, target, dialog } = await asking(how, 'rm -rf build', few);
  expect(dialog.offers.map(({ label }) => label)).toContain(option);
  const outcome = await court.choose(target, dialog.id, option);
  expect(outcome).toEqual({ type: 'DIALOG_ANSWERED', then: 'its screen is idle' });
  expect(court.ended).toEqual([target.uuid]);
  const rows = await chosen(court, target);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain(row);
  // Twice, and late: nothing stands there that this answer is for.
  const late = await court.choose(target, dialog.id, option);
  expect(late).toMatchObject({ why: expect.stringContaining('another screen stands there now') as string, exit: 3 });
  expect(court.ended).toEqual([target.uuid]);
  expect(await chosen(court, target)).toHaveLength(1);
});

test('the next dialog is another one, and is told', async () => {
  const { court, target, dialog } = await asking('at-once', 'rm -rf build,rm -rf /');
  expect(await court.choose(target, dialog.id, 'Yes')).toEqual({
    type: 'DIALOG_ANSWERED',
    then: 'it asks: Do you want to proceed?',
  });
  const late = await court.choose(target, dialog.id, 'Yes');
  expect(late).toMatchObject({ why: expect.stringContaining('it asks: Do you want to proceed?') as string, exit: 5 });
  expect(await chosen(court, target)).toEqual(['chose Yes for rm -rf build']);
});

test('the very same question once more is another dialog', async () => {
  const { court, target, dialog } = await asking('at-once', 'make,make');
  await court.choose(target, dialog.id, 'Yes');
  expect((await court.choose(target, dialog.id, 'Yes')).type).toBe(REFUSED);
  expect(await chosen(court, target)).toHaveLength(1);
});

// Rules: A-2, law 6.
test('one that was answered at the terminal, and looks the same once more, takes no answer to the first', async () => {
  const { court, target, dialog } = await asking('forgets', 'make,make');
  const terminal = untilOver(await withServer());
  const attach = ['env', '-u', 'TMUX', 'tmux', '-S', court.server.socketPath, 'attach', '-t', target.sessionId];
  await terminal.tmux('new-session', '-d', '-x', '100', '-y', '31', '-s', 'person', ...attach);
  const left = async (): Promise<string> =>
    court.server.tmux('display-message', '-p', '-t', target.paneId, '#{pane_title}');
  await court.until(async () => {
    return (await court.server.tmux('list-clients', '-F', '#{client_control_mode}')).includes('0');
  }, 'the client of the person');
  await terminal.tmux('send-keys', '-t', '=person:', '1');
  await court.until(async () => (await left()).startsWith('1 left'), 'the answer of the person');
  // No look at the screen tells the two apart: that a person was there does.
  expect((await standing(court, target)).id).toBe(dialog.id);
  expect(await court.choose(target, dialog.id, 'Yes')).toMatchObject({
    type: REFUSED,
    why: expect.stringContaining('a person pressed a key there') as string,
  });
  expect(await left()).toMatch(/^1 left/);
});

test('what a person moved meanwhile is seen: the keys go from where the pointer stands', async () => {
  const { court, target, dialog } = await asking('pointed', 'make', ['Yes|Yes, always|No']);
  await court.server.tmux('send-keys', '-t', target.paneId, 'Down', 'Down');
  await court.until(async () => (await court.dialog(target))?.offers.at(-1)?.chosen === true, 'the pointer at No');
  expect((await court.choose(target, dialog.id, 'Yes')).type).toBe('DIALOG_ANSWERED');
  expect(await chosen(court, target)).toEqual(['chose Yes for make']);
});

// Rules: A-3.
test('an option that gives more than this one answer is never pressed', async () => {
  const { court, target, dialog } = await asking('at-once');
  for (const option of ["Yes, and don't ask again for: rm *", 'Maybe'])
    expect(why(await court.choose(target, dialog.id, option))).toContain('does not offer');
  expect(await chosen(court, target)).toEqual([]);
});

// Rules: A-3.
test('one that the configuration names is pressed by the digit beside its very label', async () => {
  const label = "Yes, and don't ask again for: rm *";
  const { court, target } = await asking('at-once', 'rm -rf build', [`Yes|${label}|No`]);
  court.named = ['always'];
  const dialog = await standing(court, target);
  expect(dialog.offers.find(({ word }) => word === 'always')).toMatchObject({ label, keys: ['2'] });
  expect((await court.choose(target, dialog.id, label)).type).toBe('DIALOG_ANSWERED');
  expect(await chosen(court, target)).toEqual([`chose ${label} for rm -rf build`]);
});

test('a dialog that takes no key is told as unproved', async () => {
  const { court, target, dialog } = await asking('deaf', 'make', [], { policy: { answerProvedMs: 600 } });
  expect(why(await court.choose(target, dialog.id, 'Yes'))).toContain('the dialog is still open');
});

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

// Rules: law 6, law 3.
test('nothing is pressed in copy mode, for a protected name, or after its end', async () => {
  const { court, target, dialog } = await asking('at-once');
  await court.server.tmux('copy-mode', '-t', target.paneId);
  expect(why(await court.choose(target, dialog.id, 'Yes'))).toContain('copy mode');
  await court.server.tmux('send-keys', '-t', target.paneId, '-X', 'cancel');
  court.isProtected = () => true;
  expect(why(await court.choose(target, dialog.id, 'Yes'))).toContain('protected');
  court.isProtected = () => false;
  expect(await chosen(court, target)).toEqual([]);
  const gone = { ...target, agent: { ...target.agent, started: '1' } };
  expect((await court.choose(gone, dialog.id, 'Yes')).type).toBe(REFUSED);
  expect(await chosen(court, target)).toEqual([]);
});

/** What a program says that holds a question open, and the answers that it got. */
function holding(court: Court, target: Incarnation, does: (label: string) => Taken): string[] {
  const got: string[] = [];
  let taken: Taken | null = null;
  const answer = (label: string): Promise<Taken> => {
    got.push(label);
    taken = does(label);
    return Promise.resolve(taken);
  };
  const offers = [{ label: 'Allow once', word: 'yes', does: 'let it' }];
  const asked = {
    id: 'per_1',
    kind: 'permission' as const,
    question: 'bash: rm?',
    shows: [],
    whole: [],
    offers,
    withheld: ['Allow always'],
    answer,
    // It may ask another question by then.
    isOver: () => Promise.resolve(taken !== null && court.heard.get(target.uuid)?.asked?.id !== 'per_1'),
  };
  court.heard.set(target.uuid, { word: null, conversation: null, asked });
  return got;
}

// Rules.
describe('a question that its program takes an answer to', () => {
  test('is answered by its id, without a key', async () => {
    const { court, target } = await asking('at-once');
    const got = holding(court, target, () => {
      court.heard.set(target.uuid, { word: null, conversation: null });
      return 'taken';
    });
    const { id } = dialogOf(court.heard.get(target.uuid)!.asked!, target.uuid);
    expect(await court.choose(target, id, 'Allow once')).toMatchObject({ type: 'DIALOG_ANSWERED' });
    expect(got).toEqual(['Allow once']);
    expect(await chosen(court, target)).toEqual([]);
    expect(await court.choose(target, id, 'Allow once')).toMatchObject({ exit: 3 });
    expect(got).toEqual(['Allow once']);
  });

  test('is left alone where its program asks something else now, or says nothing', async () => {
    const { court, target } = await asking('at-once', 'make', [], { policy: { answerProvedMs: 600 } });
    const got = holding(court, target, () => 'taken');
    expect(await court.choose(target, 'request-000000001', 'Allow once')).toMatchObject({ given: false, exit: 5 });
    court.heard.clear();
    const unknown = await court.choose(target, 'request-000000001', 'Allow once');
    const why = 'its program does not say now what it asks; try again';
    expect(unknown).toEqual({ type: REFUSED, why, given: false });
    // Nor is a question over because its program's server is slow.
    court.heard.set(target.uuid, { word: null, conversation: 'c', isSilent: true });
    expect(await court.choose(target, 'request-000000001', 'Allow once')).toEqual({ type: REFUSED, why, given: false });
    expect(got).toEqual([]);
    expect(await chosen(court, target)).toEqual([]);
  });

  test('is answered once its program holds it, also where it only says at first that it asks', async () => {
    const { court, target } = await asking('at-once');
    const got = holding(court, target, () => {
      court.heard.set(target.uuid, { word: null, conversation: null });
      return 'taken';
    });
    const held = court.heard.get(target.uuid)!;
    const word = {
      state: 'asks',
      by: 'program',
      source: 'its program',
      rule: null,
      detail: null,
      since: null,
      at: 0,
    } as const;
    court.heard.set(target.uuid, { word, conversation: null });
    const answered = court.choose(target, dialogOf(held.asked!, target.uuid).id, 'Allow once');
    setTimeout(() => court.heard.set(target.uuid, held), 300);
    expect(await answered).toMatchObject({ type: 'DIALOG_ANSWERED' });
    expect(got).toEqual(['Allow once']);
  });

  test('is not proved by another question that its program asks besides', async () => {
    const { court, target } = await asking('at-once', 'make', [], { policy: { answerProvedMs: 600 } });
    holding(court, target, () => 'taken');
    const { asked } = court.heard.get(target.uuid)!;
    const { id } = dialogOf(asked!, target.uuid);
    const answer = (label: string): Promise<Taken> => {
      court.heard.set(target.uuid, { word: null, conversation: null, asked: { ...asked!, id: 'per_2' } });
      return asked!.answer(label);
    };
    court.heard.set(target.uuid, {
      word: null,
      conversation: null,
      asked: { ...asked!, answer, isOver: () => Promise.resolve(false) },
    });
    const outcome = await court.choose(target, id, 'Allow once');
    expect(outcome).toMatchObject({ type: REFUSED, given: true });
    expect(why(outcome)).toContain('does not say that it took it');
  });

  test('is not told as answered where it ends after its program said nothing of this answer', async () => {
    const { court, target } = await asking('at-once');
    const got = holding(court, target, () => {
      court.heard.set(target.uuid, { word: null, conversation: null });
      return 'unknown';
    });
    const { id } = dialogOf(court.heard.get(target.uuid)!.asked!, target.uuid);
    const outcome = await court.choose(target, id, 'Allow once');
    expect(outcome).toMatchObject({ type: REFUSED, exit: 3 });
    expect(why(outcome)).toContain('it is not known by which answer');
    expect(got).toEqual(['Allow once']);
  });

  test.each<[string, Taken, string, string]>([
    ['what it does not offer is not given', 'taken', 'Allow always', 'does not offer "Allow always"'],
    ['one that was answered meanwhile is told so', 'over', 'Allow once', 'it was answered meanwhile'],
    ['one that it goes on asking is told as unproved', 'taken', 'Allow once', 'does not say that it took it'],
    ['one of which it said nothing is told as unproved', 'unknown', 'Allow once', 'does not say that it took it'],
  ])('%s', async (_, taken, option, words) => {
    const { court, target } = await asking('at-once', 'make', [], { policy: { answerProvedMs: 600 } });
    const got = holding(court, target, () => taken);
    const { id } = dialogOf(court.heard.get(target.uuid)!.asked!, target.uuid);
    expect(why(await court.choose(target, id, option))).toContain(words);
    expect(got).toHaveLength(option === 'Allow once' ? 1 : 0);
    expect(await chosen(court, target)).toEqual([]);
  });
});
