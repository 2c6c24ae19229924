/** What the process of the channels says to the town, a line of JSON each. What is not whole is nothing. */
import type { Beat, Paged, Wanted } from './orders.ts';
import type { TownRequest, Heard, Mention, Spoken } from './port.ts';

/** Each but one is null; all are where a library printed the line. */
export interface SaidLine {
  readonly beat: Beat | null;
  readonly heard: Heard | null;
  readonly mention: Mention | null;
  readonly want: Wanted['want'] | null;
  readonly paged: Paged['paged'] | null;
  readonly spoken: Spoken | null;
}

type Raw = Readonly<Record<string, unknown>>;

const rawOf = (value: unknown): Raw => (typeof value === 'object' && value !== null ? (value as Raw) : {});
const areTexts = (raw: Raw, ...keys: readonly string[]): boolean => keys.every((key) => typeof raw[key] === 'string');

export function saidIn(line: string): SaidLine {
  const raw = parsed(line);
  const part = (key: string): Raw => rawOf(raw[key]);
  return {
    beat: beatIn(raw),
    heard: heardIn(part('heard')),
    mention: areTexts(part('mention'), 'id', 'from', 'to', 'text') ? (part('mention') as unknown as Mention) : null,
    want: wantIn(part('want')),
    paged: pagedIn(part('paged')),
    spoken: areTexts(part('spoken'), 'agent', 'text') ? (part('spoken') as unknown as Spoken) : null,
  };
}

function parsed(line: string): Raw {
  try {
    return rawOf(JSON.parse(line));
  } catch {
    return {};
  }
}

function beatIn({ troubles, isGood, isHearing, bytes }: Raw): Beat | null {
  const isWhole = Array.isArray(troubles) && typeof isGood === 'boolean' && typeof bytes === 'number';
  return isWhole ? { troubles: troubles as Beat['troubles'], isGood, isHearing: isHearing === true, bytes } : null;
}

function wantIn({ id, look, offer, request }: Raw): Wanted['want'] | null {
  if (typeof id !== 'number') return null;
  if (Array.isArray(look)) return { id, look: look.map(String) };
  if (areTexts(rawOf(request), 'do')) return { id, request: request as TownRequest };
  return typeof offer === 'string' ? { id, offer } : null;
}

function heardIn(raw: Raw): Heard | null {
  const { number, proof } = raw;
  const areWords = areTexts(raw, 'id', 'from', 'word', 'text');
  const isWhole = areWords && Number.isSafeInteger(number) && (proof === null || typeof proof === 'string');
  return isWhole ? (raw as unknown as Heard) : null;
}

function pagedIn({ id, error, isUnsure }: Raw): Paged['paged'] | null {
  const isWhole = typeof id === 'number' && (error === null || typeof error === 'string');
  return isWhole ? { id, error, isUnsure: isUnsure === true } : null;
}
