/**
 * What of a value leaves the process: JSON of a bounded size, in which no word stands that is not known to be harmless. Pure.
 * 1. A text is shown where it is one word and the field says what it can be (`SHOWN`); every other one is not, nor one of a field
 *    that comes to be added: codes, tokens, what panes show, what people wrote.
 * 2. The work is bounded like the result: of a book of ten thousand records only the shown ones are read.
 * 3. Never throws: what cannot be read is named so.
 */
import type { TrimPolicy } from './policy.ts';

const REDACTED = '[redacted]';
/** Fields whose words are the town's own, or names that the town checked: nothing a pane showed, no code, no free text. */
const SHOWN: ReadonlySet<string> = new Set([
  'type',
  'kind',
  'status',
  'state',
  'stage',
  'step',
  'verdict',
  'severity',
  'verb',
  'signal',
  'origin',
  'restart',
  'id',
  'issuer',
  'rpc',
  'dance',
  'dog',
  'rig',
  'session',
  'name',
  'paneId',
  'sessionId',
  'actorId',
  'episode',
]);
const WORD = /^[\w$%@.:/-]+$/;
/** A life's uuid is drawn from what the codes are drawn from; nothing that long is a name. */
const DRAWN = /[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{32}/i;

/** Plain JSON of `value`, as much as the policy shows. */
export function trim(value: unknown, policy: TrimPolicy): unknown {
  return new Trim(policy).take(value, 0, '');
}

class Trim {
  readonly #policy: TrimPolicy;
  #left: number;
  readonly #above = new Set<object>();

  constructor(policy: TrimPolicy) {
    this.#policy = policy;
    this.#left = policy.maxValueChars;
  }

  /** `field`: the name that it stands under, in a list that of the list. */
  take(value: unknown, depth: number, field: string): unknown {
    switch (typeof value) {
      case 'string':
        return SHOWN.has(field) ? this.#word(value) : this.#spent(REDACTED);
      case 'number':
      case 'boolean':
      case 'undefined':
        this.#left -= 1;
        return value;
      case 'bigint':
      case 'symbol':
        return this.#spent(REDACTED);
      case 'function':
        return { type: nameOf(value) };
      case 'object':
        return value === null ? null : this.#object(value, depth, field);
    }
  }

  #word(text: string): string {
    const isFit = text.length <= this.#policy.maxWordChars && WORD.test(text) && !DRAWN.test(text);
    return this.#spent(isFit ? text : REDACTED);
  }

  #spent(text: string): string {
    this.#left -= text.length;
    return text;
  }

  #object(value: object, depth: number, field: string): unknown {
    if (this.#above.has(value)) return '[circular]';
    if (depth >= this.#policy.maxDepth || this.#left <= 0) return Array.isArray(value) ? '[…]' : '{…}';
    this.#above.add(value);
    try {
      return this.#inside(value, depth, field);
    } catch (error) {
      return `[unreadable: ${error instanceof Error ? error.name : typeof error}]`;
    } finally {
      this.#above.delete(value);
    }
  }

  #inside(value: object, depth: number, field: string): unknown {
    if (Array.isArray(value)) return this.#list(value, value.length, depth, field);
    if (value instanceof Set) return this.#list(value, value.size, depth, field);
    if (value instanceof Map) return this.#fields(value, value.size, depth);
    if (value instanceof Date) return value.getTime();
    if (value instanceof Error) return { name: this.#word(value.name), message: REDACTED };
    if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
    // As XState writes an actor into a snapshot.
    if ('sessionId' in value && 'send' in value && 'id' in value)
      return { xstate$$type: 1, id: this.#word(String(value.id)) };
    return this.#fields(fieldsOf(value), Object.keys(value).length, depth);
  }

  #list(items: Iterable<unknown>, size: number, depth: number, field: string): unknown[] {
    const shown: unknown[] = [];
    for (const item of items) {
      if (this.#isFull(shown.length)) return [...shown, `… ${size - shown.length} more`];
      shown.push(this.take(item, depth + 1, field));
    }
    return shown;
  }

  /** Names that are data, of sessions and orders, are looked at like any word. */
  #fields(entries: Iterable<readonly [unknown, unknown]>, size: number, depth: number): Record<string, unknown> {
    const shown: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    let count = 0;
    for (const [key, value] of entries) {
      if (this.#isFull(count)) {
        shown['…'] = `${size - count} more`;
        break;
      }
      count += 1;
      const word = this.#word(String(key));
      shown[word === REDACTED ? `[redacted ${count}]` : word] = this.take(value, depth + 1, String(key));
    }
    return shown;
  }

  #isFull(entries: number): boolean {
    return entries >= this.#policy.maxEntries || this.#left <= 0;
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
