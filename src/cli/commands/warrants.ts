/** `town warrant …`: the warrant's file is durable first, so that it counts with the town down; then a running town is woken. */
import { commandFor } from '../../../machines/sessions/background.ts';
import { REQUESTS } from '../../../machines/protocol/requests.ts';
import { FOLDERS, paths } from '../../../state/files/layout.ts';
import { writeFiles } from '../../../state/files/atomic-write.ts';
import type { Disk } from '../../../state/files/disk.ts';
import { WARRANT, type WarrantFile } from '../../../state/hearings/schemas.ts';
import { wordsFault } from '../../../state/hearings/warrants.ts';
import { mustBeOperator, nameOfCaller, whoCalls } from '../naming/caller.ts';
import { OPERATOR, type Caller } from '../../socket/permission.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { newId, wakeTown } from '../asking/notes.ts';
import { checkUnprotected, knownSession } from '../naming/names.ts';
import { clean, listing, note } from '../../terminal/print.ts';
import { numberOf, resolve, sessionToAct, shortNumbers, type Candidate } from '../naming/resolve.ts';
import { WARRANT_WORDS } from '../story/states.ts';
import { viaText } from '../../journal/via.ts';
import { when } from '../../journal/when.ts';
import { openAgainst, readWarrants, type WarrantView } from '../../overview/records.ts';

export interface FileOptions {
  readonly reason: string;
  readonly by?: string | undefined;
  readonly force?: boolean | undefined;
  /** The id for a caller that may file the same warrant again; absent = a new one. */
  readonly id?: string;
  /** The uuid of the life that is meant; absent = the one that stands. */
  readonly life?: string | undefined;
}

/**
 * The warrant as its file will hold it, bound to the life that the session has now, so that a later life of that name never
 * answers for this one. Throws Failure where no hearing could come of it: no such session, a protected name, no pane to ask in.
 * Writes nothing.
 */
async function warrantOf(context: Context, word: string, options: FileOptions, caller: Caller): Promise<WarrantFile> {
  const settings = await context.settings();
  const session = await sessionToAct(context, word, options.force === true);
  const requester = nameOfCaller(caller, options.by, '--by');
  const fault = wordsFault({ reason: options.reason, requester }, settings.state.maxChars);
  if (fault !== null) {
    const text = `the warrant is refused: ${fault}; write --reason "what it does wrong"`;
    throw new Failure(EXIT.usage, 'bad_warrant', text);
  }
  if (options.force !== true) checkUnprotected(session, settings);
  const { incarnation, spec } = await knownSession(context, session);
  if (incarnation === null) {
    throw new Failure(EXIT.usage, 'not_lived', `${session} has not lived yet; see \`town session status ${session}\``);
  }
  if (options.life !== undefined && incarnation.uuid !== options.life) {
    const why = `the life of ${session} that was heard is over; what runs there now was not heard: town why ${session}`;
    throw new Failure(EXIT.notRunning, 'over', why);
  }
  if (spec.background !== undefined) {
    const why = `${session} has no pane, so the town neither hears nor ends it; its own program does: ${commandFor(spec.background, 'stop').join(' ')}`;
    throw new Failure(EXIT.failed, 'no_pane', why);
  }
  if (options.force === true && incarnation.origin === 'detached') {
    const why = `${session} runs without tmux, so the town ends no agent there; end it yourself: kill ${incarnation.agent.pid}`;
    throw new Failure(EXIT.failed, 'no_pane', why);
  }
  return {
    id: options.id ?? newId('w'),
    target: session,
    reason: options.reason,
    requester,
    filed_at: new Date().toISOString(),
    incarnation,
    force: options.force === true,
    via: caller.is,
  };
}

/** Files a warrant; works with the town down. */
export async function fileWarrant(context: Context, word: string, options: FileOptions): Promise<void> {
  const { warrant, id, later } = await writeWarrant(context, word, options, await whoCalls(context));
  const first =
    options.force === true ? 'no hearing; its work is saved first' : 'a hearing comes first, and an answer pardons it';
  const text = `warrant ${id} against ${warrant.target} is filed: ${first}${later}`;
  context.answer('warrant-filed', { schema: 'warrant/1', ...warrant, id }, text);
}

/** Files a warrant like `fileWarrant`, by the town itself and without an answer. */
export async function fileWarrantFor(context: Context, word: string, options: FileOptions): Promise<void> {
  await writeWarrant(context, word, options, OPERATOR);
}

