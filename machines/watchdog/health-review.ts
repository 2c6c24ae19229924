/**
 * The advice that failed health checks lead to (C-15): it stands as long as its count does. It speaks of one life (law 3), so the
 * count is over with that life, however that ended and whichever process counted (law 8); that is looked at now and then.
 */
import { attach } from '../alerts/asks.ts';
import type { Level, Standing } from '../alerts/levels.ts';
import type { DeaconPolicy } from './policy.ts';
import type { SessionRecord, Notes } from '../protocol.ts';

interface Advice {
  readonly policy: DeaconPolicy;
  readonly checks: Notes['healthChecks'] | null;
}

/** It has a life that can be asked. */
export const isLive = (r: SessionRecord): boolean =>
  (r.state === 'running' || r.state === 'observed') && r.incarnation !== null;

export const REVIEW = { issuer: 'health', verb: 'review' } as const;
/** How the result of a check begins that was answered. */
export const ANSWERED = 'answered';
/** Sessions that are advised upon: their present life leaves checks unanswered. */
export const advisedIn = ({ checks, policy }: Advice): string[] =>
  Object.entries(checks ?? {}).flatMap(([name, { failures }]) => (failures >= policy.healthFailures ? [name] : []));

/** Whether what was advised still means a life that is there (law 3, law 8). */
export function review(context: Advice, records: readonly SessionRecord[]): Partial<Advice> {
  const lives = new Set(records.flatMap((r) => (isLive(r) && r.incarnation ? [r.incarnation.uuid] : [])));
  const checks = { ...context.checks };
  for (const name of advisedIn(context)) {
    const check = checks[name];
    if (check !== undefined && !lives.has(check.uuid))
      checks[name] = { ...check, failures: 0, result: 'its life is over' };
  }
  return context.checks === null ? {} : { checks };
}

const adviceOf = (session: string, failures: number): Standing => ({
  name: session,
  severity: 'medium',
  session,
  text: `${session} left ${failures} health checks in a row unanswered. Nothing was done to it. If it is stuck: town warrant file ${session} --reason "no answer to health checks"`,
});

export const HEALTH_LEVELS: readonly Level<Advice>[] = [
  {
    kind: 'health',
    asks: (about) => [...attach(about), `town warrant file ${about.session} --reason "no answer to health checks"`],
    claim: (context) => {
      const { checks } = context;
      if (checks === null) return null;
      return { stands: advisedIn(context).map((name) => adviceOf(name, checks[name]?.failures ?? 0)), only: [] };
    },
    ended: (name, { checks }) =>
      name !== null && checks?.[name]?.result.startsWith(ANSWERED) === true
        ? `${name} answers again.`
        : 'That life is over, or answers.',
  },
];
