/** The hands by which a command carries out what was chosen in triage: each is the one that the command for it uses itself. */
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { MAYORS, polecatIn, sessionOfAgent } from '../../../machines/rigs/names.ts';
import { newBead } from '../../../machines/ledger/bead.ts';
import { saveRescue } from '../../../state/hearings/rescue.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { escalation } from '../../ledger/escalations.ts';
import { newWrite } from '../../ledger/ids.ts';
import { rescueFolder } from '../../rescue/rescue.ts';
import { startRefinery } from '../../patrols/witness/refinery.ts';
import { choicesOf } from '../../rigs/choices.ts';
import { discard, leaveToNext, saveAndPush } from '../../rigs/uncommitted.ts';
import type { Case, Yard } from '../../rigs/yard.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean } from '../../terminal/print.ts';
import { holding } from '../../rigs/holding.ts';
import type { CaseEscalation, TriageHands } from '../../triage/carry-out.ts';
import { fileWarrantFor } from '../commands/warrants.ts';
import type { Context } from '../context.ts';
import { checkUnprotected, knownSession } from '../naming/names.ts';
import { endAsWished, wishesEnd } from './own-end.ts';
import { mailboxOf } from './post.ts';
import { doorOf, rigNamed, yardOf } from './yard.ts';
import { order } from '../../ports/age.ts';

const TRIAGE = 'triage';

async function polecatOf(yard: Yard, agent: string) {
  const name = polecatIn(agent);
  const record = name === null ? null : await yard.records.polecat(name);
  const rig = record === null ? null : await yard.records.rig(record.rig);
  if (record !== null && rig !== null) return { rig, record };
  throw new Failure(EXIT.failed, 'no_polecat', `${agent} is no polecat any more; see \`town polecat list\``);
}

/** Keeps the uncommitted work of a folder; the ref, null = there was none. */
async function rescuedAs(context: Context, folder: string, id: string): Promise<string | null> {
  const settings = await context.settings();
  const disk = await context.disk();
  const save = async (into: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> => {
    const named = Object.entries(files).map(([name, content]) => ({ name, content }));
    await saveRescue(disk, into.replace(/^rescue\//, ''), named);
  };
  const over = new AbortController();
  return rescueFolder({ saveRescue: save, policy: settings.hands }, folder, id, over.signal);
}

export async function handsOf(context: Context, ledger: Ledger): Promise<TriageHands> {
  const settings = await context.settings();
  const yard = await yardOf(context);
  const inRig = async (agent: string, work: (at: Case, record: PolecatRecord) => Promise<string>): Promise<string> => {
    const { rig, record } = await polecatOf(yard, agent);
    return holding(yard, rig, (at) => work(at, record));
  };
  return {
    ledger,
    now: Date.now,
    policy: { ...settings.triage.policy, ...settings.patrols.patrol },
    standing: async (agent, since) => {
      const name = polecatIn(agent);
      const record = name === null ? null : await yard.records.polecat(name);
      const standing = await yard.sessions.standing(sessionOfAgent(agent));
      return { standing, isAnother: record !== null && order(record.at) > order(since) };
    },
    wishesEnd: (agent) => wishesEnd(context, ledger, agent),
    end: (agent, reason) => endAsWished(context, ledger, agent, reason),
    nudge: async (agent, text) => {
      const name = sessionOfAgent(agent);
      checkUnprotected(name, settings);
      await knownSession(context, name);
      await context.request({ verb: 'nudge', name, text, from: TRIAGE, raw: false });
    },
    start: async (agent) => {
      const rig = await rigNamed(yard.records, polecatIn(agent)?.rig ?? '');
      await startRefinery(doorOf(context), rig, choicesOf(settings, rig));
    },
    warrant: async (agent, id, reason) => {
      await fileWarrantFor(context, sessionOfAgent(agent), { reason, id, by: TRIAGE });
    },
    mail: async ({ id, to, subject, body }) => {
      const { box } = await mailboxOf(context, to);
      const flags = { urgent: false, needs_response: false, via: 'town', from: TRIAGE } as const;
      await box.send({ id, subject: clean(subject), body: clean(body, 'lines'), sentAt: Date.now(), ...flags });
    },
    hasMayor: async () => {
      const standings = await Promise.all(MAYORS.map((name) => yard.sessions.standing(name)));
      return standings.includes('lives');
    },
    escalate: (given) => escalateAs(ledger, given),
    save: (agent, message, how) => inRig(agent, (at, record) => saveAndPush(at, record, message, how)),
    leave: (agent) => inRig(agent, leaveToNext),
    discard: async (agent, id, before) => {
      const name = polecatIn(agent);
      // An earlier try did it, and was killed before it was on record.
      if (name !== null && (await yard.records.polecat(name)) === null) return `${agent} is gone already`;
      return inRig(agent, (at, record) =>
        discard(at, record, { rescue: (folder, as) => rescuedAs(context, folder, as), id, before }),
      );
    },
    isTransient,
  };
}

/** Once for an id. */
async function escalateAs(ledger: Ledger, { id, title, reason, related, endsWithIt }: CaseEscalation): Promise<void> {
  const at = new Date().toISOString();
  const given = escalation({ title, severity: 'high', reason, by: TRIAGE, at, related, endsWithIt });
  await ledger.put(newBead({ ...given, id }), { expects: 0, write: newWrite() });
}

/** The town cannot be asked just now; any other error is a refusal. */
const isTransient = (error: unknown): boolean =>
  error instanceof Error &&
  (['TownNotRunning', 'TownSilent'].includes(error.name) ||
    (error instanceof Failure &&
      ['rig_busy', 'session_unknown', 'not_answered', 'waits_for_disk'].includes(error.code)));
