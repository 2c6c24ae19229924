/**
 * What the refinery writes: its answer to the witness, one for each request, and one letter to a person for each cause that keeps
 * requests waiting. Letters are its memory: a killed refinery's answer is not sent twice, and an open letter to a person not written anew.
 */
import { fingerprint } from '../../state/files/checksum.ts';
import type { Mailbox, Message } from '../../state/mail/mailbox.ts';
import type { Request } from '../patrols/witness/refinery-work.ts';
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
  /** Puts a letter into the person's box and starts their command. */
  readonly tell: (letter: Signed) => Promise<void>;
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

/** What a person was written about waits; of a refinery that ends, the open letters stay. */
export interface Told {
  /** Ids of letters, by the key of their cause. */
  readonly open: Map<string, string>;
  /** Letters about causes of a kind since requests began to wait for such. */
  readonly written: Map<string, number>;
}

export interface Waiting {
  readonly kind: string;
  readonly why: string;
}

const kindOf = (key: string): string => key.split('-', 1)[0] ?? '';

export async function toldOf({ rig, person }: Desk): Promise<Told> {
  const prefix = prefixOf(rig);
  const letters = (await person.names()).filter((id) => id.startsWith(prefix));
  const open = new Map(letters.map((id) => [id.slice(prefix.length).replace(/-\d+$/, ''), id]));
  const written = new Map<string, number>();
  for (const key of open.keys()) written.set(kindOf(key), (written.get(kindOf(key)) ?? 0) + 1);
  return { open, written };
}

/** Names in a cause that only its request has: what differs by them is one cause. */
const OF_ONE = /\b(?=\w*\d)\w{7,}\b/g;

/** What it waits for, without an output, which stands behind an empty line. */
export const causeOf = ({ why }: Waiting): string => (why.split('\n\n', 1)[0] ?? '').slice(0, REFINERY.letterChars);

/** The same for all requests that wait for the same. */
function keyOf(waiting: Waiting, { branch, mail }: Request): string {
  const names = [mail, branch].filter((name) => name !== null);
  const cause = names.reduce((text, name) => text.replaceAll(name, ''), causeOf(waiting)).replace(OF_ONE, '');
  return `${waiting.kind}-${fingerprint(cause)}`;
}

/**
 * A person learns of a cause once, until it is over; the key of its letter. A remote may word each refusal anew: after some letters of a
 * kind the last one stands for all.
 */
export async function tellPerson(desk: Desk, told: Told, waiting: Waiting, request: Request): Promise<string> {
  const key = keyOf(waiting, request);
  if (told.open.has(key)) return key;
  const { kind, why } = waiting;
  const before = told.written.get(kind) ?? 0;
  const last = [...told.open.keys()].findLast((one) => kindOf(one) === kind);
  if (before >= REFINERY.maxLetters && last !== undefined) return last;
  const id = `${prefixOf(desk.rig)}${key}-${String(desk.now())}`;
  const isLast = before + 1 >= REFINERY.maxLetters;
  const more = isLast ? `\nFurther causes get no letter; what waits: town mail inbox ${desk.rig}/refinery` : '';
  const letter = desk.sign({
    id,
    subject: `the refinery of ${desk.rig} waits`,
    body: `${why.slice(0, REFINERY.letterChars)}${more}`,
    urgent: false,
    needs_response: true,
  });
  await desk.tell(letter);
  told.open.set(key, id);
  told.written.set(kind, before + 1);
  return key;
}

/** Puts away the letters about causes that are over. `waits`: keys of causes for which a request still waits. */
export async function untell(desk: Desk, { open, written }: Told, waits: ReadonlySet<string>): Promise<void> {
  for (const [key, id] of [...open]) {
    if (waits.has(key)) continue;
    await desk.person.archiveAll([id]);
    open.delete(key);
  }
  const kinds = new Set([...waits].map(kindOf));
  for (const kind of [...written.keys()]) if (!kinds.has(kind)) written.delete(kind);
}
