/** What a witness sees of its rig: its records, its mail, its ledger and git, asked in one go. The caller holds the rig's lock. */
import type { RigSeen, RigTrouble } from '../../../machines/patrols/observation.ts';
import type { Ms } from '../../../machines/protocol.ts';
import type { StandKind } from '../../../machines/patrols/stands.ts';
import { MAYORS, sessionOf } from '../../../machines/rigs/names.ts';
import { isHalfMade, type PolecatRecord } from '../../../machines/rigs/records.ts';
import { judgesMerge } from '../../../machines/witness/authority.ts';
import type { Policies } from '../../../machines/witness/cycle.ts';
import type { WitnessSeen } from '../../../machines/witness/observation.ts';
import type { Disk } from '../../../state/files/disk.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import type { Reports } from '../../../state/monitor/reports.ts';
import type { Mailbox } from '../../../state/mail/mailbox.ts';
import { RIG_WORK } from '../../rigs/policy.ts';
import type { Standing } from '../../rigs/sessions.ts';
import { undecidedCases } from '../../triage/requests.ts';
import { lettersOf, type Mail } from './letters.ts';
import { witnessOf } from '../memory/evidence.ts';
import { polecatViews, type Looking } from './polecats.ts';
import { handedOf, requestsIn, type Request } from './refinery-work.ts';
import { refinerySeen, type RefineryLook } from './refinery.ts';
import { withRestored } from './restored-work.ts';
import { laterIn } from './later.ts';
import { answerLately, lostIn, type Pace } from './lost.ts';
import { olderOf } from '../memory/escalations.ts';
import type { Trees } from './trees.ts';
import { markUnread } from './due-work.ts';
import { attemptsOf, overdueGates, wispsOf, workOf } from './work.ts';

export interface SurveyDeps {
  readonly rig: string;
  /** Its repository. */
  readonly repo: string;
  readonly ledger: Ledger;
  readonly disk: Disk;
  /** Wall ms. */
  readonly now: number;
  /** The witness's mailbox. */
  readonly own: Mailbox;
  /** Letters that it handled in this hour, by sender (W-1). */
  readonly handled: Readonly<Record<string, number>>;
  /** A caller wants this look: the remote is asked now, not at its own pace. */
  readonly isAsked: boolean;
  /** Kinds of alerts that stand. */
  readonly stands: readonly string[];
  readonly polecats: readonly PolecatRecord[];
  readonly trees: Trees;
  readonly policies: Policies;
  /** What a polecat runs; null = no work is given out. */
  readonly agent: readonly string[] | null;
  readonly maxPolecats: number;
  /** Puts on record that the session of one whose making was cut off was started. */
  readonly begun: (record: PolecatRecord) => Promise<unknown>;
  readonly doneCheck: Looking['doneCheck'];
  /** The command of the rig's refinery, null = it names none; why its program is not found, null = it is; and its mailbox. */
  readonly refinery: Pick<RefineryLook, 'command' | 'missing'> & { readonly box: Mailbox };
  /** Of a session on record, the life that it has or had last. */
  readonly lifeOf: Looking['lifeOf'];
  readonly reports: Pick<Reports, 'of'>;
  /** How all sessions are, in one look. */
  readonly standings: () => Promise<(name: string) => Standing>;
  /** How far the Deacon is past its due beat; null = not late, or unknown. */
  readonly deaconLateMs: number | null;
}

/** What a witness sees of its rig now. */
export async function survey(deps: SurveyDeps): Promise<WitnessSeen> {
  const seen = await observe(deps);
  // Cut off after its start: it lives, so that it is whole.
  for (const record of deps.polecats.filter(isHalfMade))
    if (seen.polecats.some(({ name, session }) => name === record.name && session === 'alive'))
      await deps.begun(record);
  return seen;
}

const TROUBLES = ['remote-changed', 'other-town'] as const satisfies readonly StandKind[];
const SHADOWS: StandKind = 'ref-shadows';

/** Nothing is asked for a rig that rests. What stands stands until it is known to be over. */
async function troubleOf({ trees, stands }: SurveyDeps, rests: boolean): Promise<RigTrouble | null> {
  const is = TROUBLES.find((one) => stands.includes(one));
  if (rests && is === undefined) return null;
  const text = 'whether its remote is the one on record cannot be told';
  return trees.trouble().catch(() => (is === undefined ? null : { is, text }));
}

/** null = git does not tell now. */
const returnedIn = ({ trees }: SurveyDeps): Promise<WitnessSeen['returned']> =>
  trees.returned().then(
    (found) => found.map(({ before: commit, text }) => ({ commit, text })),
    () => null,
  );

/** What stands is soon over. */
export const shadowsLately = answerLately(
  ({ trees }: Pace & Pick<SurveyDeps, 'stands'> & { readonly trees: Pick<Trees, 'shadows'> }) => trees.shadows(),
  ({ stands }) => (stands.includes(SHADOWS) ? RIG_WORK.lostForMs : RIG_WORK.mainEveryMs),
);

const AWAY: StandKind = 'remote-away';

/** What stands was away so long before; a process that has not asked the remote yet does not know it. */
const awayIn = async ({ trees, policies, stands }: SurveyDeps): Promise<Pick<WitnessSeen, 'away'>> => {
  const { mergePollMs, remoteAwayMs } = policies.witness;
  const isStanding = stands.includes(AWAY);
  const away = await trees.away(mergePollMs, isStanding).catch(() => null);
  if (away === null) return {};
  return { away: { ms: isStanding ? Math.max(away.ms, remoteAwayMs) : away.ms, why: away.why } };
};

