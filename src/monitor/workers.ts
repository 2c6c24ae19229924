/** Which sessions are workers (M-1). */
import type { SessionSpec } from '../../machines/protocol.ts';
import { LimitedPattern, TimeLimit } from '../screen/time-limit.ts';
import { MONITOR_TAG, type MonitorPolicy } from '../../machines/monitor/policy.ts';

/** By source. It was tried when the configuration was read; one that is slow all the same fits nothing any more. */
const PATTERNS = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  const pattern = PATTERNS.get(source) ?? new LimitedPattern(new RegExp(source, 'u'), new TimeLimit(() => undefined));
  PATTERNS.set(source, pattern);
  return pattern;
}

/** A session with the tag of orchestrators or of monitors is no worker, even if it has a worker tag too. */
export function isWorker(
  { name, tags }: Pick<SessionSpec, 'name' | 'tags'>,
  { workerTags, workerPattern, orchestratorTag }: MonitorPolicy,
): boolean {
  if (tags.includes(orchestratorTag) || tags.includes(MONITOR_TAG)) return false;
  return (
    tags.some((tag) => workerTags.includes(tag)) && (workerPattern === null || patternOf(workerPattern).test(name))
  );
}
