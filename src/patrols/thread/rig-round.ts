/** What a witness's orders do in a rig, under the rig's lock: a look, and acts. */
import { sessionOfAgent } from '../../../machines/rigs/names.ts';
import type { RigRecord } from '../../../machines/rigs/records.ts';
import type { Disk } from '../../../state/files/disk.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { ifUnread } from '../../../state/files/strict-read.ts';
import { Reports } from '../../../state/monitor/reports.ts';
import { workOn } from '../../../state/rigs/work.ts';
import { readNote } from '../../../state/watchdog/records.ts';
import type { Settings } from '../../config/settings.ts';
import { Onlooker } from '../../overview/onlooker.ts';
import { missingCommand } from '../../overview/program.ts';
import { readSession } from '../../overview/records.ts';
import { choicesOf } from '../../rigs/choices.ts';
import { age } from '../../ports/age.ts';
import { startTown } from '../../proc/beside.ts';
import { createProcesses } from '../../proc/processes.ts';
import { beadsCalled } from '../../ledger/walk.ts';
import { holding } from '../../rigs/lock.ts';
import { dropMerged } from '../../rigs/earlier-branches.ts';
import { followHooks } from '../../rigs/hook-following.ts';
import type { TownClient, Standing } from '../../rigs/sessions.ts';
import { noteBegun, spawn } from '../../rigs/spawn.ts';
import type { Case, Yard } from '../../rigs/yard.ts';
import { shortOfMemory } from '../../sessions/obstacle.ts';
import { answerIn } from '../../terminal/failure.ts';
import { askForEnd } from '../witness/ends.ts';
import { freeName } from '../witness/free-name.ts';
import type { OrderedAct } from '../../../machines/witness/acting.ts';
import type { WitnessSeen } from '../../../machines/witness/observation.ts';
import { carryOutAll, type ActDeps } from '../witness/acts.ts';
import { polecatDeps } from '../witness/polecat-deps.ts';
import { putAwayCutOff } from '../memory/digest.ts';
import { survey, type SurveyDeps } from '../witness/survey.ts';
import type { WitnessAct } from '../memory/outcome.ts';
import { tellPerson } from '../deacon/news.ts';
import { boxAt, mailboxIn } from '../witness/post.ts';
import { startRefinery } from '../witness/refinery.ts';
import { screenTailOf } from '../witness/screen-tail.ts';
import { treesOf } from '../witness/trees.ts';

export interface RoundNeeds {
  readonly settings: Pick<
    Settings,
    'rigs' | 'patrols' | 'triage' | 'notify' | 'channels' | 'process' | 'town' | 'tmux' | 'hands'
  >;
  readonly disk: Disk;
  readonly yard: Yard;
  readonly ledger: Ledger;
  readonly client: TownClient;
  /** How all sessions are, in one look. */
  readonly standings: () => Promise<(name: string) => Standing>;
  /** Of a new case. */
  readonly asked: () => void;
}

/** What the order says of a look. */
type Asked = Pick<SurveyDeps, 'handled' | 'isAsked' | 'stands'>;

/** What its witness sees. Rejects where the rig is busy, or the ledger. */
export const surveyRig = (needs: RoundNeeds, rig: RigRecord, asked: Asked): Promise<WitnessSeen> =>
  holding(needs.yard, rig, async (at) => {
    await putAwayCutOff({ ledger: needs.ledger, of: rig.name, now: needs.yard.wall() });
    return survey(await surveyDeps(needs, at, asked));
  });

/** Carries out what a cycle decided, and says what came of each act. */
export const actInRig = (needs: RoundNeeds, rig: RigRecord, acts: readonly OrderedAct[]): Promise<WitnessAct[]> =>
  holding(needs.yard, rig, async (at) => carryOutAll(await actDeps(needs, at), acts));

/** What both a look and its acts need of the rig. */
const common = ({ settings, disk, ledger, yard }: RoundNeeds, at: Case) => ({
  rig: at.rig.name,
  ledger,
  disk,
  now: yard.wall(),
  own: boxAt({ disk, note: yard.note }, `${at.rig.name}/witness`),
  doneCheck: checkingOf(choicesOf(settings, at.rig)),
});

const checkingOf = ({ doneCheck }: ReturnType<typeof choicesOf>): SurveyDeps['doneCheck'] =>
  doneCheck && { limitMs: doneCheck.limitMs, lives: createProcesses().alive };

