/** The end of a life for a new login (M-9): without questions, and only while nothing speaks against it. */
import { expect, test } from 'vitest';
import { afterProtection, RENEWAL } from '../../machines/hearings/dance.ts';
import type { Dance, Warrant } from '../../machines/protocol.ts';
import { warrant } from '../world/drive.ts';
import { awake, danceAt, SIGHTS, TREE, type LoneDog, type SightName } from './lone.ts';

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
  lone.look(SIGHTS.silent);
  rescued(lone);
  lone.look(SIGHTS.silent);
  lone.outcome({ type: 'SIGNALLED', alive: [], newcomers: [] });
  expect(lone.last).toMatchObject({ type: 'clear' });
  expect(lone.last).not.toHaveProperty('byForce');
  lone.outcome({ type: 'CLEARED', survivors: [] });
  expect(lone.dance).toMatchObject({ verdict: 'executed', reason: REASON, rescue: { ref: 'refs/rescue/dog-1' } });
});

const AGAINST = ['person', 'evidence', 'answered', 'reacted', 'dialog'] as const;
test.each(AGAINST.flatMap((sight) => [false, true].map((isSaved) => [sight, isSaved] as const)))(
  '%s spares it, also after the rescue: %s',
  (sight, isSaved) => {
    const lone = awake(renewal());
    listed(lone);
    if (isSaved) {
      lone.look(SIGHTS.silent);
      rescued(lone);
    }
    lone.look(SIGHTS[sight]);
    expect(lone.dance.verdict).toBe('void');
    expect(lone.dance.reason).toMatch(/^it is not at rest any more: /);
    expect(lone.orders.map(({ type }) => type)).not.toContain('signal');
  },
);

test.each<SightName>(['limited', 'error', 'silent'])('%s does not: so does a dead login look', (sight) => {
  const lone = awake(renewal());
  listed(lone);
  lone.look(SIGHTS[sight]);
  expect(lone.last).toMatchObject({ type: 'rescue' });
});

test('nor does a screen that only says that a login is needed, with no person at its keys', () => {
  const lone = awake(renewal());
  listed(lone);
  lone.look({ ...SIGHTS.dialog, isFree: true });
  expect(lone.last).toMatchObject({ type: 'rescue' });
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
