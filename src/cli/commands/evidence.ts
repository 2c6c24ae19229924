/** `town evidence add|list`: signs of life and progress, by author, the newest first. */
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
  if (one === undefined || more.length > 0)
    throw new Failure(EXIT.usage, 'no_text', 'write what happened, or give it as --body JSON; one of the two');
  if (body !== undefined && !isJson(body))
    throw new Failure(EXIT.usage, 'bad_body', `--body ${quoteName(body)} is no JSON; write --body '{"tests": 12}'`);
  return one;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
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
