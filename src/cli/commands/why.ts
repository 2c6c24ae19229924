/**
 * `town why`: what happened to a session, or to the work of a bead, as a story of at most ten lines; `--all` has every line of the journal.
 * Of a hearing or a warrant only what belongs to that. Works with the town down.
 */
import { shownVerdict } from '../../../machines/hearings/dance.ts';
import type { Bead } from '../../../machines/ledger/bead.ts';
import { holderOf } from '../../../machines/ledger/changes.ts';
import type { Dance } from '../../../machines/protocol.ts';
import { addressOf, sessionOf, sessionOfAgent } from '../../../machines/rigs/names.ts';
import { readJournal, type WrittenLine } from '../../../state/journal.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import { readDances, readSession, readSessions } from '../../overview/records.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { given } from '../naming/given.ts';
import { beadsOnRecord } from '../asking/titles.ts';
import { checkName, isName, quoteName } from '../naming/names.ts';
import { clean, note, roomOf } from '../../terminal/print.ts';
import { find, sessionsNamed, type Candidate } from '../naming/resolve.ts';
import { attemptLines } from '../../journal/attempts.ts';
import { sentence } from '../../journal/lines.ts';
import { times } from '../../../machines/kernel/span.ts';
import { taleOf, type Told } from '../../journal/tale.ts';
import { danceCandidates, waitsForDog } from './dogs.ts';
import { about, stamp } from '../../journal/when.ts';
import { FAILED, restLeft } from '../../ledger/attempts.ts';
import { subjectIn } from '../../ledger/escalations.ts';
import { openRequestOf, openText, saysClosed, waitingText } from '../../rigs/pull-request.ts';
import { agedBy } from '../asking/aged.ts';
import { glance } from '../asking/glance.ts';
import { readSince } from '../story/since.ts';
import { laidOut, whyText } from '../story/why-text.ts';

const DAY_MS = 86_400_000;
/** The number of questions shown: the last ones of a hearing with more windows than usual. */
const MAX_QUESTIONS = 4;

export interface WhyOptions {
  readonly since?: string;
  readonly all?: boolean;
}

/** The session it is about; `hearing`: only this hearing of it. A bead has no session. */
interface About {
  readonly session: string;
  readonly hearing: Dance | null;
}

export async function why(context: Context, called: string, options: WhyOptions): Promise<void> {
  context.existing();
  const word = await sessionCalled(context, called, options);
  const { session, hearing } = await aboutOf(context, word, options);
  const disk = await context.disk();
  const whole = await linesOf(context, options, session);
  const record = await readSession(disk, session);
  if (whole.length === 0 && record === null && hearing === null) {
    if (await whyBead(context, word, options)) return;
    const asked = await subjectOfQuestion(context, word, options);
    if (typeof asked === 'string') return why(context, asked, options);
    if (asked === null) {
      const text = `question ${quoteName(word)} is about no session and no bead; see \`town questions\``;
      throw new Failure(EXIT.usage, 'no_subject', text);
    }
    checkName(called);
    const text = `nothing is known of a session ${session}; see \`town session list\``;
    throw new Failure(EXIT.usage, 'unknown_session', text);
  }
  const lines = hearing === null ? whole : whole.filter((line) => belongsTo(line, hearing));
  const { open } = await readDances(disk);
  const underWay = open.find(({ value }) => value.target.session === session)?.value;
  const story = hearing === null ? taleOf(lines) : [];
  const now = [
    ...(await hooksOf(context, session)),
    ...(record === null
      ? []
      : [
          `now: ${session} is ${record.state.replace('_', ' ')}${['', record.state].includes(record.note) ? '' : `: ${clean(record.note)}`}`,
          ...(await seenNow(context, session)),
        ]),
    ...(underWay === undefined
      ? []
      : [`now: ${session} ${await heardText(context, underWay)} (town dog show ${underWay.id})`]),
  ];
  const data = { session, state: record?.state ?? null, dance: (hearing ?? underWay)?.id ?? null, story };
  tell(context, data, { lines, now, word, hearing, isWhole: options.all === true });
}

/** What its agent asks, and the work that waits for it, as the running town sees them. */
async function seenNow(context: Context, session: string): Promise<string[]> {
  const { town, overview } = await glance(context);
  if (town === null) return [];
  const asked = overview.sessions?.find(({ name }) => name === session)?.asks ?? null;
  const [first, ...more] = (town.sends ?? []).filter((one) => one.session === session);
  const waits = first === undefined ? '' : clean(first.waits ?? 'it is typed next');
  return [
    ...(asked === null ? [] : [`now: it asks: ${clean(asked)} (town questions)`]),
    ...(first === undefined
      ? []
      : [`now: ${times(1 + more.length, 'piece')} of work waits to be typed: ${waits} (town send --list)`]),
  ];
}

