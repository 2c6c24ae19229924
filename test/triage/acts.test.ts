/** What a choice leads to: every option of every type, over what is so when it is carried out. */
import { describe, expect, test } from 'vitest';
import { OPTIONS, TRIAGE_TYPES, type Choice, type TriageCase, type TriageType } from '../../machines/triage/cases.ts';
import { actsOf, type Decided, type World } from '../../machines/triage/acts.ts';
import type { TriageAct } from '../../machines/triage/plan.ts';
import { PATROL } from '../../machines/patrols/policy.ts';
import { TRIAGE } from '../../machines/triage/policy.ts';

const NUX = 'shop/polecats/nux';
const POLICY = { ...TRIAGE, ...PATROL };
const MINUTE = 60_000;

const triageCase = (type: TriageType, more: Partial<TriageCase> = {}): TriageCase => ({
  id: 'tw-triage-1',
  type,
  agent: NUX,
  rig: 'shop',
  options: OPTIONS[type],
  state: 'resolved',
  context: 'it is odd',
  snapshot: 'tw-1',
  createdAt: '2026-01-01T00:00:00Z',
  tries: 0,
  isPersons: false,
  unproven: null,
  wasTold: false,
  plan: null,
  resolution: null,
  outcome: '',
  ...more,
});
const world = (more: Partial<World> = {}, work: Partial<NonNullable<World['work']>> = {}): World => ({
  standing: 'lives',
  isAnother: false,
  wishesEnd: 'no',
  holds: 'tw-1',
  work: { id: 'tw-1', holder: NUX, isClosed: false, attempts: 0, ...work },
  ...more,
});
const decide = (type: TriageType, choice: Choice, of: World, note = '', more: Partial<TriageCase> = {}): Decided =>
  actsOf(triageCase(type, more), { choice, by: 'overseer', via: 'operator', note, at: '' }, of, POLICY);
const words = (decided: Decided): string => (decided.is === 'do' ? decided.acts.map(actText).join(', ') : decided.is);
const actText = (one: TriageAct): string =>
  `${one.act}${'restMs' in one ? ` rest ${one.restMs / MINUTE}` : ''}${'to' in one ? ` ${one.to}` : ''}${'then' in one && one.then.length > 0 ? ` then ${one.then.map(actText).join(', ')}` : ''}`;

describe('a living agent at the work of the snapshot', () => {
  // Rules: P-15.
  test.each<[TriageType, Choice, string]>([
    ['dirty_polecat', 'COMMIT_AND_PUSH', 'save'],
    ['dirty_polecat', 'CONTINUE', 'goOn'],
    ['dirty_polecat', 'DISCARD', 'discard'],
    ['dirty_polecat', 'ESCALATE', 'escalate'],
    ['stuck_agent', 'NUDGE', 'nudge'],
    ['stuck_agent', 'RESTART', 'warrant'],
    ['stuck_agent', 'RESTART_WITH_BACKOFF', 'rest rest 15, warrant'],
    ['stuck_agent', 'ESCALATE', 'escalate'],
    ['help_request', 'PROVIDE_GUIDANCE', 'mail agent, nudge'],
    ['help_request', 'ESCALATE_TO_MAYOR', 'mail mayor'],
    ['queue_health', 'NUDGE', 'nudge'],
    ['queue_health', 'RESTART', 'warrant'],
    ['queue_health', 'ESCALATE', 'escalate'],
    ['zombie_confirm', 'RESTART', 'warrant'],
    ['zombie_confirm', 'REASSIGN', 'warrant'],
    ['zombie_confirm', 'CLOSE_BEAD', 'close'],
    ['zombie_confirm', 'ESCALATE', 'escalate'],
    ['crash_loop', 'RESTART_WITH_BACKOFF', 'rest rest 15, warrant'],
    ['crash_loop', 'REASSIGN', 'warrant'],
    ['crash_loop', 'ESCALATE_TO_MAYOR', 'mail mayor'],
    ['escalation', 'ESCALATE_TO_MAYOR', 'mail mayor'],
    ['escalation', 'ESCALATE', 'escalate'],
    ['escalation', 'CLOSE_BEAD', 'close'],
  ])('%s %s: %s', (type, choice, expected) => {
    expect(words(decide(type, choice, world(), 'do this'))).toBe(expected);
  });

  test('stands in that table with every option of every type', () => {
    for (const type of TRIAGE_TYPES)
      for (const choice of OPTIONS[type]) expect(decide(type, choice, world(), 'x').is).toBe('do');
  });
});

