/** `town timeline`: the journal as one line an event, oldest first; works with the town down. */
import { readJournal, type WrittenLine } from '../../../state/journal.ts';
import type { Context } from '../context.ts';
import { given } from '../naming/given.ts';
import { clean, note } from '../../terminal/print.ts';
import { sessionCalled } from '../naming/resolve.ts';
import { sentence } from '../../journal/lines.ts';
import { readSince } from '../story/since.ts';
import { stamp } from '../../journal/when.ts';

export interface TimelineOptions {
  readonly session?: string;
  readonly since?: string;
}

/** The subject of a line: a session, a pane without a named session, or the town. */
function subjectOf(line: WrittenLine): string {
  const { session, pane } = line;
  if (typeof session === 'string') return clean(session);
  return typeof pane === 'string' ? `pane ${clean(pane)}` : 'town';
}

export async function timeline(context: Context, { session: word, since }: TimelineOptions): Promise<void> {
  context.existing();
  const session = word === undefined ? undefined : await sessionCalled(context, word);
  const from = since === undefined ? undefined : Date.now() - readSince(since);
  const filter = { ...given({ session, since: from }), onUnreadable: note };
  const events = [];
  for await (const line of readJournal(await context.disk(), filter)) {
    const { at, kind } = line;
    events.push({ at, kind, session: typeof line['session'] === 'string' ? line['session'] : null, line });
  }
  const told = events.map((event) => ({ ...event, text: sentence(event.line) }));
  const now = Date.now();
  context.answer('timeline', told, () =>
    told.map(({ at, text, line }) => `${stamp(at, now)}  ${subjectOf(line)}: ${text}`),
  );
}
