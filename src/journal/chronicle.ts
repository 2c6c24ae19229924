/**
 * What of a step belongs into the journal: every fact and decision that mattered, none that merely repeats (V-3).
 * 1. What mattered is each subsystem's to say (lines.ts): here it is only asked.
 * 2. Lines name the session and the dance or health check they are about, so that `town why` is a filter and not a guess.
 */
import type { News, Order, Outcome, SavedRecord } from '../../machines/protocol.ts';
import type { JournalLine } from '../../state/journal.ts';
import { Correlation } from './correlation.ts';
import { STORIES } from './lines.ts';
import type { StandingAlerts } from './standing-alerts.ts';

/** One step as the journal sees it: what came in, what was decided. */
export interface StepSeen {
  readonly facts: readonly (News | Outcome)[];
  readonly records: readonly SavedRecord[];
  readonly orders: readonly Order[];
  readonly wall: number;
}

type Draft = Partial<JournalLine> & Pick<JournalLine, 'kind'>;
/** As they are asked: each gets only what it is listed for. */
type Writers = Readonly<Record<string, (of: unknown, seen: Correlation) => Draft | readonly Draft[] | null>>;

export class Chronicle {
  readonly #seen: Correlation;

  /** `alerts`: those that the journal has; absent = it is a new one. */
  constructor(alerts?: StandingAlerts) {
    this.#seen = new Correlation(alerts);
  }

  /** The lines of one step, in the order in which things happened. */
  lines({ facts, records, orders, wall }: StepSeen): JournalLine[] {
    for (const r of records) if (r.kind === 'dance') this.#seen.opened(r.value);
    const drafts = [
      ...facts.flatMap((fact) => this.#told('facts', fact.type, fact)),
      ...records.flatMap((record) => this.#told('records', record.kind, record)),
      ...orders.flatMap((order) => this.#told('orders', order.type, order)),
    ];
    for (const r of records) if (r.kind === 'dance' && r.value.stage === 'closed') this.#seen.over(r.value);
    return drafts.map((draft) => ({ at: wall, ...draft }));
  }

  #told(among: 'facts' | 'records' | 'orders', type: string, of: unknown): readonly Draft[] {
    return STORIES.flatMap((story) => (story[among] as Writers | undefined)?.[type]?.(of, this.#seen) ?? []);
  }
}