describe('DISCARD of one that lives', () => {
  test.each<[World['wishesEnd'], string]>([
    ['yes', 'begin end'],
    ['no', 'discard'],
    ['unknown', 'wait'],
  ])('and wishes its end: %s: %s', (wishesEnd, expected) => {
    const decided = decide('dirty_polecat', 'DISCARD', world({ wishesEnd }));
    expect(decided.is === 'begin' ? `begin ${decided.act.act}` : words(decided)).toBe(expected);
  });

  test('of another life, or of one that was seen to have ended, is as ever', () => {
    expect(decide('dirty_polecat', 'DISCARD', world({ wishesEnd: 'yes', isAnother: true })).is).toBe('none');
    expect(words(decide('dirty_polecat', 'DISCARD', world({ wishesEnd: 'yes', standing: 'ended' })))).toBe(
      'discard then reopen rest 0',
    );
  });
});

describe('one whose process is gone', () => {
  // Rules: P-15.
  test.each<[Choice, Partial<NonNullable<World['work']>>, string]>([
    ['RESTART', {}, 'reopen rest 0'],
    ['REASSIGN', {}, 'reopen rest 0'],
    ['RESTART_WITH_BACKOFF', {}, 'reopen rest 15'],
    ['RESTART_WITH_BACKOFF', { attempts: 1 }, 'reopen rest 30'],
    ['RESTART_WITH_BACKOFF', { attempts: 2 }, 'reopen rest 60'],
    ['RESTART', { attempts: 2 }, 'escalate, fail'],
    ['REASSIGN', { attempts: 2 }, 'escalate, fail'],
    ['NUDGE', {}, 'none'],
    ['CONTINUE', {}, 'leave, reopen rest 0'],
    ['CONTINUE', { attempts: 2 }, 'leave, escalate, fail'],
    ['CONTINUE', { holder: null }, 'leave'],
    ['CONTINUE', { holder: 'shop/polecats/ada' }, 'none'],
    ['CONTINUE', { holder: 'shop/refinery' }, 'none'],
    ['CONTINUE', { isClosed: true }, 'none'],
    ['DISCARD', {}, 'discard then reopen rest 0'],
    ['DISCARD', { attempts: 2 }, 'discard then escalate, fail'],
    ['DISCARD', { isClosed: true }, 'discard'],
    ['DISCARD', { holder: 'shop/refinery' }, 'discard'],
  ])('%s after %j: %s', (choice, work, expected) => {
    expect(words(decide('zombie_confirm', choice, world({ standing: 'ended' }, work)))).toBe(expected);
  });
});

describe('nothing is done to', () => {
  // Rules: P-15.
  test.each<[string, World, Choice, string]>([
    ['an agent whose work is closed', world({}, { isClosed: true }), 'RESTART', 'none'],
    ['an agent that has other work by now', world({}, { holder: 'shop/polecats/ada' }), 'NUDGE', 'none'],
    ['an agent whose work is gone', world({ work: null }), 'CLOSE_BEAD', 'none'],
    ['another one of the name', world({ isAnother: true }), 'DISCARD', 'none'],
    ['another one of the name, spoken to', world({ isAnother: true }), 'PROVIDE_GUIDANCE', 'none'],
    ['another one of the name, saved', world({ isAnother: true }), 'COMMIT_AND_PUSH', 'none'],
    ['one that cannot be seen: restart', world({ standing: 'unknown' }), 'RESTART', 'wait'],
    ['one that cannot be seen: nudge', world({ standing: 'unknown' }), 'NUDGE', 'wait'],
    ['one that cannot be seen: continue', world({ standing: 'unknown' }), 'CONTINUE', 'wait'],
    ['one that cannot be seen: discard', world({ standing: 'unknown' }), 'DISCARD', 'wait'],
  ])('%s', (_, of, choice, expected) => {
    expect(decide('stuck_agent', choice, of).is).toBe(expected);
  });

  test('one that had no work, and has some by now', () => {
    const at = (holds: string | null) =>
      decide('stuck_agent', 'RESTART', world({ holds, work: null }), '', { snapshot: null });
    expect(at('tw-9').is).toBe('none');
    expect(words(at(null))).toBe('warrant');
  });

  test('the work that lay with a refinery, also where that is done: it is its session that is meant', () => {
    const at = (standing: World['standing'], choice: Choice) =>
      words(decide('queue_health', choice, world({ standing, work: null, holds: 'tw-7' }), '', { snapshot: null }));
    expect(at('ended', 'RESTART')).toBe('start');
    expect(at('lives', 'RESTART')).toBe('warrant');
    expect(at('lives', 'NUDGE')).toBe('nudge');
    expect(at('unknown', 'RESTART')).toBe('wait');
  });

  test('a worktree stays meant when its work went to the refinery', () => {
    expect(words(decide('dirty_polecat', 'DISCARD', world({}, { holder: 'shop/refinery' })))).toBe('discard');
  });

  test('a person is told also where no agent is meant', () => {
    const of = world({ standing: 'none', work: null });
    expect(words(decide('escalation', 'ESCALATE', of, '', { agent: '', snapshot: null }))).toBe('escalate');
  });
});
