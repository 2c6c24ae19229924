/** What requesters find in their mailboxes in the end: one letter for each verdict that the town says it told, and no other verdict (D-14). */
import { of, type Log } from './log.ts';

interface Letter {
  readonly id: string;
  readonly warrant: string;
  readonly verdict: string;
}

function lettersIn(files: ReadonlyMap<string, string>): Letter[] {
  return [...files].flatMap(([path, text]) => {
    if (!/^mail\/[^/]+\/(new|cur|archive)\/.+\.json$/.test(path)) return [];
    const { id } = JSON.parse(text) as { id: string };
    const [, warrant = '', verdict = ''] = id.split('.');
    return [{ id, warrant, verdict }];
  });
}

export function judgeMail(log: Log, files: ReadonlyMap<string, string>): string[] {
  const letters = lettersIn(files);
  const found: string[] = [];
  for (const { dance, warrant, verdict } of of(log, 'told')) {
    // A person who stopped a session waits for that at their prompt; a restart for a new login is no news.
    if (/^(stop|login)-/.test(warrant)) continue;
    const count = letters.filter(({ id }) => id === `${dance}.${warrant}.${verdict}`).length;
    if (count !== 1) found.push(`${warrant} was told ${verdict} (${dance}), and ${count} letters say so`);
  }
  for (const [warrant, those] of Map.groupBy(letters, (letter) => letter.warrant)) {
    const verdicts = [...new Set(those.map(({ verdict }) => verdict))];
    if (verdicts.length > 1) found.push(`letters tell the requester of ${warrant} ${verdicts.join(', then ')}`);
  }
  return found;
}