async function surveyDeps(needs: RoundNeeds, at: Case, asked: Asked): Promise<SurveyDeps> {
  const { settings, disk, yard, standings } = needs;
  const { agent, maxPolecats, refinery } = choicesOf(settings, at.rig);
  const rig = at.rig.name;
  const { found } = await yard.records.polecatsOf(rig);
  const named = await beadsCalled(needs.ledger, [...new Set(found.flatMap(({ bead }) => bead ?? []))]);
  return {
    ...common(needs, at),
    ...asked,
    repo: at.rig.repo,
    polecats: await followHooks(at, found, new Map(named.map((bead) => [bead.id, bead]))),
    trees: treesOf(at),
    agent,
    maxPolecats,
    policies: settings.patrols,
    standings,
    begun: (record) => ifUnread(noteBegun(at, record), () => null),
    lifeOf: async (session) => {
      const { incarnation = null, startedAt = null } = (await readSession(disk, session)) ?? {};
      return incarnation === null ? null : { uuid: incarnation.uuid, at: startedAt ?? 0 };
    },
    reports: new Reports({ disk, quarantine: new Onlooker(disk, yard.note) }),
    refinery: {
      command: refinery,
      missing: async () => refinery && (await missingCommand(settings, disk, { words: refinery, dir: at.rig.repo })),
      box: boxAt({ disk, note: yard.note }, `${rig}/refinery`),
    },
    deaconLateMs: await deaconLate(needs),
  };
}

async function actDeps(needs: RoundNeeds, at: Case): Promise<ActDeps> {
  const { settings, disk, client, yard } = needs;
  const { agent, maxPolecats, refinery, merging } = choicesOf(settings, at.rig);
  const rig = at.rig.name;
  const { found: polecats } = await yard.records.polecatsOf(rig);
  return {
    ...common(needs, at),
    ...polecatDeps(polecats, treesOf(at, settings.patrols.witness)),
    triage: settings.triage.policy,
    boxOf: async (address) => (await mailboxIn({ disk, rigs: settings.rigs, note: yard.note }, address)).box,
    obstacle: async () =>
      shortOfMemory(settings.hands) ??
      (agent && (await missingCommand(settings, disk, { words: agent, dir: at.rig.repo }))),
    spawn: async (bead) => {
      if (agent === null) throw new Error(`[rig.${rig}] names no agent`);
      const name = await freeName(at, await yard.hooks.bead(bead), disk);
      await spawn(at, { rig, name, command: agent, bead, from: null, maxPolecats });
      return `${rig}/${name}`;
    },
    nudge: (to, text) => nudge(client, to, text),
    asked: needs.asked,
    tellPerson: (box, letter) => tellPerson({ root: yard.root, disk, settings, note: yard.note }, box, letter),
    tailOf: (of) => screenTailOf(settings, disk, of),
    end: (wanted) => {
      const { undoneForMs: patienceMs } = settings.patrols.patrol;
      return askForEnd({ disk, rig, protects: settings.town.protected, now: yard.wall(), patienceMs }, wanted);
    },
    check: (polecat, commit) => startTown(yard.root, ['polecat', 'check', `${rig}/${polecat}`, '--commit', commit]),
    dropMerged: async (of) =>
      merging.deletesBranch && settings.patrols.witness.push ? dropMerged(at, await workOn(disk, { rig, of })) : [],
    start: () => startRefinery(client, at.rig, { refinery }),
  };
}

/** Words for an agent go through the running town, in its pane's turn. */
async function nudge(client: TownClient, agent: string, text: string): Promise<void> {
  const words = { text, from: 'witness', raw: false, atRest: true } as const;
  answerIn(await client.ask({ verb: 'nudge', name: sessionOfAgent(agent), ...words }));
}

/** How far the Deacon is past its announced beat; null = not late, or unknown. */
async function deaconLate({ disk, yard }: RoundNeeds): Promise<number | null> {
  const options = { disk, quarantine: new Onlooker(disk, yard.note) };
  const beat = await readNote(options, 'heartbeat');
  if (beat === null || beat.nextDueAt === null) return null;
  const lateMs = age(beat.at, yard.wall()) - (beat.nextDueAt - beat.at);
  return lateMs < 0 ? null : lateMs;
}
