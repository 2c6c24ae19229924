/** How orders are named to people: journals and mailboxes keep these names. */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { orderName, type Order, type SessionSpec } from '../../machines/protocol.ts';
import { ChainTown, DEACON, HEARTBEAT, STALE } from '../watchdog/chain.ts';
import { incarnation, warrant } from '../world/drive.ts';
import { ASKED, seeing } from '../world/hands.ts';

/** The same for all numbers and uuids. */
const shapeOf = ({ id }: Order): string =>
  orderName(id)
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'U')
    .replace(/stop-\d+-\w+/, 'stop-N-U')
    .replace(/\d+/g, 'N');

const spec = (name: string, restart: SessionSpec['restart']): SessionSpec => ({
  name,
  command: ['agent'],
  dir: '/',
  tags: [],
  process: null,
  restart,
});

/** All that is asked of a town whose Deacon does not beat, and what ends there. */
function busy(deacon: SessionSpec | null): ChainTown {
  const policy = { ...POLICY, sessions: { ...POLICY.sessions, survivors: 'end' as const } };
  const town = new ChainTown(deacon, policy, { connections: ['tmux'] });
  Object.assign(town.instead, { ask: ASKED, look: seeing({ kind: 'silent' }) });
  town.instead.connect = { type: 'CONNECTED', what: 'tmux' };
  town.instead.adoptSession = { type: 'SESSION_NOT_ADOPTED', why: 'no agent is there', exit: 2 };
  town.seen = STALE;
  town.drive.ask({ verb: 'startSession', spec: spec('worker', 'permanent') });
  town.drive.ask({ verb: 'startSession', spec: spec('short', 'transient') });
  town.letter();
  town.letter({ from: 'stranger', sender: null });
  town.run(HEARTBEAT);
  town.drive.ask({ verb: 'nudge', name: 'worker', text: 'go on', from: 'mayor', raw: false });
  town.drive.ask({ verb: 'healthCheck', session: 'worker' });
  town.drive.ask({ verb: 'adoptSession', name: 'mine', process: null, tags: [] });
  town.drive.tell({ type: 'WARRANT_FILED', warrant: warrant('w1', incarnation(1)) });
  town.run(4 * HEARTBEAT);
  town.kill('short');
  town.drive.ask({ verb: 'stopSession', name: 'worker', then: 'end', force: true });
  town.run(HEARTBEAT);
  town.kill();
  town.run(HEARTBEAT);
  town.drive.ask({ verb: 'removeSession', name: 'worker' });
  town.run(HEARTBEAT);
  return town;
}

const EVERYWHERE = [
  'alerts/read',
  'boot/N/act',
  'boot/N/observe',
  'boot/read',
  'connect/tmux',
  'daemon/N/archive/m-N',
  'daemon/N/boot',
  'daemon/N/deacon',
  'daemon/N/lifecycle',
  'daemon/N/mail/m-N',
  'dog-N/N/ask',
  'dog-N/N/checkpoint-N',
  'dog-N/N/listTree-N',
  'dog-N/N/look-N',
  'health/U/ask',
  'health/U/look',
  'health/read',
  'health/review',
  'health/sessions',
  'kennel/read',
  'kennel/warrants',
  'reply/rN',
  'sessions/adopt/U',
  'sessions/announce/worker/rN',
  'sessions/ending/short/U/N',
  'sessions/nudge/rN',
  'sessions/read',
  'sessions/remove/worker/rN/clear',
  'sessions/scan',
  'sessions/start/U',
  'sessions/stop/worker/stop-N-U',
  'sessions/survivors',
];

test.each([
  ['a session', DEACON, ['daemon/N/discovery']],
  ['an actor', null, ['daemon/N/stuck', 'deacon/N/inbox']],
] as const)('of a town whose Deacon is %s', (_, deacon, more) => {
  const names = new Set(busy(deacon).drive.orders.map(shapeOf));
  // Those of alerts have their kind in it.
  const told = [...names].filter((name) => !/^level\/[a-z-]+\/N$/.test(name));
  expect(told.sort()).toEqual([...EVERYWHERE, ...more].sort());
});
