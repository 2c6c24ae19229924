/**
 * What agents report of themselves, as the last look found it: a scan does not wait for a slow disk. Until the first look it is not
 * known, so that a town that starts ends no alert.
 */
import type { Halted, Ms, SeenSession, StatusReport, WallMs } from '../../machines/protocol.ts';
import type { Need } from '../../machines/sessions/report-state.ts';
import type { AgentNow } from './agents-now.ts';
import { questionId } from './question.ts';
import type { Reports } from '../../state/monitor/reports.ts';

export class ReportsSeen {
  readonly #reports: Pick<Reports, 'of' | 'end'>;
  readonly #isOver: (report: StatusReport) => boolean;
  #known: ReadonlyMap<string, StatusReport> | null = null;
  #isLooking = false;

  /** `isOver`: whether what is seen now outlasts a restart of the town, which sees its agents anew. */
  constructor(reports: Pick<Reports, 'of' | 'end'>, isOver: (report: StatusReport) => boolean) {
    this.#reports = reports;
    this.#isOver = isOver;
  }

  /** Never rejects: what cannot be read stays as it was. */
  async look(sessions: readonly string[]): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#known = await this.#reports.of(sessions).catch(() => this.#known);
    for (const report of this.#known?.values() ?? [])
      if (this.#isOver(report)) await this.#reports.end(report).catch(() => undefined);
    this.#isLooking = false;
  }

  /** By session. Rejects while nothing is known. */
  of = (): Promise<ReadonlyMap<string, StatusReport>> =>
    this.#known === null ? Promise.reject(new Error('not read yet')) : Promise.resolve(this.#known);
}

export interface Wants extends Pick<SeenSession, 'asks' | 'question'> {
  readonly halted: Halted | null | undefined;
}

interface About {
  /** The uuid of its life. */
  readonly life: string;
  readonly now: WallMs;
  /** A report counts once it has stood for so long: the agent may go on by itself. */
  readonly afterMs: Ms;
}

/**
 * What an agent wants of a person: a dialog or a halted turn as it shows, else what it reported (M-2). What is not known neither begins
 * nor ends an alert.
 */
export function wantsOf(shown: Wants, { need, verdict }: Pick<AgentNow, 'need' | 'verdict'>, about: About): Wants {
  const { asks, halted } = shown;
  // Of a program that nothing else tells of, its next report is the end.
  if (need === null)
    return verdict.word?.by === 'report' ? { ...shown, asks: asks || null, halted: halted ?? null } : shown;
  if (need === undefined || !need.isSure || about.now - need.at < about.afterMs) return undecided(shown, need?.state);
  if (need.state === 'error') return { ...shown, halted: halted ?? { state: 'error', what: need.what } };
  if ((asks ?? '') !== '') return shown;
  return { asks: need.what, halted, question: questionId(about.life, { report: need.what }) };
}

/** Of what it may need by its report: that nothing shows is no end. `may`: absent = either. */
const undecided = (shown: Wants, may: Need['state'] | undefined): Wants => ({
  ...shown,
  asks: shown.asks === null && may !== 'error' ? '' : shown.asks,
  halted: shown.halted === null && may !== 'asks' ? undefined : shown.halted,
});
