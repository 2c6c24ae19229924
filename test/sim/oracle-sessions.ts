/**
 * Judges starts: never two at once of one name, never beside a living one, never after an end for good or an operator's stop, never into
 * a login that is known to be dead.
 */
import type { EntryOf, Log } from './log.ts';

/** `watched`: a session that others start again, however it ended. */
export function judgeSessions(log: Log, watched?: string): string[] {
  const found: string[] = [];
  const last = new Map<string, EntryOf<'died'>>();
  const known = new Set<string>();
  /** Lives that another program began under a name of the town: their ends are none of its business. */
  const foreign = new Set<string>();
  /** Sessions that an operator knows to be stopped, with the starts that were ordered before. */
  const stopped = new Map<string, ReadonlySet<string>>();
  /** Lives that were to be started though the town knew their login to be dead. */
  const warned = new Set<string>();
  const asked = new Map<string, Set<string>>();
  const underWay = new Map<string, { life: string; town: number }>();
  for (const entry of log) {
    if (entry.what === 'ended')
      for (const [name, start] of underWay) if (start.town === entry.town) underWay.delete(name);
    if (entry.what === 'born' && entry.by === 'other' && known.has(entry.session)) foreign.add(entry.life);
    if (entry.what === 'born') known.add(entry.session);
    if (entry.what === 'died' && !foreign.has(entry.life)) last.set(entry.session, entry);
    if (entry.what === 'stopped') stopped.set(entry.session, new Set(asked.get(entry.session)));
    if (entry.what === 'startAsked') {
      asked.set(entry.session, (asked.get(entry.session) ?? new Set()).add(entry.life));
      if (entry.isWarned) warned.add(entry.life);
      const other = underWay.get(entry.session);
      if (entry.ended) underWay.delete(entry.session);
      else {
        if (other !== undefined && other.life !== entry.life)
          found.push(`${entry.session}: two starts at once at ${entry.t}, ${other.life} and ${entry.life}`);
        underWay.set(entry.session, entry);
      }
    }
    if (entry.what !== 'born' || entry.by !== 'town') continue;
    if (stopped.get(entry.session)?.has(entry.life) === false)
      found.push(`${entry.session}: it was stopped by an operator, and was started again at ${entry.t}`);
    if (entry.isDoomed && warned.has(entry.life))
      found.push(`${entry.session}: ${entry.life} was started at ${entry.t} into a login that was known to be dead`);
    if (entry.others > 0) found.push(`${entry.session}: ${entry.life} was started at ${entry.t} beside a living one`);
    if (entry.session === watched) continue;
    const death = last.get(entry.session);
    if (entry.restart === 'temporary') found.push(`${entry.session}: temporary, and started again at ${entry.t}`);
    if (entry.restart === 'transient' && death?.of === 'clean exit' && death.shown)
      found.push(`${entry.session}: it ended cleanly, and was started again at ${entry.t}`);
    if (entry.restart === 'transient' && (death?.of === 'signal' || death?.of === 'clearing'))
      found.push(`${entry.session}: it was executed, and was started again at ${entry.t}`);
  }
  return found;
}
