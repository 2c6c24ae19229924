/**
 * `town dog …`: the pool, the hearings under way, and one hearing in full. Reads records, so that it works with the town down;
 * only when an open window ends is the running town's own word, since a record is written once a step.
 */
import type { Dance, Via } from '../../../machines/protocol.ts';
import { savedText } from '../../../machines/hearings/saved-work.ts';
import { danceStateOf } from '../../../state/hearings/schemas.ts';
import { createProcesses } from '../../proc/processes.ts';
import type { WindowView } from '../../socket/protocol.ts';
import type { Context } from '../context.ts';
import { poolSize } from '../pool-size.ts';
import { clean, note, table } from '../../terminal/print.ts';
import { numberOf, resolve, shortNumbers, type Candidate } from '../resolve.ts';
import { readDances, readPending, type Found } from '../../overview/records.ts';
import { attemptLines } from '../../journal/attempts.ts';
import { intentLines } from '../../journal/intent.ts';
import { poolOf, poolText } from '../story/pool.ts';
import { viaText } from '../../journal/via.ts';
import { when } from '../../journal/when.ts';

/** One hearing, as callers see it. */
interface DanceView {
  readonly id: string;
  /** Id of the warrant that caused it. */
  readonly warrant: string;
  readonly target: string;
  /** What the target is accused of, and in whose name. */
  readonly charge: string;
  readonly requester: string;
  /** Who filed it, whatever name it was filed in (law 11); null = not known. */
  readonly via: Via | null;
  readonly state: string;
  readonly stage: string;
  readonly attempt: number;
  /** ISO, if the town sees all the time until then; null = no window is open, or its time does not run now. */
  readonly window_ends_at: string | null;
  readonly verdict: string | null;
  readonly reason: string;
}

type Windows = readonly WindowView[];

const isListening = ({ value }: Found<Dance>): boolean => value.stage === 'interrogating.listening';

/** The windows that the running town counts; without one no time runs. */
async function countedBy(context: Context, found: readonly Found<Dance>[]): Promise<Windows> {
  if (!found.some(isListening)) return [];
  const town = await context.askIfUp((up) => up.status()).catch(unlessSilent);
  return town?.ready === true ? town.windows : [];
}

function unlessSilent(error: unknown): null {
  if (error instanceof Error && error.name === 'TownSilent') return null;
  throw error;
}

function windowEnd(found: Found<Dance>, windows: Windows): string | null {
  const { value } = found;
  if (!isListening(found)) return null;
  return windows.find(({ dance, attempt }) => dance === value.id && attempt === value.attempt)?.ends_at ?? null;
}

function viewOf(found: Found<Dance>, windows: Windows): DanceView {
  const { value } = found;
  const warrant = value.warrants[0];
  return {
    id: value.id,
    warrant: warrant?.id ?? '',
    target: value.target.session,
    charge: warrant?.reason ?? '',
    requester: warrant?.requester ?? '',
    via: warrant?.via ?? null,
    state: danceStateOf(value),
    stage: value.stage,
    attempt: value.attempt,
    window_ends_at: windowEnd(found, windows),
    verdict: value.verdict,
    reason: value.reason,
  };
}

export async function pool(context: Context): Promise<void> {
  context.existing();
  const size = await poolSize(context);
  const disk = await context.disk();
  const { open, unreadable } = await readDances(disk);
  const { found } = await readPending(disk);
  const held = new Set(open.flatMap(({ value }) => value.warrants.map(({ id }) => id)));
  const queued = found.filter(({ value }) => value.id === undefined || !held.has(value.id)).length;
  unreadable.forEach(note);
  const dances = open.map(({ value }) => value);
  const data = { ...poolOf(dances, size), queued, dances: dances.map(({ id }) => id) };
  context.answer('dog-pool', data, poolText(data));
}

const dancing = (found: Found<Dance>): Candidate<Found<Dance>> => {
  const { id, target, openedAt, stage } = found.value;
  return {
    ...{ id, number: numberOf(id, openedAt), session: target.session },
    ...{ isOpen: stage !== 'closed', at: openedAt, value: found },
  };
};

