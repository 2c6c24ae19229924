/**
 * What the refinery writes: its answer to the witness, one for each request, and one letter to a person for each cause that keeps
 * requests waiting. Letters are its memory: a killed refinery's answer is not sent twice, and an open letter to a person not written anew.
 */
import { fingerprint } from '../../state/files/checksum.ts';
import type { Mailbox, Message } from '../../state/mail/mailbox.ts';
import type { Request } from '../patrols/witness/handed.ts';
import { REFINERY } from './policy.ts';
import type { Outcome } from './refine.ts';

type Words = Pick<Message, 'id' | 'subject' | 'body' | 'urgent' | 'needs_response'>;
type Signed = Parameters<Mailbox['send']>[0];

export interface Desk {
  readonly rig: string;
  readonly witness: Mailbox;
  readonly person: Mailbox;
  /** In the refinery's own name. */
  readonly sign: (words: Words) => Signed;
  /** Starts the person's command for a letter to them. */
  readonly ring: (letter: Signed) => Promise<void>;
  readonly now: () => number;
}

const fieldsOf = ({ branch, commit, bead, polecat }: Request): string =>
  [
    ['Branch', branch],
    ['Commit', commit],
    ['Issue', bead],
    ['Polecat', polecat],
  ]
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name ?? ''}: ${value ?? ''}\n`)
    .join('');

/** Durable when it resolves. Said before, it is not said again. */
export async function answer(
  { rig, witness, sign }: Desk,
  request: Request,
  outcome: Extract<Outcome, { is: 'merged' | 'failed' }>,
): Promise<void> {
  const id = `refinery-${rig}-${fingerprint(request.mail)}`;
  const name = request.polecat ?? request.branch ?? '?';
  const said =
    outcome.is === 'merged'
      ? { subject: `MERGED ${name}`, body: `Merge-Commit: ${outcome.commit}\n${fieldsOf(request)}` }
      : { subject: `MERGE_FAILED ${name}`, body: failedBody(request, outcome.why) };
  await witness.send(sign({ id, ...said, urgent: false, needs_response: false }));
}

/** The witness reads the first line and, after an empty one, the output. */
function failedBody(request: Request, why: string): string {
  const [first = '', ...rest] = why.split('\n');
  const output = rest.join('\n').trim();
  return `Error: ${first}\n${fieldsOf(request)}${output === '' ? '' : `\n${output}\n`}`;
}

const prefixOf = (rig: string): string => `refinery-${rig}-waits-`;

/** Kinds of causes that a person has a letter about, with its id. */
export async function toldOf({ rig, person }: Desk): Promise<Map<string, string>> {
  const prefix = prefixOf(rig);
  const open = (await person.names()).filter((id) => id.startsWith(prefix));
  return new Map(open.map((id) => [id.slice(prefix.length).replace(/-\d+$/, ''), id]));
}

/** A person learns of a cause once, until it is over. */
export async function tellPerson(desk: Desk, told: Map<string, string>, kind: string, why: string): Promise<void> {
  if (told.has(kind)) return;
  const id = `${prefixOf(desk.rig)}${kind}-${String(desk.now())}`;
  const body = why.slice(0, REFINERY.letterChars);
  const letter = desk.sign({
    id,
    subject: `the refinery of ${desk.rig} waits`,
    body,
    urgent: false,
    needs_response: true,
  });
  await desk.person.send(letter);
  told.set(kind, id);
  await desk.ring(letter);
}

/** Puts away the letters about causes that are over. */
export async function untell(desk: Desk, told: Map<string, string>, open: ReadonlySet<string>): Promise<void> {
  for (const [kind, id] of [...told]) {
    if (open.has(kind)) continue;
    await desk.person.archiveAll([id]);
    told.delete(kind);
  }
}
