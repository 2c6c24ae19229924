/** [daemon], [boot], [deacon], [patrol] and the daemon's mail: the watchdog chain in virtual time, and the rules it follows. */
import { bandOf, freshMemory, judge, whyUnjudged } from '../../../machines/watchdog/matrix.ts';
import { checkDeacon, takeDiscovered, ruleLetters, tick } from '../../../machines/watchdog/daemon.ts';
import type { Order, OutcomeBody, SessionSpec } from '../../../machines/protocol.ts';
import type { DeaconSeen, Letter } from '../../../machines/protocol/watchdog.ts';
import { heartbeat } from '../../../src/cli/commands/deacon.ts';
import { Context, textIn } from '../../../src/cli/context.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { deaconSession } from '../../../src/config/agents.ts';
import { session } from '../../state/make.ts';
import { ChainTown, DEACON, LIFE, WELL } from '../../watchdog/chain.ts';
import { incarnation, WALL } from '../../world/drive.ts';
import { DEAF, type SimHands } from '../../world/hands.ts';
import { HOUR, MINUTE, SECOND, failed, probe, section, type Probes } from './probe.ts';
import { tempFolder } from '../../world/over.ts';

interface World {
  readonly deacon?: SessionSpec | null;
  readonly seen?: Partial<DeaconSeen>;
  readonly instead?: SimHands;
}
/** The chain over this time; the Deacon is a session unless said otherwise. */
function chain({ policy }: Settings, ms: number, { deacon = DEACON, seen, instead = {} }: World): ChainTown {
  const town = new ChainTown(deacon, policy);
  town.seen = { ...WELL, ...seen };
  Object.assign(town.instead, instead);
  town.run(ms);
  return town;
}
const aged = (ageMs: number, dueInMs: number | null = null): DeaconSeen => ({
  ...WELL,
  heartbeat: { ageMs, mine: true, dueInMs },
});
/** The daemon at this count of ticks in a row. */
const daemonOf = ({ policy: { watchdog } }: Settings, missing = 0, silent = 0) => ({
  policy: watchdog,
  deacon: DEACON,
  isProtected: () => false,
  ticks: 1,
  failures: {},
  missing,
  silent,
  standing: {},
  lying: null,
  wakeAt: null,
});
const types = (orders: readonly Order[]): string[] => orders.map(({ type }) => type);
const stamp = { at: 10 * HOUR, wall: WALL + 10 * HOUR };
const judged = ({ policy }: Settings, seen: DeaconSeen, wakes = 0): string =>
  judge(seen, { ...freshMemory(LIFE.uuid), wakes }, policy.watchdog, DEACON.name).action;

export const daemon: Probes = section('daemon', {
  heartbeat: probe('1m', (settings) => chain(settings, HOUR, {}).drive.given('discover').length),
  deacon_check: probe('false', (settings) => types(tick(daemonOf(settings), stamp).orders)),
  discovery: probe('false', (settings) =>
    types(takeDiscovered(daemonOf(settings), [{ name: DEACON.name, life: 'absent', uuid: null }], false).orders),
  ),
  step_failures: probe('20', (settings) => chain(settings, HOUR / 2, { instead: { discover: failed } }).alerts),
  missing_ticks: probe(
    '3',
    (settings) =>
      takeDiscovered(daemonOf(settings, 1), [{ name: DEACON.name, life: 'absent', uuid: null }], false).changes,
  ),
  silent_ticks: probe('2', (settings) => checkDeacon(daemonOf(settings, 0, 1), aged(HOUR)).changes),
});

const letter: Letter = {
  id: 'm-1',
  from: 'worker',
  via: 'agent',
  subject: 'LIFECYCLE: restart',
  body: '',
  sentAt: WALL + 8 * HOUR,
  writtenBy: 'uuid-1',
  sender: { session: 'worker', uuid: 'uuid-1' },
};

export const mail: Probes = section('mail', {
  lifecycle_expires: probe('1h', (settings) =>
    types(ruleLetters(daemonOf(settings), { letters: [letter], known: [] }, stamp).orders),
  ),
});

