/** The end of a life for a new login (M-9): without questions, and only while its agent is seen at rest. */
import { expect, test } from 'vitest';
import { afterProtection, RENEWAL } from '../../machines/hearings/dance.ts';
import type { Dance, Warrant } from '../../machines/protocol.ts';
import { warrant } from '../world/drive.ts';
import { awake, danceAt, SIGHTS, TREE, type LoneDog, type ObservationName } from './lone.ts';

const REASON = 'was restarted, since its account is logged in again and it used the old login';
const ofTown: Warrant = {
  ...warrant(`${RENEWAL}1-abcdef01`, undefined, { force: true }),
  reason: REASON,
  requester: 'daemon',
  via: 'town',
};
const renewal = (more: Partial<Dance> = {}, ...others: readonly Warrant[]): Dance => ({
  ...danceAt({ stage: 'executing.listing', ...more }, true),
  warrants: [ofTown, ...others],
});
const listed = (lone: LoneDog) => lone.outcome({ type: 'TREE_LISTED', tree: TREE });
const rescued = (lone: LoneDog) =>
  lone.outcome({ type: 'RESCUED', rescue: { folder: 'rescue/dog-1', ref: 'refs/rescue/dog-1' } });

test('it is saved, ended and cleared like every other, but never against a person at its pane', () => {
  const lone = awake(renewal());
  listed(lone);
  lone.look(SIGHTS.resting);
  rescued(lone);
  lone.look(SIGHTS.resting);
  lone.outcome({ type: 'SIGNALLED', alive: [], newcomers: [] });
  expect(lone.last).toMatchObject({ type: 'clear' });
  expect(lone.last).not.toHaveProperty('byForce');
  lone.outcome({ type: 'CLEARED', survivors: [] });
  expect(lone.dance).toMatchObject({ verdict: 'executed', reason: REASON, rescue: { ref: 'refs/rescue/dog-1' } });
});

const ENDED: readonly ObservationName[] = ['resting', 'gone, pane left', 'gone with its pane', 'replaced'];
const OTHERS = Object.keys(SIGHTS).filter((name) => !ENDED.includes(name as ObservationName)) as ObservationName[];
const MID_KILL = 'in a town that starts again in mid-kill';
/** Up to the look right after the list, after the rescue, and after a signal that may have been sent. */
const LOOKS: Readonly<Record<string, () => LoneDog>> = {
  'after the list': () => {
    const lone = awake(renewal());
    listed(lone);
    return lone;
  },
  'after the rescue': () => {
    const lone = LOOKS['after the list']!();
    lone.look(SIGHTS.resting);
    rescued(lone);
    return lone;
  },
  [MID_KILL]: () => awake(renewal({ stage: 'executing.terminating', tree: TREE, killing: true })),
};
// Rules: M-9, law 1.
test.each(Object.keys(LOOKS).flatMap((at) => OTHERS.map((name) => [name, at] as const)))(
  '%s spares it %s: rest was not seen',
  (name, at) => {
    const lone = LOOKS[at]!();
    const from = lone.orders.length;
    expect(lone.last).toMatchObject({ type: 'look', mustRest: true });
    lone.look(SIGHTS[name]);
    if (at === MID_KILL) return expect(lone.typesSince(from)).toEqual(['listTree']);
    expect(lone.dance.verdict).toBe('void');
    expect(lone.dance.reason).toMatch(/^it was not seen at rest/);
    expect(lone.typesSince(from)).toEqual(['sendVerdict']);
  },
);

// Rules: M-9, law 7.
test.each([
  ['nothing', TREE, 'pardoned', /^was not seen at rest after signals were sent.*; nothing had ended$/],
  [
    'something',
    TREE.slice(0, 1),
    'escalated',
    /^was not seen at rest after signals were sent.*; ended by then: pids \d+$/,
  ],
  ['all', [], 'executed', new RegExp(`^${REASON}$`)],
] as const)('spared in mid-kill, when %s of it had ended, it says so', (_, left, verdict, reason) => {
  const lone = LOOKS[MID_KILL]!();
  lone.look(SIGHTS.evidence);
  lone.outcome({ type: 'TREE_LISTED', tree: left });
  if (left.length === 0) lone.outcome({ type: 'CLEARED', survivors: [] });
  expect(lone.dance).toMatchObject({ verdict, reason: expect.stringMatching(reason) as string });
  expect(lone.last?.type).toBe(verdict === 'escalated' ? 'alert' : 'sendVerdict');
});

test('one that rests in a town that starts again in mid-kill is saved anew first', () => {
  const lone = LOOKS[MID_KILL]!();
  lone.look(SIGHTS.resting);
  expect(lone.last).toMatchObject({ type: 'rescue' });
});

test('no other hearing asks for rest', () => {
  expect(awake(danceAt({ stage: 'executing.looking', tree: TREE }, true)).last).not.toHaveProperty('mustRest');
});

test('an operator who ends it by force is obeyed', () => {
  const lone = awake(renewal({}, warrant('w2', undefined, { force: true, requester: 'operator' })));
  listed(lone);
  lone.look(SIGHTS.person);
  expect(lone.last).toMatchObject({ type: 'rescue' });
});

test('a name that is protected by now is left', () => {
  expect(afterProtection(renewal())).toMatchObject({ stage: 'complete', verdict: 'void' });
});
