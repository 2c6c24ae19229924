/**
 * The overview: the running town's, or one read here if it does not answer. Light: only the second needs the readers of
 * state/.
 */
import type { Overview } from '../../overview/overview.ts';
import type { HearingView } from '../../overview/sessions.ts';
import type { StatusView } from '../../socket/protocol.ts';
import type { Context } from '../context.ts';
import { note } from '../../terminal/print.ts';

/** `town`: the running town's own status; null = it does not answer. Invalid files are named on stderr. */
export interface Glance {
  readonly town: StatusView | null;
  /** Why it does not answer, as it said itself; null = it said nothing of that. */
  readonly busy_why: string | null;
  readonly overview: Omit<Overview, 'unreadable'>;
}

export async function glance(context: Context): Promise<Glance> {
  const asked = context.askIfUp((town) => Promise.all([town.status(), town.overview().catch(() => null)]));
  let busy_why: string | null = null;
  const answers = await asked.catch((error: unknown) => {
    // The command shows what it can see without the town's answer.
    if (!(error instanceof Error && error.name === 'TownSilent')) throw error;
    if ('isOwnWord' in error && error.isOwnWord === true) busy_why = error.message;
    return null;
  });
  const town = answers?.[0] ?? null;
  const { unreadable, ...overview } = answers?.[1] ?? (await ownOverview(context)); // it may still be reading its records
  unreadable.forEach(note);
  const [sessions, alerts] = [timed(overview.sessions, town), await withAnswers(overview.alerts)];
  return { town, busy_why, overview: { ...overview, sessions, alerts } };
}

/** A town of an older version does not say what `town answer` takes. */
async function withAnswers(alerts: Overview['alerts']): Promise<Overview['alerts']> {
  if (alerts === null || alerts.every(({ answers }) => answers !== undefined)) return alerts;
  const { answersTo } = await import('../../../machines/alert-kinds.ts');
  return alerts.map((one) => ({ ...one, answers: one.answers ?? answersTo(one.episode) }));
}

/** What a town of an older version does not say. */
const UNSAID = { crash_loop: false, memory_bytes: null, cpu: null, asks: null, hearing: null };

/** True while a dog of the running town holds this hearing. */
export const hasDog = ({ actors }: StatusView, dance: string): boolean =>
  actors.some(({ id }) => id.endsWith(`/${dance}`));

/** With what only the running town knows: when windows end, when starts are due, who is at which hearing. */
function timed(sessions: Overview['sessions'], town: StatusView | null): Overview['sessions'] {
  if (town === null || sessions === null) return sessions;
  const { windows, starts = [] } = town;
  const ends = new Map(windows.map(({ dance, attempt, ends_at }) => [`${dance}/${attempt}`, ends_at]));
  const due = new Map(starts.map(({ session, at }) => [session, at]));
  return sessions.map((view) => {
    const { hearing, ...more } = { ...view, ...UNSAID, ...view };
    const endOf = ({ dance, question }: HearingView): string | null => ends.get(`${dance}/${question}`) ?? null;
    // Without a pane it waits for tmux.
    const waits = ({ dance }: HearingView, isSeen: boolean | null): boolean =>
      town.ready && isSeen !== false && !hasDog(town, dance);
    return {
      ...more,
      next_start_at: due.get(view.name) ?? null,
      hearing: hearing && { ...hearing, window_ends_at: endOf(hearing), waits: waits(hearing, view.in_tmux) },
    };
  });
}

async function ownOverview(context: Context): Promise<Overview> {
  const { ownOverview: make } = await import('./own-overview.ts');
  return make(context);
}
