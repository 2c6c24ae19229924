/**
 * The alerts that stand by the last lines of the journal: who reads it gets each once (law 8).
 * 1. An actor claims what it sees anew after each start. The journal itself says what it holds: a crash between it and a record loses and
 *    doubles no line, and those that one alert stands for are known too.
 * 2. Other words, another life or another question are another line. Marks of the same question that come later are none.
 */
import { isOtherQuestion, joinedQuestion } from '../../machines/alerts/question.ts';
import type { Alert } from '../../machines/protocol.ts';
import type { Alerts } from '../../state/alerts/episodes.ts';
import { textOf, type Disk } from '../../state/files/disk.ts';
import { partNames, readJournal, startOfDay, type WrittenLine } from '../../state/journal.ts';
import { Latest } from './change-filter.ts';

interface Told {
  readonly severity: string;
  readonly text: string;
  readonly life: string | undefined;
  readonly question: string | undefined;
}

export class StandingAlerts {
  readonly #told = new Latest<Told>();

  /** Whether the journal does not say it yet. */
  begins({ episode, severity, text, life, question: next }: Alert): boolean {
    const before = this.#told.get(episode);
    const isOther = isOtherQuestion(before?.question, next);
    const question = isOther ? next : joinedQuestion(before?.question, next);
    this.#told.set(episode, { severity, text, life, question });
    const isOtherLife = before?.life !== undefined && life !== undefined && before.life !== life;
    return before?.text !== text || before.severity !== severity || isOtherLife || isOther;
  }

  /** Whether it stood. */
  ends(episode: string): boolean {
    return this.#told.delete(episode);
  }

  /** As the journal has it. */
  read({ kind, episode, severity, text, life, question }: WrittenLine): void {
    if (typeof episode !== 'string') return;
    if (kind === 'alert.ended') this.ends(episode);
    if (kind !== 'alert' || typeof severity !== 'string' || typeof text !== 'string') return;
    const word = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
    this.#told.set(episode, { severity, text, life: word(life), question: word(question) });
  }
}

/** Reads the journal back to the oldest alert that is open, and its last day: a crash may have kept a line and not its record. What cannot be read is told to `note`, and holds no line. */
export async function alertsInJournal(
  { disk, alerts }: { readonly disk: Disk; readonly alerts: Pick<Alerts, 'all'> },
  note: (text: string) => void,
): Promise<StandingAlerts> {
  const standing = new StandingAlerts();
  try {
    const last = (await partNames(disk)).at(-1);
    if (last === undefined) return standing;
    const since = Math.min(startOfDay(last), ...(await alerts.all()).map((one) => one.since));
    for await (const line of readJournal(disk, { since, holding: '"kind":"alert', onUnreadable: note }))
      standing.read(line);
  } catch (error) {
    note(`which alerts the journal has is unknown: ${textOf(error)}`);
  }
  return standing;
}
