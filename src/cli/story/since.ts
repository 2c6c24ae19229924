/** `--since 8h`: how far back a story goes. */
import type { Ms } from '../../../machines/protocol.ts';
import { parseDuration } from '../../config/duration.ts';
import type { Settings } from '../../config/settings.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { quoteName } from '../naming/names.ts';

/** A century: what is older than any journal. */
const MAX_MS = 3_155_760_000_000;

/** How far back a report reaches: as asked, else a night. Throws as `readSince`. */
export const reportLength = (asked: string | undefined, { state }: Pick<Settings, 'state'>): Ms =>
  asked === undefined ? state.reportMs : readSince(asked);

/** Milliseconds. Throws Failure (2) for what is no duration above zero. */
export function readSince(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms > 0 && ms <= MAX_MS) return ms;
  if (ms !== null && ms > MAX_MS) {
    const far = `--since ${quoteName(text)} reaches back more than a century; write --since 8h`;
    throw new Failure(EXIT.usage, 'bad_duration', far);
  }
  const why = `--since ${quoteName(text)} is no duration: a number above 0 and ms, s, m, h or d; write --since 8h`;
  throw new Failure(EXIT.usage, 'bad_duration', why);
}