interface Page {
  readonly lines: readonly WrittenLine[];
  readonly now: readonly string[];
  readonly word: string;
  readonly hearing: Dance | null;
  readonly isWhole: boolean;
}

function tell(context: Context, data: { readonly story: readonly Told[] }, page: Page): void {
  const { lines, now, word, hearing } = page;
  const events = lines.map((line) => ({ at: line.at, kind: line.kind, text: sentence(line), line }));
  const wall = Date.now();
  context.answer('why', { ...data, events }, () => {
    const room = roomOf();
    const plain = now.map((text) => ['', text] as const);
    if (page.isWhole)
      return laidOut([...events.map(({ at, text }) => [`${stamp(at, wall)}  `, text] as const), ...plain], room);
    if (hearing === null) return whyText({ story: data.story, now, word, wall }, room);
    return laidOut([...hearingLines(hearing).map((text) => ['', text] as const), ...plain], room);
  });
}

const heardText = async (context: Context, dance: Dance): Promise<string> =>
  (await waitsForDog(context, dance)) ? 'waits for a dog to be heard' : `is heard, question ${dance.attempt}`;

/** The journal's lines about one session; without one, all lines. */
async function linesOf(context: Context, { since: asked }: WhyOptions, session?: string): Promise<WrittenLine[]> {
  const { state } = await context.settings();
  const since = Date.now() - (asked === undefined ? state.journalDays * DAY_MS : readSince(asked));
  const filter = { ...given({ session }), since, onUnreadable: note };
  const lines: WrittenLine[] = [];
  for await (const line of readJournal(await context.disk(), filter)) lines.push(line);
  return lines;
}

/** The beads on the hook of this session's polecat, a line each. */
async function hooksOf(context: Context, session: string): Promise<string[]> {
  const records = new RigRecords({ disk: await context.disk() });
  const own = (await records.polecats()).found.filter((one) => one.bead !== null && sessionOf(one) === session);
  const found = await beadsOnRecord(
    context,
    own.flatMap(({ bead }) => bead ?? []),
  );
  const beads = new Map(found.map((bead) => [bead.id, bead]));
  const lines = own.map(async (record) => {
    const bead = beads.get(record.bead ?? '');
    const isHeld = bead === undefined || (bead.assignee === addressOf(record) && bead.status !== 'closed');
    return isHeld
      ? `now: ${record.bead} is on its hook (town why ${record.bead})`
      : `now: ${await standingOf(context, bead)}`;
  });
  return Promise.all(lines);
}

/** The session or bead that an open question of this number is about; null = it is about none, undefined = there is no such question. */
async function subjectOfQuestion(
  context: Context,
  word: string,
  options: WhyOptions,
): Promise<string | null | undefined> {
  if (!/^q?\d+$/i.test(word)) return undefined;
  const { findQuestion } = await import('../story/find-question.ts');
  const found = await findQuestion(context, word);
  if (found === undefined) return undefined;
  const isBead = found.kind !== 'alert' && found.kind !== 'letter';
  const { kind, session, id } = found;
  // A case outlives its agent.
  const isOver = kind === 'case' && session !== null && !(await isKnown(context, session, options));
  return isOver ? id : (session ?? (isBead ? id : null));
}

const isKnown = async (context: Context, session: string, options: WhyOptions): Promise<boolean> =>
  (await readSession(await context.disk(), session)) !== null || (await linesOf(context, options, session)).length > 0;

/** Of an escalation what became of the bead that it is about. False = nothing is known of such a bead. */
async function whyBead(context: Context, id: string, options: WhyOptions): Promise<boolean> {
  const [bead] = await beadsOnRecord(context, [id]);
  const lines = (await linesOf(context, options)).filter(({ about }) => about === id);
  if (bead === undefined && lines.length === 0) return false;
  const subject = bead === undefined ? null : subjectIn(bead);
  if (subject !== null && (await whyBead(context, subject, options))) return true;
  const story = taleOf(lines);
  const now = bead === undefined ? [] : [`now: ${await standingOf(context, bead)}`];
  const data = { session: null, state: bead?.status ?? null, dance: null, story };
  tell(context, data, { lines, now, word: id, hearing: null, isWhole: options.all === true });
  return true;
}

async function standingOf(context: Context, bead: Bead): Promise<string> {
  const { id, title, status, assignee, attempts, closeReason } = bead;
  const whose = assignee === '' ? '' : `, of ${assignee}`;
  const { attemptsAt } = await import('../story/gather-work.ts');
  // As the report counts them: the last one may have succeeded, or be under way.
  const count = (await attemptsAt(await context.disk(), [bead])).get(id)?.count ?? attempts;
  const tried = holderOf(bead) !== null ? inAttempt(count) : count === 0 ? '' : `, after ${times(count, 'attempt')}`;
  const text = `${id} (${title}) is ${status.replace('_', ' ')}${whose}${tried}${closeReason && `: ${closeReason}`}`;
  return `${clean(text)}${await mergeText(context, bead)}${await nextAttempt(context, bead)}`;
}

