/**
 * Episodes whose subject is a thing that a person may take away: a file that does not count, the record of a hearing that cannot
 * go on, a dead pane that could not be saved; or the life of an agent (lives.ts). Owns: their end (law 8).
 * 1. They are over when the thing is gone from where it stands; each file that was moved away is a case of its own.
 * 2. A file that was left in place is over too when it changed, and when a later process does not refuse it any more: who
 *    still does says so again.
 * 3. What cannot be looked at is not gone.
 */
import { FILE_REFUSED } from '../../machines/alerts/things.ts';
import type { Alerts, Episode } from '../../state/alerts/episodes.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import type { Refused } from '../../state/files/quarantine.ts';
import type { Announce, Clock } from '../ports/ports.ts';
import { endOfLife, type LivesDeps } from './lives.ts';
import { fileAlarm, quietly, unsavedSession, type Notices } from './notices.ts';

export interface SubjectsDeps extends LivesDeps {
  readonly notices: Notices;
  readonly alerts: Pick<Alerts, 'list'>;
  readonly clock: Clock;
  /** Takes what ended into the journal. */
  readonly announce: Announce;
  /** Whether a dead pane of this session stands in tmux. Rejects when that cannot be told. */
  readonly stands: (session: string) => Promise<boolean>;
  readonly everyMs: number;
  readonly log: (text: string, more: object) => void;
}

const REFUSED = `${FILE_REFUSED.kind}/`;
/** Of a hearing whose record stands in active/. */
const HOPELESS = 'dance-hopeless/';

/** The path that an episode is about; null = it is about no file. */
function pathOf(episode: string): string | null {
  if (episode.startsWith(REFUSED)) return episode.slice(REFUSED.length);
  return episode.startsWith(HOPELESS) ? paths.active(episode.slice(HOPELESS.length)) : null;
}

export class Subjects {
  readonly #deps: SubjectsDeps;
  /** Files that this process left in place, as they were then. */
  readonly #left = new Map<string, string>();

  constructor(deps: SubjectsDeps) {
    this.#deps = deps;
  }

  /** Tells of a file that does not count. Never rejects. */
  async refused(refused: Refused, sequel: string | null = null): Promise<void> {
    const { disk, notices } = this.#deps;
    const { file, movedTo } = refused;
    const stat = movedTo === null ? await disk.stat(file).catch(() => null) : null; // looked at again in a moment
    if (stat !== null) this.#left.set(file, stat.mark);
    await fileAlarm(notices, refused, `${REFUSED}${movedTo ?? file}`, sequel);
  }

  /** Ends what is over, for as long as the town runs: not before a start had the time to read every folder. */
  async attend(stop: AbortSignal): Promise<void> {
    const { clock, everyMs, log } = this.#deps;
    for (;;) {
      await clock.sleep(everyMs, stop);
      if (stop.aborted) return;
      await this.sweep().catch((error: unknown) => {
        log('alerts could not be compared with their files; it is tried again', { err: error });
      });
    }
  }

  async sweep(): Promise<void> {
    const { alerts, announce, notices } = this.#deps;
    for (const open of await alerts.list()) {
      const { episode } = open;
      const text = await this.#endOf(open).catch(() => null); // not seen is not gone
      if (text === null) continue;
      const order = { type: 'endAlert', id: { name: episode }, episode, text } as const;
      await quietly(async (...of) => {
        const outcome = await notices.endAlert(...of);
        if (outcome.type === 'ALERTED' && outcome.ended?.length)
          announce({ type: 'ALERTS_OVER', ended: outcome.ended });
      }, order);
    }
  }

  /** Why it is over; null = it is not, or it is about no such thing. */
  async #endOf(open: Episode): Promise<string | null> {
    const { episode } = open;
    const session = unsavedSession(episode);
    if (session !== null)
      return (await this.#deps.stands(session)) ? null : `No dead pane of ${session} stands in tmux.`;
    const path = pathOf(episode);
    return path === null ? endOfLife(this.#deps, open) : this.#endOfFile(episode, path);
  }

  async #endOfFile(episode: string, path: string): Promise<string | null> {
    const stat = await this.#deps.disk.stat(path);
    if (stat === null) {
      this.#left.delete(path);
      return `${path} is gone.`;
    }
    const isInPlace = episode.startsWith(REFUSED) && !path.startsWith(`${FOLDERS.quarantine}/`);
    return isInPlace && this.#left.get(path) !== stat.mark ? `${path} is another file now, or it counts again.` : null;
  }
}