/** `later`: the end of the answer if the town is down. */
async function writeWarrant(context: Context, word: string, options: FileOptions, caller: Caller) {
  context.existing();
  const warrant = await warrantOf(context, word, options, caller);
  const disk = await context.disk();
  const standing = caller.is === 'agent' ? await openWarrantLike(disk, warrant) : null;
  const { id = '' } = standing ?? warrant;
  if (standing !== null) return { warrant: standing, id, later: '; it stood already' };
  await disk.mkdir(FOLDERS.warrants);
  await writeFiles(disk, [{ path: paths.warrant(id), text: WARRANT.text(warrant) }]);
  const awake = await wakeTown(context, 'warrants');
  return { warrant, id, later: awake ? '' : '; the town is down and takes it up when it starts' };
}

/** The open warrant that this agent filed against the same life before: an agent in a loop files one. null = there is none. */
async function openWarrantLike(disk: Disk, warrant: WarrantFile): Promise<WarrantFile | null> {
  const open = await openAgainst(disk, warrant.incarnation?.uuid ?? '');
  const found = open.find(({ requester, via }) => requester === warrant.requester && via === 'agent');
  if (found === undefined) return null;
  const { id, charge: reason, filed_at } = found;
  return { ...warrant, id, reason, ...(filed_at !== null && { filed_at }) };
}

const filedAt = ({ filed_at: at }: WarrantView): number => (at === null ? NaN : Date.parse(at));

const candidateOf = (value: WarrantView): Candidate<WarrantView> => {
  const { id, target, state } = value;
  const at = filedAt(value);
  return { id, number: numberOf(id), session: target, isOpen: state !== 'closed', at: at || 0, value };
};

const WARRANTS = [
  '#',
  { head: 'ID', drop: 1 },
  'TARGET',
  { head: 'STATE', drop: 3 },
  { head: 'VERDICT', drop: 4 },
  { head: 'REQUESTER', drop: 2 },
  'REASON',
];

export async function listWarrants(context: Context, options: { readonly all?: boolean }): Promise<void> {
  context.existing();
  const { warrants, unreadable } = await readWarrants(await context.disk());
  const shown = options.all === true ? warrants : warrants.filter(({ state }) => state !== 'closed');
  const short = shortNumbers(warrants.map(candidateOf));
  unreadable.forEach(note);
  const row = (w: WarrantView): string[] => {
    return [short(w.id), w.id, w.target, WARRANT_WORDS[w.state], w.verdict ?? '-', w.requester, w.charge];
  };
  context.answer('warrants', shown, listing(shown, 'no warrants', WARRANTS, row));
}

async function warrantCalled(context: Context, word: string): Promise<WarrantView> {
  const { warrants, unreadable } = await readWarrants(await context.disk());
  const kind = { what: 'warrant', list: 'town warrant list --all', code: 'unknown_warrant' };
  try {
    return resolve(word, warrants.map(candidateOf), kind);
  } catch (error) {
    unreadable.forEach(note);
    throw error;
  }
}

export async function showWarrant(context: Context, word: string): Promise<void> {
  context.existing();
  const w = await warrantCalled(context, word);
  context.answer('warrant', w, () => [
    `warrant ${w.id}: ${WARRANT_WORDS[w.state]}${w.verdict === null ? '' : `, ${w.verdict}: ${clean(w.reason)}`}`,
    `  against    ${w.target}`,
    `  because    ${clean(w.charge)}`,
    `  asked by   ${clean(w.requester)}${viaText(w.via, w.requester)}, ${w.filed_at === null ? 'time unknown' : when(w.filed_at)}`,
    ...(w.dance === null ? [] : [`  hearing    ${w.dance} (town dog show ${w.dance})`]),
  ]);
}

export async function cancelWarrant(context: Context, word: string): Promise<void> {
  context.existing();
  await mustBeOperator(context, REQUESTS.cancelWarrant.operator);
  const warrant = await warrantCalled(context, word);
  const { id } = warrant;
  if (warrant.state === 'closed') {
    const text = `warrant ${id} is closed (${warrant.verdict ?? 'no verdict'}); see \`town warrant show ${id}\``;
    throw new Failure(EXIT.failed, 'already_closed', text);
  }
  await context.request({ verb: 'cancelWarrant', id, by: 'operator' });
  context.answer('warrant-cancelled', { id }, `warrant ${id} is cancelled`);
}
