/** The times of a demo: life's own, divided by the speed, and the limits under which it ends either way. Pure. */
import { HANDS, PROCESS } from '../ports/policy.ts';
import { POLICY } from '../../machines/policy.ts';
import type { Ms } from '../../machines/protocol.ts';
import { formatDuration } from '../config/duration.ts';

/** Windows of 2, 4 and 8 s: long enough to be watched, and the whole ends within a minute on any machine. */
export const SPEED = 30;
/** Faster than this a window is shorter than two looks of a busy machine. */
export const MAX_SPEED = 60;
/** Everything but the windows: starting eight processes, a kill, a recovery, on a machine that is busy with much else. */
const AROUND_MS = 180_000;
/** How much longer the windows may last than they say: time in which the town was blind does not count. */
const STRETCH = 1.5;
/** A question that cannot be typed for so long is a broken tmux, and the demo says so soon. */
const UNDELIVERABLE_MS = 10_000;
/** A restart that can be watched. */
const BACKOFF_MS = 500;
/** A patrol looks this often: it costs a git or two for each polecat. */
const PATROL_MS = 1_000;
/** What the machine needs for a look, a sample or a save, however fast the demo is. */
const MIN_MS = 250;

/** Processes that wait for each core while the windows of `SPEED` are still longer than the looks of that machine take. */
const LOAD_AT_SPEED = 4;
/** Windows of 10, 20 and 40 s: the town's own time is 7 minutes. */
const MIN_SPEED = 6;

/**
 * As fast as it can be watched where less is to be done than there are cores. Beyond `LOAD_AT_SPEED` a look takes longer by each process that
 * waits, and the windows last longer with it: two hearings have to be seen in the same question.
 */
export function speedFor(load: number, cores: number): number {
  if (load < cores) return MAX_SPEED;
  return Math.max(MIN_SPEED, Math.round((SPEED * LOAD_AT_SPEED) / Math.max(LOAD_AT_SPEED, load / cores)));
}

/** In CPU ms per s: no machine has a hundred cores for one agent. */
const NO_CPU = 100_000;

/** The view and the acts look at the records this often. */
export const LOOK_EVERY_MS = 200;
/** Limit for a town to come up: only a very busy machine needs so long. */
const READY_MS = 45_000;
/** A command of the town; `up` has its own, shorter limit. */
export const COMMAND_MS = 60_000;

const scaled = (ms: Ms, speed: number): Ms => Math.max(MIN_MS, Math.round(ms / speed));

export const windowsOf = (speed: number): Ms[] => POLICY.dance.windowsMs.map((ms) => Math.round(ms / speed));

/** The demo ends after this at the latest, red. */
export const longestMs = (speed: number): Ms =>
  AROUND_MS + STRETCH * windowsOf(speed).reduce((sum, windowMs) => sum + windowMs, 0);

const durationText = (ms: Ms): string => JSON.stringify(formatDuration(ms));

/** The town.toml of a demo. `socket`: absolute path of a tmux socket of its own. */
export function configOf(speed: number, socket: string): string {
  return [
    `# A demo at speed ${speed}: the times of life, divided.`,
    '[tmux]',
    `socket = ${JSON.stringify(socket)}`,
    '[dance]',
    `windows = [${windowsOf(speed).map(durationText).join(', ')}]`,
    `term_grace = ${durationText(scaled(POLICY.dance.termGraceMs, speed))}`,
    '[patrol]',
    `active = ${durationText(PATROL_MS)}`,
    `idle = ${durationText(PATROL_MS)}`,
    '',
  ].join('\n');
}

/** What `$TOWN_NUMBERS` names in a demo: constants of life, divided too, which are no keys of town.toml. */
export function numbersOf(speed: number): string {
  const { dance } = POLICY;
  return [
    '[dance]',
    `look_every = ${durationText(Math.min(dance.lookEveryMs, scaled(dance.lookEveryMs, speed)))}`,
    `retry = ${durationText(scaled(dance.retryMs, speed))}`,
    `save_every = ${durationText(scaled(dance.saveEveryMs, speed))}`,
    `undeliverable = ${durationText(UNDELIVERABLE_MS)}`,
    '[sessions]',
    `backoff = ${durationText(BACKOFF_MS)}`,
    '[patrol]',
    `redispatch_cooldown = ${durationText(BACKOFF_MS)}`,
    '[process]',
    `restart = ${durationText(scaled(PROCESS.restartMs, speed))}`,
    `ready = ${durationText(READY_MS)}`,
    '[witness]',
    'start_grace = "1ms"',
    '[hands]',
    `evidence_after = ${durationText(scaled(HANDS.evidenceAfterMs, speed))}`,
    '# A player that starts `town alive` shows life by that alone, and it is its answer that is to be seen.',
    `cpu_above = ${NO_CPU}`,
    '',
  ].join('\n');
}
