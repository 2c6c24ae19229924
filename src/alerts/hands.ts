/**
 * The hands of the actor that owns episodes (machines/alerts/machine.ts): they look, and tell a person. What others order about
 * episodes goes to it as news, and what it confirms is their outcome.
 */
import { answersTo, askedBy } from '../../machines/alert-kinds.ts';
import type { Cause } from '../../machines/alerts/policy.ts';
import { NEEDS_INPUT } from '../../machines/alerts/things.ts';
import {
  aboutOf,
  orderName,
  type Acks,
  type Alert,
  type AlertChange,
  type OutcomeBody,
} from '../../machines/protocol.ts';
import type { Alerts, Episode } from '../../state/alerts/episodes.ts';
import type { Asks, OfferedAsk } from '../channels/asks.ts';
import type { Announce, Clock, Hands, OrderOf, Perform } from '../ports/ports.ts';
import { causeOf } from './bell.ts';
import type { Notice } from './notify.ts';
import { endOf, type SubjectsDeps } from './subjects.ts';

export interface AlertDeps extends SubjectsDeps {
  readonly alerts: Pick<Alerts, 'all'>;
  readonly clock: Pick<Clock, 'wall'>;
  readonly announce: Announce;
  /** What a dialog asks, as channels may answer it. */
  readonly offers: Pick<Asks, 'offer' | 'mayOffer' | 'end'>;
  /** Rings for `[notify] command`; never rejects. */
  readonly notify: (notice: Notice, cause: Cause) => Promise<void>;
  readonly log: (text: string, more: object) => void;
}
type AlertOrders = AlertChange['type'] | 'confirmAlert' | 'readAlerts' | 'checkAlerts' | 'notify';

export function alertHands(deps: AlertDeps): Pick<Hands, AlertOrders> {
  return {
    ...passing(deps.announce),
    readAlerts: async () => {
      const all = await deps.alerts.all();
      return { type: 'ALERTS_READ', episodes: all.map(({ acked: _, ...record }) => record), acked: acksOf(all) };
    },
    checkAlerts: async ({ of }) => {
      const acked = acksOf(await deps.alerts.all());
      const over = [];
      for (const one of of) {
        const text = await endOf(deps, one).catch(() => null); // not seen is not gone
        if (text !== null) over.push({ ...one, text });
      }
      return { type: 'ALERTS_CHECKED', acked, over };
    },
    notify: async ({ what: kind, alert: { text, ...about }, count, asks }) => {
      deps.log(text, about);
      const at = new Date(deps.clock.wall()).toISOString();
      const { severity, session } = about;
      const ends = kind === 'recovered' && askedBy(about.episode, session) !== null;
      const tags = session === null ? [] : ((await deps.session(session).catch(() => null))?.spec.tags ?? []);
      const told = { ...(ends && { ends_question: true }), ...(tags.length > 0 && { tags }) };
      const ask = await askOf(deps, kind, about);
      const answers = kind === 'alert' ? answersTo(about.episode) : [];
      const choice = { ...(answers.length > 0 && { answers }), ...(ask !== null && { ask }) };
      const more = { count, question: asks !== null, type: asks ?? [], ...told, ...choice };
      const notice: Notice = { schema: 'notice/1', kind, text, at, ...about, ...more };
      // Each has a choice of its own; those that can only be acknowledged are one message with their count.
      const of = ask !== null ? [`ask ${String(ask.number)}`] : deps.offers.mayOffer(notice) ? [about.episode] : [];
      // A route is chosen by tags: what is told as one has the same.
      const name = ['alert', aboutOf(about.episode).kind, severity, ...tags.toSorted(), ...of].join('/');
      const cause = causeOf(name, { isOfSession: session !== null });
      await deps.notify(notice, cause);
      return { type: 'NOTIFIED' };
    },
  };
}

async function askOf(
  { offers }: AlertDeps,
  kind: 'alert' | 'recovered',
  { episode, session, question }: Pick<Alert, 'episode' | 'session' | 'question'>,
): Promise<OfferedAsk | null> {
  if (session === null || aboutOf(episode).kind !== NEEDS_INPUT.kind) return null;
  if (kind === 'alert') return offers.offer(session, question);
  await offers.end(session);
  return null;
}

const acksOf = (episodes: readonly Episode[]): Acks =>
  Object.fromEntries(episodes.flatMap(({ episode, acked }) => (acked === null ? [] : [[episode, acked]])));

/** Takes orders about episodes to the actor, and its word back. */
function passing(announce: Announce): Pick<Hands, AlertChange['type'] | 'confirmAlert'> {
  const waiting = new Map<string, (outcome: OutcomeBody) => void>();
  const pass: Perform<OrderOf<AlertChange['type']>> = ({ id: by, ...change }, signal) =>
    new Promise((resolve) => {
      const name = orderName(by);
      waiting.set(name, resolve);
      signal.addEventListener('abort', () => waiting.delete(name), { once: true });
      announce({ type: 'ALERT_ORDERED', by, change });
    });
  return {
    alert: pass,
    endAlert: pass,
    endOthers: pass,
    confirmAlert: ({ to, ended }) => {
      waiting.get(orderName(to))?.({ type: 'ALERTED', ended });
      waiting.delete(orderName(to));
      return Promise.resolve({ type: 'REPLIED' });
    },
  };
}