/** A hearing, by its own id and by those of its warrants. */
export function danceCandidates(found: Found<Dance>): readonly Candidate<Found<Dance>>[] {
  const own = dancing(found);
  const byWarrant = found.value.warrants.map(({ id, filedAt }) => {
    return { ...own, id, number: numberOf(id, filedAt), session: null };
  });
  return [own, ...byWarrant];
}

/** The hearing that a word means. Throws Failure; files that do not count are named first, since it may be one of them. */
async function danceCalled(context: Context, word: string): Promise<Found<Dance>> {
  const { open, closed, unreadable } = await readDances(await context.disk());
  const kind = { what: 'hearing', list: 'town dog dances --all', code: 'unknown_dance' };
  try {
    return resolve(word, [...closed, ...open].flatMap(danceCandidates), kind);
  } catch (error) {
    unreadable.forEach(note);
    throw error;
  }
}

const DANCES = [
  ...[
    { head: '#' },
    { head: 'TARGET' },
    { head: 'STATE' },
    { head: 'QUESTION', right: true, drop: 2 },
    { head: 'WINDOW ENDS', drop: 3 },
  ],
  ...[{ head: 'ACCUSED BY', drop: 5 }, { head: 'ID', drop: 4 }, { head: 'WARRANT', drop: 1 }, { head: 'CHARGE' }],
];

export async function dances(context: Context, options: { readonly all?: boolean }): Promise<void> {
  context.existing();
  const { open, closed, unreadable } = await readDances(await context.disk());
  const windows = await countedBy(context, open);
  const shown = [...open, ...(options.all === true ? closed : [])].map((found) => viewOf(found, windows));
  unreadable.forEach(note);
  const short = shortNumbers([...open, ...closed].map(dancing));
  const row = (d: DanceView): string[] => [
    short(d.id),
    d.target,
    d.verdict ?? d.state,
    `${d.attempt}`,
    d.window_ends_at === null ? '-' : when(d.window_ends_at),
    `${d.requester}${viaText(d.via, d.requester)}`,
    d.id,
    d.warrant,
    `${d.charge}${d.reason === '' || d.reason === d.charge ? '' : `; ${d.reason}`}`,
  ];
  context.answer('dances', shown, () =>
    shown.length === 0 ? 'no hearings are under way' : table(DANCES, shown.map(row)),
  );
}

const at = (wall: number | null): string => (wall === null ? 'not yet' : when(wall));

function story(dance: Dance): string {
  const tail = (title: string, text: string): string[] =>
    text === ''
      ? []
      : [
          `  ${title}`,
          ...clean(text, 'lines')
            .split('\n')
            .map((line) => `    | ${line}`),
        ];
  return [
    `${dance.id}: ${dance.target.session}, ${dance.verdict ?? danceStateOf(dance)}${dance.reason === '' ? '' : `: ${clean(dance.reason)}`}`,
    ...dance.warrants.map(
      (w) =>
        `  warrant     ${w.id} by ${clean(w.requester)}${viaText(w.via, w.requester)}, ${at(w.filedAt)}: ${clean(w.reason)}`,
    ),
    `  opened      ${at(dance.openedAt)}`,
    ...(dance.closedAt === null ? [] : [`  closed      ${at(dance.closedAt)}`]),
    ...attemptLines(dance).map((line) => `  ${line}`),
    ...(dance.rescue === null ? [] : [`  rescue      ${clean(savedText(dance.rescue))}`]),
    ...intentLines(dance, createProcesses()).map((line) => `  ${line}`),
    ...tail('pane before:', dance.tailBefore),
    ...tail('pane after:', dance.tailAfter),
  ].join('\n');
}

export async function show(context: Context, word: string): Promise<void> {
  context.existing();
  const found = await danceCalled(context, word);
  const windows = context.json ? await countedBy(context, [found]) : []; // the text tells none
  const warrants = found.value.warrants.map((warrant) => ({ ...warrant, via: warrant.via ?? null }));
  const record = { ...found.value, warrants };
  context.answer('dance', { ...viewOf(found, windows), record }, () => story(found.value));
}
