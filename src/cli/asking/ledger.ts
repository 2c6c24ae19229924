/** The ledger for a command: opened when it runs, whether the town is up or down, and closed when it is done. */
import type { Bead, Signature } from '../../../machines/ledger/bead.ts';
import { textOf } from '../../../state/files/disk.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import type { Damage } from '../../../state/ledger/file.ts';
import type { AgentCaller } from '../../ledger/authority.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, note, table } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { quoteName } from '../naming/names.ts';
import { operatorAs } from '../naming/operator.ts';
import { find } from '../naming/resolve.ts';
import { callerToken } from '../../socket/caller-token.ts';
import { firstNames } from '../../../machines/kernel/span.ts';

/** Open beads that a beginning of an id is looked for among. */
const MAX_LOOKED = 10_000;

/**
 * `ledger`: with the caller's rights. `town`: for what the command does beyond these, after a check of its own. Throws
 * what the work throws, and LedgerFault if there is no ledger.
 */
export async function withLedger<T>(context: Context, work: (ledger: Ledger, town: Ledger) => Promise<T>): Promise<T> {
  const root = context.existing();
  const { openLedger } = await import('../../../state/ledger/sqlite.ts');
  const ledger = openLedger({ root, wall: Date.now });
  try {
    return await work(await ownOf(context, ledger), ledger);
  } finally {
    ledger.close();
    if (ledger.hasWritten) {
      const { wakeTown: wake } = await import('./notes.ts');
      await wake(context, 'work');
    }
    const { damage } = ledger;
    if (damage !== null)
      await tellDamage(context, damage).catch((error: unknown) => {
        note(`no letter says so: ${textOf(error)}`);
      });
  }
}

async function ownOf(context: Context, ledger: Ledger): Promise<Ledger> {
  const { asAgent, asOperator } = await import('../../ledger/doors.ts');
  if (callerToken() === undefined) return asOperator(ledger);
  let caller: Promise<AgentCaller> | undefined;
  return asAgent(ledger, () => (caller ??= agentThatCalls(context)));
}

/** Throws Failure (5) for a token that no living session has, that of a run of triage among them. */
async function agentThatCalls(context: Context): Promise<AgentCaller> {
  const { agentCallerOf, whoCalls } = await import('../naming/caller.ts');
  return agentCallerOf(await whoCalls(context), await context.settings());
}

/** Throws Failure (5) where an agent calls whose bead this is not. */
export async function mustBeYours(context: Context, bead: Bead): Promise<void> {
  if (callerToken() === undefined) return;
  const doors = await import('../../ledger/doors.ts');
  doors.mustBeYours(await agentThatCalls(context), bead);
}

/** Who asks for what is done with the ledger itself: the signature of what is made so. Throws Failure (5). */
export async function signatureOf(context: Context): Promise<Signature> {
  const { signatureOfAgent, signatureOfOperator } = await import('../../ledger/doors.ts');
  return callerToken() === undefined ? signatureOfOperator() : signatureOfAgent(await agentThatCalls(context));
}

/** The command's user sees it, and the person has a letter: no person reads an agent's stderr. */
async function tellDamage(context: Context, damage: Damage): Promise<void> {
  const { sequelOf } = await import('../../ledger/damage.ts');
  const body = `the ledger was damaged (${damage.why}). ${sequelOf(damage)} What was there is in ${damage.movedTo ?? 'no file'}.`;
  note(body);
  const { mailboxOf, OVERSEER } = await import('./post.ts');
  const { tellPerson } = await import('./person.ts');
  const letter = { from: 'town', via: 'town', subject: 'the ledger was damaged', body, urgent: true } as const;
  const sentAt = Date.now();
  const message = { ...letter, id: `m-ledger-${String(sentAt)}`, sentAt, needs_response: true };
  await tellPerson(context, (await mailboxOf(context, OVERSEER)).box, message);
}

/** The author's name: an agent's own, or for an operator the name given. Throws Failure (5). */
export async function actorOf(context: Context, wanted: string | undefined, flag = '--actor'): Promise<string> {
  if (callerToken() === undefined) return operatorAs(wanted);
  // Who an agent is stands in the records of sessions, which are half of what a command would load.
  const { nameOfCaller, whoCalls } = await import('../naming/caller.ts');
  return nameOfCaller(await whoCalls(context), wanted, flag);
}

export const now = (): string => new Date().toISOString();

export const noBead = (word: string): Failure =>
  new Failure(EXIT.usage, 'unknown_bead', `there is no bead ${quoteName(word)}; see \`town bead list --all\``);

/** The bead that a word means: its id, or a beginning of one, of an open one first. Throws Failure (2). */
export async function beadCalled(ledger: Ledger, word: string): Promise<Bead> {
  const [exact] = await ledger.beads([word]);
  if (exact !== undefined) return exact;
  const { firstOf } = await import('../../ledger/walk.ts');
  for (const query of [{}, { statuses: ['closed'] }] as const) {
    const all = await firstOf((page) => ledger.list(query, page), MAX_LOOKED);
    const candidates = all.map((value) => ({ id: value.id, number: '', session: null, isOpen: true, at: 0, value }));
    const found = find(word, candidates, { what: 'bead', list: 'town bead list --all', code: 'unknown_bead' });
    if (found !== undefined) return found;
  }
  throw noBead(word);
}

/** Changes the bead that a word means. Throws Failure, and what `decide` throws. */
export async function change(ledger: Ledger, word: string, decide: (bead: Bead) => Bead): Promise<Bead> {
  const { id } = await beadCalled(ledger, word);
  const { changeBead } = await import('../../ledger/change.ts');
  const changed = await changeBead(ledger, id, decide);
  if (changed === null) throw noBead(word);
  return changed;
}

/** Beads that one waits for and a line names; `town bead show` names all. */
const MAX_NAMED = 3;

function titleWith({ title }: Bead, waitsFor: readonly string[]): string {
  if (waitsFor.length === 0) return title;
  return `${title} (waits for ${firstNames(waitsFor, MAX_NAMED)})`;
}

/** Beads below each other. */
export function beadTable(beads: readonly Bead[], waitsFor: (bead: Bead) => readonly string[] = () => []): string {
  const rows = beads.map((bead) => {
    const { id, priority, status, type, assignee, isWisp } = bead;
    const kind = isWisp ? `${type}, wisp` : type;
    return [id, `P${priority}`, status, kind, assignee === '' ? '-' : assignee, titleWith(bead, waitsFor(bead))];
  });
  const columns = [
    'ID',
    { head: 'P', drop: 2 },
    'STATUS',
    { head: 'TYPE', drop: 1 },
    { head: 'ASSIGNEE', drop: 3 },
    'TITLE',
  ];
  return table(columns, rows);
}

/** A time as a person reads it, a text without what steers a terminal. */
export const orDash = (text: string): string => (text === '' ? '-' : clean(text));

/** `key=value` words. Throws Failure (2). */
export function pairsOf(words: readonly string[], flag: string): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
      throw new Failure(EXIT.usage, 'bad_pair', `${flag} ${quoteName(word)} is no pair; write ${flag} key=value`);
    }),
  );
}
