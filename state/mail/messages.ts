/**
 * Reads protocol messages out of mail: the type stands in the subject, the rest in the body, as a JSON object or as lines
 * `Key: value`. What a body holds beside them loses nothing and decides nothing; a field of the wrong kind counts as absent.
 */
import { z } from 'zod';
import type { Letter } from '../../machines/protocol.ts';
import { MESSAGE_TYPES, type MessageType, type ProtocolMessage } from '../../machines/witness/messages.ts';

/** Type, then a colon, a blank or nothing, then the subject's object. */
const SUBJECT = /^\s*([A-Z]+(?:_[A-Z]+)*)(?::\s*|\s+|$)(.*)$/s;
/** A field of a body in lines. Values may hold colons. */
const LINE = /^\s*([A-Za-z][A-Za-z _-]{0,39}):\s*(.*?)\s*$/;
/** Longer bodies are words to a person: the fields stand at the top. */
const MAX_LINES = 100;

const word = z.string().trim().min(1).max(256);
/** Why something failed, in words: a long one is cut, never unsaid. */
const reason = z
  .string()
  .trim()
  .min(1)
  .transform((text) => text.slice(0, 2_000));
const number = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,6}$/)
    .transform(Number),
]);
const words = z.union([
  z.array(word).max(1_000),
  z.string().transform((text) => text.split(/[\s,]+/).filter((one) => one !== '')),
]);

const keyOf = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a body, by name in lower case with `_`: `Cleanup Status` is `cleanup_status`. The first of a name counts. */
export function fieldsOf(body: string): Fields {
  const text = body.trim();
  if (text.startsWith('{')) {
    try {
      const value: unknown = JSON.parse(text);
      const entries = Object.entries(value as Record<string, unknown>);
      return Object.fromEntries(entries.map(([name, one]) => [keyOf(name), one]));
    } catch {
      return {}; // Not JSON after all: words to a person.
    }
  }
  const fields: Record<string, unknown> = {};
  for (const line of text.split('\n', MAX_LINES)) {
    const [, name, value] = LINE.exec(line) ?? [];
    if (name !== undefined && value !== undefined && value !== '') fields[keyOf(name)] ??= value;
  }
  return fields;
}

/** The first of these fields that has the shape; null = none has. */
function read<T>(fields: Fields, schema: z.ZodType<T>, ...names: readonly string[]): T | null {
  for (const name of names) {
    const found = schema.safeParse(Object.hasOwn(fields, name) ? fields[name] : undefined);
    if (found.success) return found.data;
  }
  return null;
}

/** What the body of a failed merge holds below its fields, after an empty line, is the output that belongs to its reason. */
function withOutput(why: string | null, body: string): string | null {
  if (why === null || body.trimStart().startsWith('{')) return why;
  const [, output = ''] = /\n[ \t]*\n(.*)$/s.exec(body.trim()) ?? [];
  return reason.parse(output === '' ? why : `${why}\n\n${output}`);
}

const isType = (text: string): text is MessageType => MESSAGE_TYPES.some((known) => known === text);

/** `shop/polecats/nux`, `shop/nux` or `nux`. */
function polecatIn(text: string | null): { readonly rig: string | null; readonly polecat: string | null } {
  const [, rig = null, polecat = null] = /^(?:([\w-]+)\/(?:polecats\/)?)?([\w-]+)\/?$/.exec(text ?? '') ?? [];
  return { rig, polecat };
}

/** Types whose subject goes on with a polecat. */
const ABOUT_POLECAT: ReadonlySet<MessageType> = new Set([
  ...(['POLECAT_STARTED', 'POLECAT_DONE', 'MERGE_READY', 'MERGED', 'MERGE_FAILED'] as const),
  ...(['RECOVERY_NEEDED', 'IDLE_DIRTY'] as const),
]);

const firstWord = (text: string): string | null => /^\S+/.exec(text)?.[0] ?? null;
/** `LIFECYCLE:Shutdown nux` */
const secondWord = (text: string): string | null => /^\S+\s+(\S+)/.exec(text)?.[1] ?? null;

function swarmIn(fields: Fields, named: string): ProtocolMessage['swarm'] {
  const id = read(fields, word, 'swarm_id', 'swarmid', 'swarm') ?? named;
  const beads = read(fields, words, 'beads') ?? [];
  const total = Object.hasOwn(fields, 'total') ? read(fields, number, 'total') : new Set(beads).size;
  return id === '' ? null : { id, beads, total };
}

/** An agent calls for help by this word too. */
const BLOCKED = /^\s*blocked(?:\s*:\s*|\s+|$)(.*)$/is;

function typeIn(subject: string): readonly [type: string, rest: string] {
  const blocked = BLOCKED.exec(subject)?.[1];
  if (blocked !== undefined) return ['HELP', blocked];
  const [, type = '', rest = ''] = SUBJECT.exec(subject) ?? [];
  return [type, rest];
}

/** A message of the protocol; null = its subject is none, and it is mail like any other. */
export function messageOf({ subject, body }: Pick<Letter, 'subject' | 'body'>): ProtocolMessage | null {
  const [type, rest] = typeIn(subject);
  if (!isType(type)) return null;
  const about = rest.trim();
  const fields = fieldsOf(body);
  const text = (...names: string[]): string | null => read(fields, word, ...names);
  const named = polecatIn(ABOUT_POLECAT.has(type) ? firstWord(about) : type === 'LIFECYCLE' ? secondWord(about) : null);
  const written = polecatIn(text('polecat', 'agent', 'worker'));
  const why = read(fields, reason, 'error', 'failure', 'problem', 'reason');
  return {
    type,
    about,
    polecat: written.polecat ?? named.polecat,
    rig: text('rig') ?? written.rig ?? named.rig,
    branch: text('branch'),
    issue: text('issue', 'bead', 'issue_id'),
    action:
      text('action', 'exit', 'request')?.toLowerCase() ??
      (type === 'LIFECYCLE' ? firstWord(about.toLowerCase()) : null),
    cleanup: text('cleanup_status', 'cleanup'),
    commit: text('merge_commit', 'commit'),
    error: type === 'MERGE_FAILED' ? withOutput(why, body) : why,
    swarm: swarmIn(fields, type === 'SWARM_COMPLETE' ? about : ''),
  };
}
