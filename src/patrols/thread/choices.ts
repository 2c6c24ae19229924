/** The hands that carry out choices of triage, in the thread of the patrols: those of a witness, and what is known there. */
import { MAYORS, polecatIn, sessionOfAgent } from '../../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import type { World } from '../../../machines/triage/acts.ts';
import { saveRescue } from '../../../state/hearings/rescue.ts';
import { coveredBy } from '../../config/glob.ts';
import type { Settings } from '../../config/settings.ts';
import { eyesOf, onRecord, studyOwn } from '../../overview/eyes.ts';
import { readNudged, readSession } from '../../overview/records.ts';
import type { Study } from '../../overview/study.ts';
import { order } from '../../ports/age.ts';
import { rescueFolder } from '../../rescue/rescue.ts';
import { choicesOf } from '../../rigs/choices.ts';
import { holding } from '../../rigs/lock.ts';
import { discard, leaveToNext, saveAndPush } from '../../rigs/uncommitted.ts';
import type { Case } from '../../rigs/yard.ts';
import { answerIn, EXIT, Failure } from '../../terminal/failure.ts';
import type { TriageHands } from '../../triage/carry-out.ts';
import { wishingLife } from '../witness/cleanups.ts';
import { askForEnd, fileWarrant, type EndNeeds } from '../witness/ends.ts';
import { mailboxIn } from '../witness/post.ts';
import { startRefinery } from '../witness/refinery.ts';
import type { RoundNeeds } from './rig-round.ts';

const TRIAGE = 'triage';

export interface ChoiceNeeds extends RoundNeeds {
  readonly settings: Settings;
}

export function choiceHands(needs: ChoiceNeeds): TriageHands {
  const { ledger, settings, disk, client, yard, standings } = needs;
  const polecatOf = async (agent: string) => {
    const name = polecatIn(agent);
    return name === null ? null : yard.records.polecat(name);
  };
  const inRig = async (agent: string, work: (at: Case, record: PolecatRecord) => Promise<string>): Promise<string> => {
    const record = await polecatOf(agent);
    const rig = record === null ? null : await yard.records.rig(record.rig);
    if (record !== null && rig !== null) return holding(yard, rig, (at) => work(at, record));
    throw new Failure(EXIT.failed, 'no_polecat', `${agent} is no polecat any more; see \`town polecat list\``);
  };
  const ending = (agent: string): EndNeeds => ({
    disk,
    rig: polecatIn(agent)?.rig ?? '',
    protects: settings.town.protected,
    now: yard.wall(),
    patienceMs: settings.patrols.patrol.undoneForMs,
  });
  return {
    ledger,
    disk,
    now: () => yard.wall(),
    policy: { ...settings.triage.policy, ...settings.patrols.patrol },
    standing: async (agent, since) => {
      const record = await polecatOf(agent);
      const standing = (await standings())(sessionOfAgent(agent));
      return { standing, isAnother: record !== null && order(record.at) > order(since) };
    },
    wishesEnd: (agent) => wishesEnd(needs, agent),
    end: (agent, why) => askForEnd(ending(agent), { agent, isVoluntary: true, why }),
    nudge: (agent, text, since) => nudge(needs, sessionOfAgent(agent), text, since),
    start: async (agent) => {
      if ((await standings())(sessionOfAgent(agent)) === 'lives') return;
      const rig = await yard.records.rig(polecatIn(agent)?.rig ?? '');
      if (rig === null) throw new Failure(EXIT.failed, 'unknown_rig', `the rig of ${agent} is gone`);
      await startRefinery(client, rig, choicesOf(settings, rig));
    },
    warrant: (agent, id, reason) =>
      fileWarrant(ending(agent), { id, session: sessionOfAgent(agent), reason, requester: TRIAGE, force: false }),
    mail: async ({ id, to, subject, body }) => {
      const { box } = await mailboxIn({ disk, rigs: settings.rigs, note: yard.note }, to);
      const flags = { urgent: false, needs_response: false, via: 'town', from: TRIAGE } as const;
      await box.send({ id, subject, body, sentAt: yard.wall(), ...flags });
    },
    hasMayor: async () => MAYORS.map(await standings()).includes('lives'),
    save: (agent, message, how) => inRig(agent, (at, record) => saveAndPush(at, record, message, how)),
    leave: (agent) => inRig(agent, leaveToNext),
    discard: async (agent, id, before) => {
      // An earlier try did it, and was killed before it was on record.
      if (polecatIn(agent) !== null && (await polecatOf(agent)) === null) {
        await before();
        return `${agent} is gone already`;
      }
      const rescue = (folder: string, as: string) => rescued(needs, folder, as);
      return inRig(agent, (at, record) => discard(at, record, { rescue, id, before }));
    },
    isTransient,
  };
}

/** Nothing speaks against keys at its prompt: it works at nothing, asks nothing, holds no draft, and no person is there. */
const isAtRest = ({ standing }: Study): boolean =>
  standing.state === 'idle' && standing.mayType && standing.obstacle === null && !standing.person;

async function wishesEnd({ settings, disk, ledger, yard }: ChoiceNeeds, agent: string): Promise<World['wishesEnd']> {
  const name = polecatIn(agent);
  const record = name === null ? null : await yard.records.polecat(name);
  const life = (await readSession(disk, sessionOfAgent(agent)))?.incarnation ?? null;
  if (name === null || record === null || life === null) return 'no';
  const wished = await wishingLife({ ledger, rig: name.rig, bornAt: () => record.at }, name.name);
  if (wished !== life.uuid) return 'no';
  const eyes = { ...(await eyesOf(settings, disk, yard.note)), ...(await onRecord(disk)) };
  const study = await studyOwn(eyes, sessionOfAgent(agent));
  if (study === 'unknown') return 'unknown';
  return study !== null && isAtRest(study) ? 'yes' : 'no';
}

/** Once for a choice, by the record of nudges. Where a kill came between that record and Enter, it is typed again at the pace of nudges. */
export async function nudge(
  { settings, disk, client }: Pick<ChoiceNeeds, 'settings' | 'disk' | 'client'>,
  name: string,
  text: string,
  since: number,
): Promise<void> {
  const glob = coveredBy(name, settings.town.protected);
  if (glob !== null) throw new Failure(EXIT.refused, 'protected_target', `${name} is protected by ${glob}`);
  const last = await readNudged(disk, name);
  const life = (await readSession(disk, name))?.incarnation ?? null;
  const isOurs = last?.from === TRIAGE && last.uuid === life?.uuid && order(last.at ?? 0) >= order(since);
  if (isOurs && last.sure) return;
  answerIn(await client.ask({ verb: 'nudge', name, text, from: TRIAGE, raw: false }));
}

/** Keeps the uncommitted work of a folder; the ref, null = there was none. */
async function rescued({ disk, settings }: ChoiceNeeds, folder: string, id: string): Promise<string | null> {
  const save = async (into: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> => {
    const named = Object.entries(files).map(([name, content]) => ({ name, content }));
    await saveRescue(disk, into.replace(/^rescue\//, ''), named);
  };
  return rescueFolder({ saveRescue: save, policy: settings.hands }, folder, id, new AbortController().signal);
}

const TRANSIENT: readonly string[] = [
  'rig_busy',
  'session_unknown',
  'not_answered',
  'waits_for_disk',
  'degraded',
  'town_ending',
  'nudge_recent',
];

/** The town cannot do it just now; any other error is a refusal. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Error &&
  (['TownNotRunning', 'TownSilent'].includes(error.name) ||
    (error instanceof Failure && TRANSIENT.includes(error.code)));