const inAttempt = (count: number): string => (count <= 1 ? '' : `, in attempt ${String(count)}`);

/** What work waits for that lies with the refinery, as the end of a sentence. */
async function mergeText(context: Context, bead: Bead): Promise<string> {
  const disk = await context.disk();
  const opened = await openRequestOf(disk, bead);
  if (opened === null) {
    const waiting = await waitingText(disk, bead);
    return waiting === null ? '' : `; ${clean(waiting)}`;
  }
  const { alerts } = (await glance(context)).overview;
  const closed = alerts?.find(({ episode }) => saysClosed(episode, bead));
  return `; ${clean(closed?.text ?? openText(opened))}`;
}

/** The time at which the town gives the work out again, as the end of a sentence. */
async function nextAttempt(context: Context, bead: Bead): Promise<string> {
  const { id, status, labels, assignee } = bead;
  if (status === 'blocked' && labels.includes(FAILED))
    return `; no attempt follows by itself: town deacon redispatch ${id}`;
  if (status !== 'open' || assignee !== '') return '';
  const { redispatchCooldownMs } = (await context.settings()).patrols.patrol;
  const restMs = await agedBy(context, () => Promise.resolve(restLeft(bead, Date.now(), redispatchCooldownMs)));
  if (restMs === null) return '';
  return restMs === 0
    ? '; the next attempt begins once a patrol has a free polecat for it'
    : `; the next attempt begins in ${about(restMs)} at the earliest`;
}

/**
 * Of an address its session; of a bare word that names no session and is one polecat's name that one's, also where it is gone. Throws
 * Failure (2) where polecats of several rigs have that name.
 */
async function sessionCalled(context: Context, word: string, options: WhyOptions): Promise<string> {
  const disk = await context.disk();
  const { found: rigs } = await new RigRecords({ disk }).rigs();
  if (!isName(word) || rigs.length === 0 || (await readSession(disk, word)) !== null) return sessionOfAgent(word);
  const named = rigs.map(({ name: rig }) => sessionOf({ rig, name: word }));
  const known = new Set((await readSessions(disk)).found.map(({ value }) => value.spec.name));
  const living = named.filter((session) => known.has(session));
  const told = living.length > 0 ? null : new Set((await linesOf(context, options)).map(({ session }) => session));
  const [first = sessionOfAgent(word), ...others] =
    told === null ? living : named.filter((session) => told.has(session));
  if (others.length === 0) return first;
  const text = `${quoteName(word)} may be any of ${[first, ...others].join(', ')}; write one of these`;
  throw new Failure(EXIT.usage, 'ambiguous', text);
}

/** A session that is known by its whole name comes first, also one of which only the journal tells. Throws Failure (2) for several. */
async function aboutOf(context: Context, word: string, options: WhyOptions): Promise<About> {
  const plain = { session: word, hearing: null };
  const disk = await context.disk();
  const sessions = (await readSessions(disk)).found.map(({ value }) => value.spec.name);
  if (sessions.includes(word)) return plain;
  if (isName(word) && (await linesOf(context, options, word)).length > 0) return plain;
  const { open, closed } = await readDances(disk);
  const hearings = [...closed, ...open]
    .flatMap(danceCandidates)
    .map((one): Candidate<string> => ({ ...one, session: null, value: `hearing ${one.value.value.id}` }));
  const all = [...sessionsNamed(sessions).map((one) => ({ ...one, value: `session ${one.id}` })), ...hearings];
  const kind = { what: 'session or hearing', list: 'town session list', code: 'unknown_session' };
  const [what, id] = find(word, all, kind)?.split(' ') ?? [];
  if (what === 'session' && id !== undefined) return { session: id, hearing: null };
  const hearing = [...closed, ...open].find(({ value }) => value.id === id)?.value;
  return hearing === undefined ? plain : { session: hearing.target.session, hearing };
}

const belongsTo = ({ dance, warrant }: WrittenLine, { id, warrants }: Dance): boolean =>
  dance === id || warrants.some((one) => one.id === warrant);

/** Who filed a warrant, each question, how it came out. */
function hearingLines(dance: Dance): string[] {
  const { id, warrants, reason } = dance;
  const verdict = shownVerdict(dance);
  return [
    ...warrants.slice(0, 2).map((one) => `${clean(one.requester)} filed a warrant: ${clean(one.reason)}`),
    ...attemptLines(dance).slice(-MAX_QUESTIONS),
    ...(verdict === null ? [] : [`${verdict.replace('_', ' ')}: ${clean(reason)}`]),
    `in full: town dog show ${id}`,
  ];
}