/** Whether Boot judges, with the mark of a running Boot this old. */
const besideAnother = (settings: Settings, runningMs: number): number => {
  const readBoot: OutcomeBody = { type: 'BOOT_READ', runningMs, status: null };
  const town = chain(settings, SECOND, { instead: { readBoot } });
  return town.drive.given('observeDeacon').filter(({ id }) => id.issuer === 'boot').length;
};

export const boot: Probes = section('boot', {
  enabled: probe('false', (settings) => types(tick(daemonOf(settings), stamp).orders)),
  stale: probe('10m', (settings) => judged(settings, { ...aged(7 * MINUTE), mail: 1 })),
  very_stale: probe('1h', (settings) => judged(settings, aged(20 * MINUTE))),
  start_grace: probe('1m', ({ policy }) => whyUnjudged({ ...WELL, startedMsAgo: 2 * MINUTE }, policy.watchdog.boot)),
  max_ahead: probe('1h', ({ policy }) => bandOf(aged(20 * MINUTE, HOUR), policy.watchdog.boot)),
  running_ttl: probe('1s', (settings) => besideAnother(settings, 2 * MINUTE)),
  deadline: probe('10s', (settings) =>
    chain(settings, 30 * SECOND, { instead: { observeDeacon: null } }).note('bootStatus'),
  ),
});

/** A health check of one session that never answers: how long it lasts, how often it looks. */
function healthChecks(settings: Settings, times: number, ms: number): ChainTown {
  const sessions = [session('gt-a', { incarnation: incarnation('a') })];
  const town = chain(settings, 0, { instead: { ...DEAF, readSessions: { type: 'SESSIONS_READ', sessions } } });
  for (let n = 1; n <= times; n++) {
    town.drive.tell({ type: 'REQUESTED', rpc: `r${n}`, request: { verb: 'healthCheck', session: 'gt-a' } });
    town.run(ms);
  }
  return town;
}

const beats = (town: ChainTown): unknown => town.note('heartbeat')?.nextDueAt;
const patrols = (town: ChainTown): number =>
  town.drive.given('readDeaconMail').filter(({ id }) => id.issuer === 'deacon').length;
const asSession = ['deacon.mode=session', 'deacon.command=run-deacon'];

export const deacon: Probes = section('deacon', {
  mode: probe('session', deaconSession),
  session: probe('my-deacon', deaconSession, asSession),
  command: probe('run-another', deaconSession, asSession),
  beat: probe('5s', (settings) => beats(chain(settings, MINUTE / 2, { deacon: null }))),
  wakes: probe('1', (settings) => judged(settings, aged(HOUR), 1)),
  health_wait: probe('5s', (settings) => healthChecks(settings, 1, MINUTE).drive.given('look').length),
  health_look_every: probe('5s', (settings) => healthChecks(settings, 1, MINUTE).drive.given('look').length),
  handoff_after: probe('2', secondBeat, asSession),
  health_failures: probe('1', (settings) => healthChecks(settings, 2, MINUTE).alerts),
});

/** What the Deacon's session hears of its second beat. */
async function secondBeat(settings: Settings): Promise<string[]> {
  const root = tempFolder('beat');
  const said: string[] = [];
  const context = Object.assign(new Context({ root, json: false, rest: [] }), {
    settings: () => Promise.resolve(settings),
    answer: (...[, , text]: Parameters<Context['answer']>) => said.push(textIn(text)),
  });
  for (let beat = 0; beat < 2; beat += 1) await heartbeat(context, { action: 'test' });
  return said;
}

const unwell: SimHands = {
  readDeaconMail: {
    type: 'DEACON_MAIL_READ',
    letters: [],
    known: [],
    aside: 0,
    healthy: 0,
    unhealthy: 1,
    paused: false,
  },
};

export const patrol: Probes = section('patrol', {
  active: probe('1s', (settings) => patrols(chain(settings, MINUTE, { deacon: null, instead: unwell }))),
  idle: probe('1m', (settings) => patrols(chain(settings, HOUR, { deacon: null }))),
});
