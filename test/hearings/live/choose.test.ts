/** A person's choice in a dialog, on real panes: only in the very dialog that they saw, by its own keys, and proved. */
import { describe, expect, test } from 'vitest';
import type { Incarnation, OutcomeBody } from '../../../machines/protocol.ts';
import { dialogOf, type Taken } from '../../../src/sources/question.ts';
import { withServer } from '../../tmux/server.ts';
import { untilOver } from '../../world/over.ts';
import { type Court } from './court.ts';
import { asking, chosen, REFUSED, standing, why } from './asking.ts';

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
  expect(outcome).toEqual({ type: 'DIALOG_ANSWERED', option, then: 'its screen is idle' });
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
    option: 'Yes',
    then: 'it asks: Do you want to proceed?',
  });
  const late = await court.choose(target, dialog.id, 'Yes');
  expect(late).toMatchObject({ why: expect.stringContaining('it asks: Do you want to proceed?') as string, exit: 5 });
  expect(await chosen(court, target)).toEqual(['chose Yes for rm -rf build']);
});

test('the very same question once more is another dialog', async () => {
  const { court, target, dialog } = await asking('at-once', 'make,make', [], { policy: { answerProvedMs: 600 } });
  expect(why(await court.choose(target, dialog.id, 'Yes'))).toContain('it still asks the same');
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

// Rules.
test.each([
  ['notes', 'the dialog is still open'],
  ['notes-moved', 'it still asks the same'],
])(
  'a key that opens a field beside the same options (%s) is no answer, and nothing is typed into the field',
  async (how, words) => {
    const { court, target, dialog } = await asking(how, 'make', [], { policy: { answerProvedMs: 600 } });
    const outcome = await court.choose(target, dialog.id, 'Yes');
    expect(outcome).toMatchObject({ type: REFUSED, given: true });
    expect(why(outcome)).toContain(words);
    expect(court.ended).toEqual([]);
    const open = await standing(court, target);
    expect(open.id === dialog.id).toBe(how === 'notes');
    expect(open.offers).toEqual([]);
    expect(await court.choose(target, open.id, 'Yes')).toMatchObject({ type: REFUSED, given: false });
    expect(await court.text(target)).toContain('Add notes');
  },
);

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

  test('is not asked again because the screen still draws it: what it asks next is its program’s own word', async () => {
    const { court, target } = await asking('at-once', 'make');
    const answered = async (next: string | null): Promise<OutcomeBody> => {
      holding(court, target, () => {
        const heard = { word: null, conversation: null };
        const asked = { ...court.heard.get(target.uuid)!.asked!, id: 'per_2', question: next ?? '' };
        court.heard.set(target.uuid, next === null ? heard : { ...heard, asked });
        return 'taken';
      });
      return court.choose(target, dialogOf(court.heard.get(target.uuid)!.asked!, target.uuid).id, 'Allow once');
    };
    expect(await answered(null)).toMatchObject({ type: 'DIALOG_ANSWERED', then: 'it asks nothing more' });
    expect(await answered('bash: ls?')).toMatchObject({ type: 'DIALOG_ANSWERED', then: 'it asks: bash: ls?' });
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
