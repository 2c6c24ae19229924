/** A town that is told of alerts, in virtual time, and the person at its desk. */
import {
  episodeIn,
  orderName,
  type Acked,
  type Alert,
  type AlertChange,
  type NewsBody,
} from '../../machines/protocol.ts';
import { POLICY } from '../../machines/policy.ts';
import { Drive } from '../world/drive.ts';
import type { SimHands } from '../world/hands.ts';

export const { realertMs, remindEveryMs } = POLICY.alerts;
export const ALERT: Alert = {
  episode: episodeIn('needs-input/nux'),
  severity: 'high',
  session: 'nux',
  text: 'it burns',
};
export const { episode: BURNS } = ALERT;

/** A town that is told of alerts: what a person hears of them, and takes note of. */
export class Desk extends Drive {
  readonly acked: Record<string, Acked>;
  #orders = 0;

  constructor(hands: SimHands = {}) {
    const acked: Record<string, Acked> = {};
    super([hands, { checkAlerts: () => ({ type: 'ALERTS_CHECKED', acked: { ...acked }, over: [] }) }]);
    this.acked = acked;
  }

  /** An actor orders these, one after the other. */
  order(...changes: readonly AlertChange[]): void {
    this.tell(
      ...changes.map((change): NewsBody => ({
        type: 'ALERT_ORDERED',
        by: { name: 'order', turn: (this.#orders += 1) },
        change,
      })),
    );
    this.run(100);
  }
  raise(more: Partial<Alert> = {}): void {
    this.order({ type: 'alert', alert: { ...ALERT, ...more } });
  }
  end(episode = BURNS): void {
    this.order({ type: 'endAlert', episode, text: 'it is out' });
  }
  take(note: Partial<Acked> = {}): void {
    this.acked[BURNS] = { since: this.episodes[0]?.since ?? 0, by: 'operator', at: this.wall, ...note };
  }

  get told(): string[] {
    return this.given('notify').map(({ what, alert }) => `${what} ${alert.episode}: ${alert.text}`);
  }
  get kinds(): string[] {
    return this.given('notify').map(({ what }) => what);
  }
  get confirmed(): string[] {
    return this.given('confirmAlert').map(({ to, ended }) =>
      [orderName(to), ...ended.map(({ episode }) => episode)].join(' '),
    );
  }
}
