/**
 * What an orchestrator is told of real agents (M-2, M-3, M-5), and what Tickle does about their silence (T-1, T-2): one worker in each
 * state, in a town that looks every few seconds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { actorOn } from './actor.ts';
import { WITHIN_MS } from './ears.ts';
import { playOne, type Part } from './play-one.ts';
import type { Program, Variant } from './program.ts';
import { PROGRAMS } from './programs.ts';
import type { Stage } from './stage.ts';
import { openTown, type BenchTown } from './town.ts';

/** An answer to a page takes a model's time; the watch of silence is longer than that of what is stuck. */
const SETTINGS = `[watchdog]
poll_interval_secs = 5
stuck_threshold_intervals = 4
[tickle]
threshold = "60s"
scan = "5s"
ack = "90s"
grace = "5s"
`;
/** From when all are in their states: several times what makes a worker stuck, and a page with its answer. */
const WATCH_MS = 110_000;

interface Worker {
  /** What is typed to it; absent = it is left at rest. */
  readonly mode?: string;
  /** What stands on its screen before it counts as being in its state. */
  readonly shows?: (program: Program) => RegExp | null;
  /** Every message that an orchestrator may get of it, and must; an array of arrays where programs differ. */
  readonly told: readonly (readonly string[])[];
  /** Whether Tickle pages it; `either`: programs differ. */
  readonly isPaged?: true | 'either';
  readonly reports?: string;
  /** Programs that have no such state: Codex hands a command back after half a minute. */
  readonly without?: readonly string[];
}

const STAGES: readonly { readonly variant: Variant; readonly workers: Readonly<Record<string, Worker>> }[] = [
  {
    variant: 'ready',
    workers: {
      asks: { mode: 'permission', shows: ({ blocked }) => blocked, told: [['needs_input']] },
      errs: {
        mode: 'error',
        told: [['error'], ['needs_input'], ['error', 'stuck'], ['error', 'error']],
        isPaged: 'either',
      },
      /** opencode ends with an error once it has tried often enough. */
      limited: { mode: 'limit', shows: ({ limit }) => limit, told: [[], ['error']], isPaged: 'either' },
      streams: { mode: 'stream', told: [[]] },
      rests: { told: [['stuck'], ['stuck', 'stuck']], isPaged: true },
      done: { mode: 'prose', told: [['complete']], reports: 'complete', isPaged: true },
    },
  },
  {
    variant: 'trusting',
    workers: {
      tools: { mode: 'tool', told: [[]], without: ['codex'] },
      hangs: { mode: 'hang', told: [['stuck']], isPaged: 'either' },
    },
  },
];

interface Alert {
  readonly msg_type: string;
  readonly payload: Readonly<Record<string, unknown>> & { readonly worker_name: string };
}

/** Bound to one stage with its town. */
interface Watch {
  readonly stage: Stage;
  readonly town: BenchTown;
  readonly workers: Readonly<Record<string, Worker>>;
  readonly say: (line: string) => void;
}

async function begin({ stage, town, workers }: Watch): Promise<string | null> {
  for (const [name, { mode, shows, reports }] of Object.entries(workers)) {
    await town.start(name, stage.program.argv('ready'), { tags: ['worker'] });
    const actor = actorOn(stage, name);
    if (!(await actor.sees(stage.program.ready, WITHIN_MS))) return `the first screen of ${name} never came`;
    if (mode !== undefined) await actor.say(`MODE:${mode}`);
    const shown = shows?.(stage.program) ?? null;
    if (shown !== null && !(await actor.sees(shown, WITHIN_MS))) return `${name} never came into its state`;
    if (reports !== undefined) await town.byAgent(name, 'report-status', reports, '--message', 'all tests pass');
  }
  await town.told('tickle', 'start');
  return null;
}

const messagesOf = (alerts: readonly Alert[], name: string): string[] =>
  alerts.filter(({ payload }) => payload.worker_name === name).map(({ msg_type: type }) => type.replace('worker.', ''));

async function judge({ town, workers, say }: Watch): Promise<string[]> {
  const alerts = await town.told<Alert[]>('alerts', 'poll', '--for', 'orchestrator', '--after', 'none');
  const seen = await town.told<{ worker_name: string; state: string; source: string | null }[]>('workers');
  const pages = await town.told<{ pages: readonly { agent: string }[] }>('tickle', 'status');
  const wrong: string[] = [];
  for (const [name, { told, isPaged }] of Object.entries(workers)) {
    const got = messagesOf(alerts, name);
    const now = seen.find(({ worker_name: worker }) => worker === name);
    const wasPaged = pages.pages.some(({ agent }) => agent === name);
    say(
      `  ${name.padEnd(8)} told ${got.join(', ') || 'nothing'}; ${now?.state ?? 'unseen'} by ${now?.source ?? 'no source'}; ${wasPaged ? 'paged' : 'not paged'}`,
    );
    if (!told.some((right) => right.join() === got.join()))
      wrong.push(
        `${name}: told ${got.join(', ') || 'nothing'}, not ${told.map((one) => one.join() || 'nothing').join(' or ')}`,
      );
    if (isPaged !== 'either' && wasPaged !== (isPaged ?? false))
      wrong.push(`${name} was ${wasPaged ? '' : 'not '}paged`);
  }
  return wrong;
}

async function play(stage: Stage, workers: Watch['workers'], say: (line: string) => void): Promise<string | null> {
  stage.health('prose');
  const played = Object.entries(workers).filter(([, { without }]) => without?.includes(stage.program.id) !== true);
  const watch = { stage, workers: Object.fromEntries(played), say, town: await openTown(stage, SETTINGS) };
  const why = await begin(watch);
  if (why !== null) return why;
  await pause(WATCH_MS);
  return (await judge(watch)).join('; ') || null;
}

/** How many groups of workers were told of wrongly. */
export async function playWorkers(agents: readonly string[], say: (line: string) => void): Promise<number> {
  let wrong = 0;
  const parts = STAGES.map(({ variant, workers }): Part => {
    const as = `as ${Object.keys(workers).join(', ')}`;
    return { variant, as, right: 'each told of as it is', say, play: (stage) => play(stage, workers, say) };
  });
  for (const program of PROGRAMS.filter(({ id }) => agents.includes(id))) wrong += await playOne(program, parts);
  return wrong;
}