/** Nothing is asked for a rig that rests, unless an alert stands. */
const shadowsIn = (deps: SurveyDeps, rests: boolean): Promise<WitnessSeen['shadows']> =>
  rests && !deps.stands.includes(SHADOWS) ? Promise.resolve(null) : shadowsLately(deps);

const mainSeen = async (
  deps: SurveyDeps,
  rests: boolean,
): Promise<Pick<WitnessSeen, 'away' | 'returned' | 'lost' | 'later' | 'shadows'>> => ({
  returned: await returnedIn(deps),
  lost: await lostIn(deps),
  // After it: that one fetches.
  later: await laterIn(deps),
  shadows: await shadowsIn(deps, rests),
  ...(await awayIn(deps)),
});

const decidedIn = async (ledger: Ledger, name: string): Promise<string[]> =>
  (await undecidedCases(ledger)).flatMap(({ rig, state, agent }) =>
    rig === name && state === 'resolved' && agent !== '' ? [agent] : [],
  );

/** The letters of this cycle, and what waits of them: a sender has so many in an hour. */
async function lettersIn(deps: SurveyDeps): Promise<Pick<WitnessSeen, 'letters' | 'shelf'>> {
  const { new: fresh, cur, later, aside } = await deps.own.still(deps.now).counts();
  const { policies } = deps;
  const handled = new Map(Object.entries(deps.handled));
  if (fresh + cur + later === 0) return { letters: [], shelf: { aside, later, handled } };
  const hasBudget = ({ from }: { from: string }): boolean => (handled.get(from) ?? 0) < policies.witness.lettersPerHour;
  const heir = policies.witness.mode === 'session';
  const letters = await lettersOf({ ...deps, lifeOf: uuidOf(deps), box: deps.own, heir, hasBudget });
  return { letters, shelf: { aside, later, handled } };
}

/** What the disk cannot tell is no word of an agent. */
async function wordsIn({ lifeOf, reports: all, polecats, doneCheck }: SurveyDeps) {
  const reports: Looking['reports'] = await all.of(polecats.map(sessionOf)).catch(() => new Map<string, never>());
  return { lifeOf, reports, doneCheck };
}

const uuidOf =
  ({ lifeOf }: Pick<SurveyDeps, 'lifeOf'>): Mail['lifeOf'] =>
  async (session) =>
    (await lifeOf(session))?.uuid ?? null;

/** Where no agent is configured, nothing is given out. */
async function workIn(deps: SurveyDeps, everyMs: Ms) {
  const { ledger, disk, rig, now, trees, policies, agent, maxPolecats } = deps;
  const most = agent === null ? 0 : maxPolecats;
  const work = await withRestored({ ledger, disk, rig, now, trees, everyMs }, await workOf(ledger, rig, now));
  return markUnread(work, { disk, rig, policy: policies.patrol, most });
}

const refineryIn = (deps: SurveyDeps, standing: RefineryLook['standing'], requests: readonly Request[]) =>
  refinerySeen({ ...deps, ...deps.refinery, standing, cases: () => undecidedCases(deps.ledger) }, requests);

async function observe(deps: SurveyDeps): Promise<WitnessSeen> {
  const { rig: name, now, polecats: records, trees, ledger, disk, policies } = deps;
  const wisps = await wispsOf(ledger, name, now, uuidOf(deps));
  const { letters, shelf } = await lettersIn(deps);
  const requests = await requestsIn(deps.refinery.box, name);
  const everyMs = deps.isAsked ? 0 : policies.witness.mergePollMs;
  const work = await workIn(deps, everyMs);
  const isCalm = [records, requests, letters, wisps].every(({ length }) => length === 0);
  const standing = isCalm ? () => 'unknown' as const : await deps.standings();
  const looking: Looking = {
    trees,
    ledger,
    disk,
    now,
    standing,
    policy: policies.witness,
    ...(await wordsIn(deps)),
    withinMs: policies.patrol.crashLoopWithinMs,
    stillMs: Math.min(policies.witness.nudgeAfterMs, policies.witness.hookNudgeMs),
    mustJudge: new Set([
      ...wisps.map(({ polecat }) => polecat),
      ...letters.flatMap(({ message, sender }) => [message?.polecat, sender.polecat]),
    ]),
  };
  const handed = await handedOf({
    ledger,
    disk,
    rig: name,
    now,
    trees,
    requests,
    everyMs,
    isAsked: (one) => letters.some((letter) => judgesMerge(letter, one)),
  });
  const views = await polecatViews(looking, records);
  const rig: RigSeen = {
    name,
    hasAgent: deps.agent !== null,
    maxPolecats: deps.maxPolecats,
    trouble: await troubleOf(deps, isCalm && work.length === 0),
    workers: views.map(({ worker }) => worker),
    work,
    attempts: await attemptsOf(ledger, witnessOf(name), now),
  };
  return {
    rig,
    polecats: views.map(({ polecat }) => polecat),
    wisps,
    letters,
    shelf,
    handed,
    ...(await mainSeen(deps, isCalm && work.length === 0)),
    deaconLateMs: deps.deaconLateMs,
    hasMayor: MAYORS.some((name) => standing(name) === 'lives'),
    refinery: await refineryIn(deps, standing, requests),
    overdue: await overdueGates(ledger, name, now),
    older: await olderOf(deps),
    decided: records.length === 0 ? [] : await decidedIn(ledger, name),
  };
}
