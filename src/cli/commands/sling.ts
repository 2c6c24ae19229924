/** `town sling`: gives beads to new polecats of a rig at once, by the rules by which the town itself gives out work. */
import { textOf } from '../../../state/files/disk.ts';
import type { Bead } from '../../../machines/ledger/bead.ts';
import { addressOf, branchOf, polecatIn, sessionOf, wordsOf } from '../../../machines/rigs/names.ts';
import type { PolecatRecord, RigRecord } from '../../../machines/rigs/records.ts';
import { FAILED } from '../../ledger/attempts.ts';
import { isKept } from '../../ledger/kept-words.ts';
import { isWorkType, openBlockers } from '../../ledger/walk.ts';
import { freeName } from '../../patrols/witness/free-name.ts';
import { choicesOf } from '../../rigs/choices.ts';
import { holding } from '../../rigs/lock.ts';
import { dirOf } from '../../rigs/place.ts';
import { spawn } from '../../rigs/spawn.ts';
import type { Yard } from '../../rigs/yard.ts';
import { EXIT, Failure, type ExitCode } from '../../terminal/failure.ts';
import { clean } from '../../terminal/print.ts';
import { beadCalled, change, now, withLedger } from '../asking/ledger.ts';
import { wordsNamed } from '../asking/polecat.ts';
import { rigNamed, yardOf } from '../asking/yard.ts';
import type { Context } from '../context.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { quoteName } from '../naming/names.ts';
import { refuseMissing } from './polecats.ts';

interface Target {
  readonly rig: RigRecord;
  /** Of its only polecat; null = the town names them. */
  readonly name: string | null;
}

/** What became of one bead. */
interface Given {
  readonly bead: string;
  readonly polecat: PolecatRecord | null;
  readonly why: string;
  readonly exit: ExitCode;
}

/** `words`: beads, and the rig or `<rig>/<polecat>` last. */
export async function sling(context: Context, words: readonly string[]): Promise<number> {
  await mustBeOperator(context, 'giving out work');
  const yard = await yardOf(context);
  const { rig, name } = await targetOf(yard, words);
  const { agent, maxPolecats } = choicesOf(await context.settings(), rig);
  if (agent === null) {
    const text = `${rig.name} has no agent to do it; set agent in [rig.${rig.name}] of town.toml`;
    throw new Failure(EXIT.usage, 'no_command', text);
  }
  await refuseMissing(context, rig, agent[0] ?? '');
  const beads = await withLedger(context, async (ledger) => {
    const found = new Map<string, Bead>();
    for (const word of words.slice(0, -1)) {
      const bead = await beadCalled(ledger, word);
      refuseUnfit(bead, rig.name);
      const [blocker] = await openBlockers(ledger, bead);
      if (blocker !== undefined) {
        const text = `${bead.id} waits for ${blocker}, which is open; \`town bead dep list ${bead.id}\``;
        throw new Failure(EXIT.refused, 'blocked', text);
      }
      found.set(bead.id, bead);
    }
    return [...found.values()];
  });
  // A town that is down would leave them half made.
  await context.ask((town) => town.status());
  const wanted = { rig: rig.name, command: agent, maxPolecats, from: null };
  const given: Given[] = [];
  for (const bead of beads) {
    // As many as there is room for: the rest waits for it as any work does.
    const full = given.find(({ exit }) => exit !== EXIT.done);
    given.push(
      full === undefined ? await give(context, yard, { bead, rig, name, wanted }) : { ...full, bead: bead.id },
    );
  }
  return answer(context, yard, given);
}

