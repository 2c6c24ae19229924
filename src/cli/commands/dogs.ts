/**
 * `town dog …`: the pool, the hearings under way, and one hearing in full. Reads records, so that it works with the town down;
 * only when an open window ends is the running town's own word, since a record is written once a step.
 */
import { shownVerdict } from '../../../machines/hearings/dance.ts';
import { takesSlot } from '../../../machines/hearings/queue.ts';
import type { Dance } from '../../../machines/protocol.ts';
import { savedText } from '../../../machines/hearings/saved-work.ts';
import { danceStateOf, storedDance } from '../../../state/hearings/schemas.ts';
import { createProcesses } from '../../proc/processes.ts';
import type { StatusView } from '../../socket/protocol.ts';
import type { Context } from '../context.ts';
import { poolSize } from '../asking/pool-size.ts';
import { clean, listing, note } from '../../terminal/print.ts';
import { numberOf, resolve, shortNumbers, type Candidate } from '../naming/resolve.ts';
import { readDances, readPending, type StoredRecord } from '../../overview/records.ts';
import { attemptLines } from '../../journal/attempts.ts';
import { intentLines } from '../../journal/intent.ts';
import { hasDog } from '../asking/glance.ts';
import { poolOf, poolText } from '../story/pool.ts';
import { HEARING_WORDS } from '../story/states.ts';
import { viaText } from '../../journal/via.ts';
import { when } from '../../journal/when.ts';

const isListening = ({ value }: StoredRecord<Dance>): boolean => value.stage === 'interrogating.listening';

/** The running town's word; null = no town runs, and then no time runs. */
async function heardBy(context: Context): Promise<StatusView | null> {
  const town = await context.askIfUp((up) => up.status()).catch(unlessSilent);
  return town?.ready === true ? town : null;
}

function unlessSilent(error: unknown): null {
  if (error instanceof Error && error.name === 'TownSilent') return null;
  throw error;
}

function windowEnd(found: StoredRecord<Dance>, town: StatusView | null): string | null {
  const { value } = found;
  if (!isListening(found) || town === null) return null;
  return town.windows.find(({ dance, attempt }) => dance === value.id && attempt === value.attempt)?.ends_at ?? null;
}

const isWithoutDog = (dance: Dance, town: StatusView | null): boolean =>
  town !== null && dance.stage !== 'closed' && takesSlot(dance) && !hasDog(town, dance.id);

/** True of an open hearing for which the running town's pool has no dog. */
export const waitsForDog = async (context: Context, dance: Dance): Promise<boolean> =>
  isWithoutDog(dance, await heardBy(context));

/** The view of one hearing for callers. */
function viewOf(found: StoredRecord<Dance>, town: StatusView | null) {
  const { id, target, warrants, stage, attempt, reason } = found.value;
  const [warrant] = warrants;
  return {
    id,
    warrant: warrant?.id ?? '',
    target: target.session,
    /** The warrant's reason, its requester's name, and who really filed it (law 11); null = not known. */
    charge: warrant?.reason ?? '',
    requester: warrant?.requester ?? '',
    via: warrant?.via ?? null,
    state: danceStateOf(found.value),
    stage,
    attempt,
    /** ISO, if the town sees all the time until then; null = no window is open, or its time does not run now. */
    window_ends_at: windowEnd(found, town),
    /** The running town has no dog for it: its pool is smaller than it was. */
    waits: isWithoutDog(found.value, town),
    verdict: shownVerdict(found.value),
    reason,
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

const dancing = (found: StoredRecord<Dance>): Candidate<StoredRecord<Dance>> => {
  const { id, target, openedAt, stage } = found.value;
  return {
    id,
    number: numberOf(id),
    session: target.session,
    isOpen: stage !== 'closed',
    at: openedAt,
    value: found,
  };
};

/** A hearing, by its own id and by those of its warrants. */
export function danceCandidates(found: StoredRecord<Dance>): readonly Candidate<StoredRecord<Dance>>[] {
  const own = dancing(found);
  const byWarrant = found.value.warrants.map(({ id }) => {
    return { ...own, id, number: numberOf(id), session: null };
  });
  return [own, ...byWarrant];
}

/** The hearing that a word means. Throws Failure; files that do not count are named first, since it may be one of them. */
async function danceCalled(context: Context, word: string): Promise<StoredRecord<Dance>> {
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
  '#',
  'TARGET',
  'STATE',
  { head: 'QUESTION', right: true, drop: 2 },
  { head: 'WINDOW ENDS', drop: 3 },
  { head: 'REQUESTER', drop: 5 },
  { head: 'ID', drop: 4 },
  { head: 'WARRANT', drop: 1 },
  'REASON',
];

export async function dances(context: Context, options: { readonly all?: boolean }): Promise<void> {
  context.existing();
  const { open, closed, unreadable } = await readDances(await context.disk());
  const town = open.length === 0 ? null : await heardBy(context);
  const shown = [...open, ...(options.all === true ? closed : [])].map((found) => viewOf(found, town));
  unreadable.forEach(note);
  const short = shortNumbers([...open, ...closed].map(dancing));
  const row = (d: ReturnType<typeof viewOf>): string[] => [
    short(d.id),
    d.target,
    d.waits ? 'waits for a dog' : (d.verdict ?? HEARING_WORDS[d.state]),
    `${d.attempt}`,
    d.window_ends_at === null ? '-' : when(d.window_ends_at),
    `${d.requester}${viaText(d.via, d.requester)}`,
    d.id,
    d.warrant,
    `${d.charge}${d.reason === '' || d.reason === d.charge ? '' : `; ${d.reason}`}`,
  ];
  context.answer('dances', shown, listing(shown, 'no hearings are under way', DANCES, row));
}

const at = (wall: number | null): string => (wall === null ? 'not yet' : when(wall));

function story(dance: Dance, waits: boolean): string {
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
    `${dance.id}: ${dance.target.session}, ${waits ? 'waits for a dog' : (shownVerdict(dance) ?? HEARING_WORDS[danceStateOf(dance)])}${dance.reason === '' ? '' : `: ${clean(dance.reason)}`}`,
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
  const view = viewOf(found, found.value.stage === 'closed' ? null : await heardBy(context));
  const warrants = found.value.warrants.map((warrant) => ({ ...warrant, via: warrant.via ?? null }));
  const record = { ...storedDance(found.value), warrants };
  context.answer('dance', { ...view, record }, () => story(found.value, view.waits));
}
