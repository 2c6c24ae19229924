/** [watchdog]: the worker monitor in virtual time, and which sessions it takes for workers. */
import { watchdogSession } from '../../../src/monitor/session.ts';
import { presetCommand, presetsText } from '../../../src/config/presets.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { POLICY } from '../../../machines/policy.ts';
import { isWorker } from '../../../src/monitor/workers.ts';
import { MonitorTown, ORCHESTRATOR, worker } from '../../monitor/town.ts';
import { Drive, townInput, WALL } from '../../world/drive.ts';
import { HOUR, MINUTE, probe, section, SECOND, type Probes } from './probe.ts';

const HALF_HOUR = 30 * MINUTE;

/** One worker that stands still, for so long. */
function still({ policy }: Settings, ms: number, orchestrators = [ORCHESTRATOR]): MonitorTown {
  const town = new MonitorTown(policy.monitor);
  town.orchestrators = orchestrators;
  town.show(1, worker(1, { lines: Array.from({ length: 50 }, (_, at) => `line ${at}`) }));
  town.drive.run(ms);
  return town;
}
/** A letter that is urgent, needs a response and stays where it is, for so long. */
function unreadMail({ policy }: Settings, ms: number): Drive {
  const letter = {
    address: 'builder',
    session: 'builder',
    id: 'm-1',
    from: 'mayor',
    subject: 's',
    sentAt: WALL,
    isUrgentUnread: true,
    isUnanswered: true,
  };
  const input = townInput({ ...POLICY, monitor: policy.monitor }, { monitors: true });
  const drive = new Drive([{ lookAtMail: { type: 'MAIL_SEEN', letters: [letter] } }], { input });
  drive.run(ms);
  return drive;
}
/** A worker that reports another status each second, for a minute. */
function reporting({ policy }: Settings): MonitorTown {
  const town = still({ policy } as Settings, 30 * SECOND);
  for (let n = 0; n < 60; n += 1) {
    town.report(1, n % 2 === 0 ? 'error' : 'complete');
    town.drive.run(SECOND);
  }
  return town;
}
const takes = ({ policy }: Settings, name: string, tag: string): boolean =>
  isWorker({ name, tags: [tag] }, policy.monitor);

export const monitor: Probes = section('watchdog', {
  poll_interval_secs: probe('10', (settings) => still(settings, 10 * MINUTE).drive.given('pollWorkers').length),
  stuck_threshold_intervals: probe('5', (settings) => still(settings, 140 * SECOND).types),
  worker_tags: probe('crew', (settings) => takes(settings, 'builder', 'crew')),
  worker_pattern: probe('.*-worker$', (settings) => takes(settings, 'builder', 'worker')),
  orchestrator_tag: probe('boss', (settings) => still(settings, 10 * MINUTE).letters.map(({ to }) => to)),
  output_preview_lines: probe('2', (settings) => still(settings, 10 * MINUTE).letters.map(({ payload }) => payload)),
  nudge_every: probe('5m', (settings) => {
    const town = still(settings, 0);
    town.obstacle = { kind: 'busy', what: 'a draft' };
    town.drive.run(9 * MINUTE);
    return town.nudges.length;
  }),
  reports_per_hour: probe('4', (settings) => reporting(settings).types.length),
  reports_every: probe('20s', (settings) => reporting(settings).drive.given('pollWorkers').length),
  mail_every: probe('10m', (settings) => unreadMail(settings, HOUR).given('lookAtMail').length),
  urgent_unread: probe('2h', (settings) => unreadMail(settings, HOUR).alerts),
  unanswered: probe('10m', (settings) => unreadMail(settings, HALF_HOUR).alerts),
  unread: probe('1m', (settings) => still(settings, 5 * MINUTE, []).drive.alerts),
});

export const monitorMode: Probes = section('monitor', {
  mode: probe(
    [{ presets: { watchdog: {} } }, { monitor: { mode: 'session' }, presets: { watchdog: {} } }],
    (settings) => [watchdogSession(settings).map(({ name }) => name), still(settings, 10 * MINUTE).types],
  ),
});

const preset = (key: string, value: unknown, decides: (settings: Settings) => unknown): Probes => {
  const [outer = '', inner] = key.split('.');
  const table = inner === undefined ? { [outer]: value } : { [outer]: { [inner]: value } };
  return { [`presets.*.${key}`]: probe([{ presets: { it: {} } }, { presets: { it: table } }], decides) };
};
const commandOf = (settings: Settings): unknown => presetCommand(settings, 'it');
export const presets: Probes = {
  ...preset('harness', 'codex', commandOf),
  ...preset('description', 'a test', presetsText),
  ...preset('config.model', 'haiku', commandOf),
  ...preset('config.dangerously_skip_permissions', true, commandOf),
};
