/** `town evidence add|list`: signs of life and progress, by author, the newest first. */
import { saysNothing } from '../../../machines/kernel/shell-safe-text.ts';
import { SIGNAL } from '../../../machines/tickle/policy.ts';
import type { Evidence } from '../../../state/ledger/port.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import { chance } from '../../ledger/ids.ts';
import { firstOf } from '../../ledger/walk.ts';
import { when } from '../../journal/when.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, listing } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { actorOf, withLedger } from '../asking/ledger.ts';
import { quoteName } from '../naming/names.ts';

export interface EvidenceOptions {
  readonly author?: string;
  readonly kind?: string;
  /** As other programs name the kind. */
  readonly type?: string;
  readonly body?: string;
  readonly id?: string;
  readonly at?: string;
}

const viewOf = ({ id, author, kind, text, at }: Evidence): object => ({
  id,
  author,
  kind,
  text,
  at: new Date(at).toISOString(),
});

function textIn(text: string | undefined, body: string | undefined): string {
  const [one, ...more] = [text, body].filter((given) => given !== undefined);
  if (one === undefined || more.length > 0 || saysNothing(one))
    throw new Failure(EXIT.usage, 'no_text', 'write what happened, or give it as --body JSON; one of the two');
  if (body !== undefined && parsed(body) === undefined)
    throw new Failure(EXIT.usage, 'bad_body', `--body ${quoteName(body)} is no JSON; write --body '{"tests": 12}'`);
  return one;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isShare = (value: unknown): boolean =>
  value === undefined || (typeof value === 'number' && value >= 0 && value <= 1);

/** A signal that the stall watch could not read would change nothing, unsaid. Throws Failure (2). */
function mustBeSignal(text: string): void {
  const { fatigue, confidence } = Object(parsed(text)) as Readonly<Record<string, unknown>>;
  const isNone = fatigue === undefined && confidence === undefined;
  if (!isNone && isShare(fatigue) && isShare(confidence)) return;
  const why = `${quoteName(text)} is no signal: fatigue, confidence or both, each a number from 0 to 1`;
  throw new Failure(EXIT.usage, 'bad_signal', `${why}; write --type signal --body '{"fatigue": 0.8}'`);
}

/** Records evidence; an id that is known already changes nothing. */
export async function add(context: Context, words: string | undefined, options: EvidenceOptions): Promise<void> {
  const text = textIn(words, options.body);
  const author = await actorOf(context, options.author, '--author');
  const at = options.at === undefined ? Date.now() : Date.parse(options.at);
  if (Number.isNaN(at)) {
    const why = `--at ${quoteName(options.at ?? '')} is no time; write 2026-01-31T12:00:00Z`;
    throw new Failure(EXIT.usage, 'bad_time', why);
  }
  const { kind = options.type ?? 'note', id = `ev-${chance(LEDGER.idLength * 2)}` } = options;
  if (kind === SIGNAL) mustBeSignal(text);
  const evidence: Evidence = { id, author, kind, text, at };
  const added = await withLedger(context, (ledger) => ledger.addEvidence(evidence));
  if (added === 'conflict') {
    const why = `other evidence has the id ${quoteName(id)} already; give it another one, or leave --id out`;
    throw new Failure(EXIT.refused, 'evidence_there', why);
  }
  context.answer('evidence', viewOf(evidence), `${id} is kept, by ${clean(author)}`);
}

/** Lists the evidence of one author; without one the newest of each. */
export async function list(
  context: Context,
  { author, limit = LEDGER.page }: { author?: string; limit?: number },
): Promise<void> {
  const found = await withLedger(context, (ledger) =>
    firstOf((page) => (author === undefined ? ledger.newestOfEach(page) : ledger.evidence(author, page)), limit),
  );
  const row = (one: Evidence): string[] => [one.author, when(one.at), one.kind, one.text];
  context.answer('evidence', found.map(viewOf), listing(found, 'no evidence', ['AUTHOR', 'WHEN', 'KIND', 'TEXT'], row));
}
