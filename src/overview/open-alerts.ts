/**
 * The open alerts about dialogs as the dialogs stand at this look. An alert is begun, and ended, by a later scan: here one that is
 * gone is left out, the next one has its own number, and one that came only now is there already. All lists of questions read this one.
 */
import { idIn, isOtherQuestion, isReport } from '../../machines/alerts/question.ts';
import { NEEDS_INPUT } from '../../machines/alerts/things.ts';
import type { SessionRecord, WallMs } from '../../machines/protocol.ts';
import { episodeOf } from '../../machines/protocol/episode.ts';
import { answersTo, askedBy } from '../../machines/alert-kinds.ts';
import { asksOfSession } from '../../machines/sessions/alerts.ts';
import { isWatched } from '../../machines/sessions/state.ts';
import { isDecided, type Episode } from '../../state/alerts/episodes.ts';

export interface OpenAlert {
  readonly episode: string;
  readonly severity: string;
  readonly session: string | null;
  readonly text: string;
  /** ISO. */
  readonly since: string;
  readonly acked: boolean;
  /** Which question it is about, of those that one agent asks (machines/alerts/question.ts); null = not known. Absent where an older town tells. */
  readonly question?: string | null;
  /** What to type for it; null = it is news. Absent where an older town tells. */
  readonly type?: readonly string[] | null;
  /** It is not on record yet, so it cannot be acknowledged. */
  readonly isNew?: true;
  /** The words that `town answer` takes for it, besides `seen`. Absent where an older town tells. */
  readonly answers?: readonly string[];
}

/** null = they are not known. */
export type OpenAlerts = readonly OpenAlert[] | null;

/** What a life asks, by a look of now. */
export interface AskedNow {
  readonly what: string;
  /** Its marks (machines/alerts/question.ts). */
  readonly question: string;
  readonly since: WallMs;
}

/** `questionNow`: null = it asks nothing, undefined = that is not known. */
export function alertsNow(
  alerts: readonly OpenAlert[],
  records: readonly SessionRecord[],
  questionNow: (uuid: string) => AskedNow | null | undefined,
): readonly OpenAlert[] {
  const looked = new Map<string, { readonly record: SessionRecord; readonly asked: AskedNow | null | undefined }>(
    records
      .filter(isWatched)
      .map((record) => [
        episodeOf(NEEDS_INPUT, record.spec.name),
        { record, asked: questionNow(record.incarnation?.uuid ?? '') },
      ]),
  );
  const kept = alerts.flatMap((alert) => {
    const seen = looked.get(alert.episode);
    const before = alert.question ?? undefined;
    if (seen?.asked === undefined || isReport(before)) return [alert];
    if (seen.asked === null) return [];
    return isOtherQuestion(before, seen.asked.question) ? [begun(seen.record, seen.asked)] : [alert];
  });
  const told = new Set<string>(alerts.map(({ episode }) => episode));
  const news = [...looked].flatMap(([episode, { record, asked }]) =>
    told.has(episode) || !asked || idIn(asked.question) === undefined
      ? []
      : [{ ...begun(record, asked), isNew: true as const }],
  );
  return [...kept, ...news];
}

const begun = ({ spec }: SessionRecord, { what, question, since }: AskedNow): OpenAlert =>
  openAlert({
    ...asksOfSession(spec, { what, question }),
    episode: episodeOf(NEEDS_INPUT, spec.name),
    since,
    acked: null,
  });

type Stands = Pick<Episode, 'episode' | 'severity' | 'session' | 'question' | 'text' | 'since' | 'acked'>;

/** An episode as people see it. */
export function openAlert(alert: Stands): Required<Omit<OpenAlert, 'isNew'>> {
  const { episode, severity, session, question, text, since, acked } = alert;
  return {
    episode,
    severity,
    session,
    text,
    since: new Date(since).toISOString(),
    acked: acked !== null,
    question: question ?? null,
    type: askedBy(episode, session),
    answers: isDecided(alert) ? [] : answersTo(episode),
  };
}
