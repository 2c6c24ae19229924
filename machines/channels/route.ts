/** Which channels get a notice, and whether they get it now. Pure. */
import { rank } from '../alerts/severity.ts';
import type { Told } from '../alerts/slots.ts';
import { CONDITIONS } from '../alerts/things.ts';
import type { Ms, Severity, WallMs } from '../protocol.ts';
import { aboutOf } from '../protocol/episode.ts';

/** One `[[route]]`. */
export interface Route {
  /** It takes notices that are at least so grave. */
  readonly severity: Severity;
  /** It takes notices about sessions with this tag; null = any. */
  readonly tag: string | null;
  /** Names of channels. */
  readonly to: readonly string[];
  /** `22:00-07:00`, local time: what is not critical waits for its end; null = never. */
  readonly quiet: string | null;
  /** In milliseconds: what is not critical waits until the oldest that waits so is this old, and goes out as one message; null = it does not. */
  readonly digest: Ms | null;
}

/** Minutes since midnight. */
export const HOURS = /^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/;

/** A process of the town that fell is as grave as it gets; a letter says by itself whether it is urgent. */
export function severityOf({ kind, severity, urgent }: Told): Severity {
  if (severity === 'low' || severity === 'medium' || severity === 'high' || severity === 'critical') return severity;
  if (kind === 'guard') return 'critical';
  return urgent === true ? 'high' : 'medium';
}

/** What asks a person for something, the end of that, and that nothing does, for who wants to hear it. */
const asksPerson = ({ kind, question, ends_question: ends }: Told): boolean =>
  kind === 'guard' || kind === 'well' || question === true || (kind === 'recovered' && ends === true);

const fits = ({ severity, tag }: Route, notice: Told): boolean => {
  const tags: unknown = notice['tags'];
  const hasTag = tag === null || (Array.isArray(tags) && tags.includes(tag));
  return hasTag && rank({ severity: severityOf(notice) }) >= rank({ severity });
};

export interface Routed {
  readonly to: readonly string[];
  /** Quiet hours hold it back. */
  readonly waits: boolean;
  /** As a route has it; null = it goes out by itself. */
  readonly digestMs: Ms | null;
}

/** They have no configuration but the routes that name them. */
const BY_NAME = ['bell', 'pane', 'mayor'];

const AT_ONCE = { waits: false, digestMs: null } as const;

/** Its own route may be the one that delivers nothing. */
const isAboutChannels = ({ episode }: Told): boolean =>
  typeof episode === 'string' && aboutOf(episode).kind === CONDITIONS['channel-silent'].kind;

/** The first route that fits decides, unless no channel of it is configured. What fits none goes to every channel that is configured if it asks a person. `minute`: of the local day. */
export function routeOf(notice: Told, routes: readonly Route[], channels: readonly string[], minute: number): Routed {
  // What came of an answer is told where it came from, at once: its person waits for it.
  const back: unknown = notice.kind === 'answer' ? notice['to'] : null;
  if (Array.isArray(back)) return { to: channels.filter((name) => back.includes(name)), ...AT_ONCE };
  if (!asksPerson(notice)) return { to: [], ...AT_ONCE };
  if (isAboutChannels(notice)) return { to: channels, ...AT_ONCE };
  const leads = ({ to }: Route): boolean => to.length === 0 || to.some((name) => channels.includes(name));
  const route = routes.find((one) => leads(one) && fits(one, notice));
  if (route === undefined) return { to: channels.filter((name) => !BY_NAME.includes(name)), ...AT_ONCE };
  const isQuiet = route.quiet !== null && isWithin(route.quiet, minute);
  const to = channels.filter((name) => route.to.includes(name));
  if (severityOf(notice) === 'critical') return { to, ...AT_ONCE };
  // That nothing needs a person is so now: no digest gathers it.
  return { to, waits: isQuiet, digestMs: notice.kind === 'well' ? null : route.digest };
}

/** Whether the digest of these goes out now: one of them has waited its time. A clock that went back holds nothing up. */
export const isDigestDue = (
  all: readonly (Pick<Routed, 'digestMs'> & { readonly at: WallMs })[],
  now: WallMs,
): boolean => all.some(({ digestMs, at }) => digestMs !== null && (now - at >= digestMs || at > now));

/** Whether a minute of the day is in hours that may go over midnight. */
export function isWithin(hours: string, minute: number): boolean {
  const [from = 0, to = 0] = hours.split('-').map((time) => {
    const [hour = 0, minutes = 0] = time.split(':').map(Number);
    return 60 * hour + minutes;
  });
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
}
