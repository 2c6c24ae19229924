/**
 * What of a value leaves the process: JSON of a bounded size, without tokens. Pure.
 * 1. The work is bounded like the result: of a book of ten thousand records only the shown ones are read.
 * 2. A text is cut at a word's begin, so that no half of a token escapes the search for tokens.
 * 3. Never throws: what cannot be read is named so.
 */
import type { TrimPolicy } from '../../machines/policy-inspect.ts';

const REDACTED = '[redacted]';
/** Names under which a secret is kept; `entropy` is what the codes of questions are drawn from. */
const SECRET_NAME =
  /token|secret|entropy|passw(or)?d|api_?-?key|private_?-?key|access_?-?key|credential|authorization|cookie/i;
/** `--api-key` as an argument of its own: the next one is the secret. */
const SECRET_FLAG = /^--?[\w-]*(token|secret|password|key)$/i;
/** 64 hexadecimal digits are a token of ours or its hash; the others are what common services give out. */
const SECRET_TEXT = new RegExp(
  [
    /\b[0-9a-f]{64}\b/,
    /\b(?:sk|pk|rk)[-_][\w-]{16,}/,
    /\bgh[pousr]_\w{20,}/,
    /\bgithub_pat_\w{20,}/,
    /\bglpat-[\w-]{16,}/,
    /\bxox[abeoprs]-[\w-]{10,}/,
    /\bAKIA[0-9A-Z]{16}\b/,
    /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/,
    /\bBearer\s+\S+/,
    /[\w-]*(?:token|secret|password|api[_-]?key)\\?["']?\s*[=:]\s*\\?["']?[^\s"'\\,;&]+/,
  ]
    .map(({ source }) => `(?:${source})`)
    .join('|'),
  'gi',
);

/** A text that shows no token. */
export function withoutSecrets(text: string): string {
  return text.replace(SECRET_TEXT, REDACTED);
}

/** Plain JSON of `value`, as much as the policy shows. */
export function trimmed(value: unknown, policy: TrimPolicy): unknown {
  return new Trim(policy).take(value, 0);
}

class Trim {
  readonly #policy: TrimPolicy;
  #left: number;
  readonly #above = new Set<object>();

  constructor(policy: TrimPolicy) {
    this.#policy = policy;
    this.#left = policy.mostValueChars;
  }

  take(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
      case 'boolean':
      case 'undefined':
        this.#left -= 1;
        return value;
      case 'bigint':
      case 'symbol':
        return this.#text(String(value));
      case 'function':
        return { type: nameOf(value) };
      case 'object':
        return value === null ? null : this.#object(value, depth);
    }
  }

  #text(text: string): string {
    const most = Math.max(0, Math.min(this.#policy.mostTextChars, this.#left));
    const shown = text.length <= most ? text : `${text.slice(0, most).replace(/\S+$/, '')}… ${text.length} characters`;
    this.#left -= shown.length;
    return withoutSecrets(shown);
  }

  #object(value: object, depth: number): unknown {
    if (this.#above.has(value)) return '[circular]';
    if (depth >= this.#policy.mostDepth || this.#left <= 0) return Array.isArray(value) ? '[…]' : '{…}';
    this.#above.add(value);
    try {
      return this.#inside(value, depth);
    } catch (error) {
      return `[unreadable: ${error instanceof Error ? error.name : typeof error}]`;
    } finally {
      this.#above.delete(value);
    }
  }

  #inside(value: object, depth: number): unknown {
    if (Array.isArray(value)) return this.#list(value, value.length, depth);
    if (value instanceof Set) return this.#list(value, value.size, depth);
    if (value instanceof Map) return this.#fields(value, value.size, depth);
    if (value instanceof Date) return this.#text(String(value));
    if (value instanceof Error) return { name: value.name, message: this.#text(value.message) };
    if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
    // As XState writes an actor into a snapshot.
    if ('sessionId' in value && 'send' in value && 'id' in value) return { xstate$$type: 1, id: value.id };
    return this.#fields(fieldsOf(value), Object.keys(value).length, depth);
  }

  #list(items: Iterable<unknown>, size: number, depth: number): unknown[] {
    const shown: unknown[] = [];
    let before: unknown = null;
    for (const item of items) {
      if (this.#isFull(shown.length)) return [...shown, `… ${size - shown.length} more`];
      const isSecret = typeof before === 'string' && typeof item === 'string' && SECRET_FLAG.test(before);
      shown.push(isSecret ? REDACTED : this.take(item, depth + 1));
      before = item;
    }
    return shown;
  }

  #fields(entries: Iterable<readonly [unknown, unknown]>, size: number, depth: number): Record<string, unknown> {
    const shown: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    let count = 0;
    for (const [key, value] of entries) {
      if (this.#isFull(count)) {
        shown['…'] = `${size - count} more`;
        break;
      }
      const name = this.#text(String(key));
      shown[name] = value !== null && SECRET_NAME.test(name) ? REDACTED : this.take(value, depth + 1);
      count += 1;
    }
    return shown;
  }

  #isFull(entries: number): boolean {
    return entries >= this.#policy.mostEntries || this.#left <= 0;
  }
}

/** Read one by one: those that are not shown are never read. */
function* fieldsOf(value: object): Generator<readonly [string, unknown]> {
  for (const key of Object.keys(value)) yield [key, (value as Readonly<Record<string, unknown>>)[key]];
}

/** `xstate.assign` for a built-in action, else the function's own name. */
export function nameOf(fn: unknown): string {
  const { type, name } = fn as { type?: unknown; name?: unknown };
  return typeof type === 'string' ? type : String(name);
}