/** Throws Failure (2) for words that are no beads and a target. */
async function targetOf(yard: Yard, words: readonly string[]): Promise<Target> {
  const last = words.at(-1) ?? '';
  const polecat = (await yard.records.rig(last)) === null ? polecatIn(await wordsNamed(yard, last)) : null;
  if (words.length < 2) {
    const text = `${quoteName(last)} is either a bead or a rig, and both are needed: town sling <bead…> <rig>`;
    throw new Failure(EXIT.usage, 'bad_usage', text);
  }
  const rig = await rigNamed(yard.records, polecat?.rig ?? last);
  if (polecat !== null && words.length > 2) {
    const text = `one polecat takes one bead, and here are ${words.length - 1}; name the rig alone: town sling ${words.slice(0, -1).join(' ')} ${rig.name}`;
    throw new Failure(EXIT.usage, 'bad_usage', text);
  }
  return { rig, name: polecat?.name ?? null };
}

/** Throws Failure (5) for a bead that no agent of this rig may begin now. */
function refuseUnfit(bead: Bead, rig: string): void {
  const { id, status, type, assignee } = bead;
  const refuse = (why: string, next: string): never => {
    throw new Failure(EXIT.refused, 'not_ready', `${id} ${why}; ${next}`);
  };
  if (isKept(bead) || !isWorkType(type)) refuse(`is no work (${clean(type)})`, 'see `town bead ready`');
  if (bead.rig !== '' && bead.rig !== rig)
    refuse(`is work of the rig ${clean(bead.rig)}`, `change it first: town bead update ${id} --rig ${rig}`);
  if (status === 'closed') refuse('is closed', `open it first: town bead reopen ${id}`);
  if (bead.labels.includes(FAILED)) refuse('has failed', `give it out again: town deacon redispatch ${id}`);
  if (assignee !== '' && status !== 'open')
    refuse(
      `is ${status} by ${clean(assignee)}`,
      `see its polecat first: town polecat list; take it off only if that agent is gone: town bead unhook ${id}`,
    );
  if (status !== 'open') refuse(`is ${status}`, `open it first: town bead update ${id} --status open`);
  if (assignee !== '') refuse(`is assigned to ${clean(assignee)}`, `first: town bead update ${id} --assignee ""`);
}

interface Work {
  readonly bead: Bead;
  readonly rig: RigRecord;
  readonly name: string | null;
  readonly wanted: Omit<Parameters<typeof spawn>[1], 'name' | 'bead'>;
}

async function give(context: Context, yard: Yard, { bead, rig, name, wanted }: Work): Promise<Given> {
  try {
    const polecat = await holding(yard, rig, async (at) => {
      // The town may have given it out while this command waited for the rig.
      await yard.hooks.check(bead.id);
      if (bead.rig === '')
        await withLedger(context, (ledger) =>
          change(ledger, bead.id, (one) => ({ ...one, rig: rig.name, updatedAt: now() })),
        );
      const called = name ?? (await freeName(at, bead, await context.disk()));
      return spawn(at, { ...wanted, name: called, bead: bead.id });
    });
    return { bead: bead.id, polecat, why: '', exit: EXIT.done };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { bead: bead.id, polecat: null, why: textOf(error), exit: error.exit };
  }
}

function answer(context: Context, yard: Yard, given: readonly Given[]): number {
  const [failed] = given.filter(({ polecat }) => polecat === null);
  if (failed !== undefined && given.every(({ polecat }) => polecat === null))
    throw new Failure(failed.exit, 'not_given', `${failed.bead}: ${failed.why}`);
  const views = given.map(({ bead, polecat, why }) => ({
    bead,
    polecat: polecat && wordsOf(polecat),
    address: polecat && addressOf(polecat),
    session: polecat && sessionOf(polecat),
    branch: polecat && branchOf(polecat),
    dir: polecat && dirOf({ yard }, polecat),
    why: why === '' ? null : why,
  }));
  context.answer('slung', views, () =>
    views.map(({ bead, polecat, session, why }) =>
      polecat === null ? `${bead} waits: ${why}` : `${polecat} works on ${bead}, in session ${session}`,
    ),
  );
  return failed?.exit ?? EXIT.done;
}
