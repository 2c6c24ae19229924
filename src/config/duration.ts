/** Durations as people write them: a number and a unit. Milliseconds inside. */
import type { Ms } from '../../machines/protocol.ts';

const UNITS: Readonly<Record<string, Ms>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const DURATION = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h|d)$/;

/** `"90s"`, `"1.5m"`, `"250ms"`, `"24h"`, `"7d"`; null when it is not a duration. Whole milliseconds, rounded. */
export function parseDuration(text: string): Ms | null {
  const match = DURATION.exec(text.trim());
  const unit = UNITS[match?.[2] ?? ''];
  return match === null || unit === undefined ? null : Math.round(Number(match[1]) * unit);
}

/** The shortest exact way to write it; what `parseDuration` reads back. */
export function formatDuration(ms: Ms): string {
  const unit = Object.keys(UNITS)
    .reverse()
    .find((name) => name !== 'd' && ms > 0 && ms % (UNITS[name] ?? 1) === 0);
  return unit === undefined ? `${ms}ms` : `${ms / (UNITS[unit] ?? 1)}${unit}`;
}
