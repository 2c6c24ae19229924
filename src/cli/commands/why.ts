/** `town why <session>`: its story from the journal, oldest first, each line a plain sentence with its evidence. */
import { readJournal, type WrittenLine } from '../../../state/journal.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../failure.ts';
import { checkName } from '../names.ts';
import { clean, note } from '../output.ts';
import { readDances, readSession } from '../../overview/records.ts';
import { sentence } from '../story/sentences.ts';
import { stamp } from '../when.ts';

const DAY_MS = 86_400_000;

export async function why(context: Context, session: string, options: { readonly days?: number }): Promise<void> {
  context.existing();
  checkName(session);
  const disk = await context.disk();
  const { state } = await context.settings();
  const wall = Date.now();
  const since = wall - (options.days ?? state.journalDays) * DAY_MS;
  const lines: WrittenLine[] = [];
  for await (const line of readJournal(disk, { session, since, onUnreadable: note })) lines.push(line);
  const record = await readSession(disk, session);
  if (lines.length === 0 && record === null) {
    throw new Failure(
      EXIT.usage,
      'unknown_session',
      `nothing is known of a session ${session}; see \`town session list\``,
    );
  }
  const { open } = await readDances(disk);
  const hearing = open.find(({ value }) => value.target.session === session)?.value;
  const events = lines.map((line) => ({ at: line.at, kind: line.kind, text: sentence(line), line }));
  const now = [
    ...(record === null
      ? []
      : [`now: ${record.state}${['', record.state].includes(record.note) ? '' : `: ${clean(record.note)}`}`]),
    ...(hearing === undefined
      ? []
      : [`now: heard in ${hearing.id}, question ${hearing.attempt} (town dog show ${hearing.id})`]),
  ];
  context.answer('why', { session, state: record?.state ?? null, dance: hearing?.id ?? null, events }, () =>
    [...events.map(({ at, text }) => `${stamp(at, wall)}  ${text}`), ...now].join('\n'),
  );
}
