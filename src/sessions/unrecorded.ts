/**
 * The records of sessions as a town opens them, and the lives among them that only tmux knows. Owns the alerts about
 * damaged or missing records, once each, with what became of their agents. A file in the place of a record is left
 * alone, damaged or not: it may be a newer town's.
 */
import type { LostLife, OutcomeBody, SessionRecord, SessionSpec } from '../../machines/protocol.ts';
import type { Disk } from '../../state/files/disk.ts';
import { folderOf, FOLDERS, paths } from '../../state/files/layout.ts';
import type { Refused } from '../../state/files/quarantine.ts';
import type { Found } from './find-unrecorded.ts';

export interface LostNeeds {
  readonly disk: Pick<Disk, 'stat'>;
  readonly sessions: () => Promise<readonly SessionRecord[]>;
  /** Those that these records do not tell of. Rejects when tmux gives no answer. */
  readonly find: (records: readonly SessionRecord[]) => Promise<readonly Found[]>;
  /** What the configuration starts. */
  readonly configured: readonly SessionSpec[];
  /** Tells a person of a file that does not count. Never rejects. */
  readonly tell: (refused: Refused, sequel: string | null) => Promise<void>;
  readonly log: (text: string, more: object) => void;
}

export class UnrecordedLives {
  readonly #needs: LostNeeds;
  /** Damaged records that are not alerted yet; null = each is alerted at once. */
  #damaged: Refused[] | null = [];

  readonly #told = new Set<string>();

  constructor(needs: LostNeeds) {
    this.#needs = needs;
  }

  /** Whether it is alerted later, with its outcome. */
  keeps(refused: Refused): boolean {
    if (this.#damaged === null || folderOf(refused.file) !== FOLDERS.sessions) return false;
    this.#damaged.push(refused);
    return true;
  }

  async read(): Promise<Pick<Extract<OutcomeBody, { type: 'SESSIONS_READ' }>, 'sessions' | 'lost'>> {
    const sessions = [...(await this.#needs.sessions())];
    const found = await this.#found(sessions);
    const damaged = this.#damaged ?? [];
    this.#damaged = null;
    for (const refused of damaged) {
      const one = found?.find(({ spec: { name } }) => paths.session(name) === refused.file);
      await this.#tell(refused, one ?? null);
    }
    await this.#tellGone(found ?? []);
    return { sessions, lost: found?.map((one) => this.#lifeOf(one)) ?? null };
  }

  /** For a scan of a town that tmux told nothing when it opened. Absent = it still does not. */
  async seek(): Promise<{ readonly lost?: readonly LostLife[] }> {
    const found = await this.#found(await this.#needs.sessions());
    await this.#tellGone(found ?? []);
    return found === null ? {} : { lost: found.map((one) => this.#lifeOf(one)) };
  }

  async #tellGone(found: readonly Found[]): Promise<void> {
    for (const one of found) {
      // Its marks come before its record: a kill between the two loses nothing, since all of an adoption is in them.
      if (one.incarnation.origin === 'adopted') continue;
      const file = paths.session(one.spec.name);
      if (this.#told.has(file) || (await this.#needs.disk.stat(file)) !== null) continue;
      await this.#tell({ file, why: 'it was gone while its agent runs.', requester: null, movedTo: null }, one);
    }
  }

  async #tell(refused: Refused, one: Found | null): Promise<void> {
    this.#told.add(refused.file);
    await this.#needs.tell(refused, one === null ? null : this.#sequel(one));
  }

  /** null = tmux did not tell. */
  async #found(records: readonly SessionRecord[]): Promise<readonly Found[] | null> {
    const { find, disk, log } = this.#needs;
    try {
      const free: Found[] = [];
      for (const one of await find(records)) {
        const { name } = one.spec;
        const isFree =
          records.some(({ spec }) => spec.name === name) || (await disk.stat(paths.session(name))) === null;
        if (isFree) free.push(one);
      }
      return free;
    } catch (error) {
      log('it is unknown yet which agents run without a record; the town tries again', { err: error });
      return null;
    }
  }

  /** Its restart policy is the configured one, if any, as for a fresh start. */
  #lifeOf({ spec, isWhole, ...life }: Found): LostLife {
    const configured = this.#configured(spec);
    const known = configured === undefined ? spec : isWhole ? { ...spec, restart: configured.restart } : configured;
    return { ...life, spec: known };
  }

  #configured({ name }: SessionSpec): SessionSpec | undefined {
    return this.#needs.configured.find((spec) => spec.name === name);
  }

  #sequel(one: Found): string {
    const { name, restart } = this.#lifeOf(one).spec;
    const known = `Its agent is known again by its marks in tmux`;
    if (one.incarnation.origin === 'adopted') return `${known}, and watched as before.`;
    if (this.#configured(one.spec) !== undefined) return `${known}; its restart policy is ${restart}, from town.toml.`;
    return one.isWhole
      ? `${known}; its restart policy is ${restart}, as it was started with.`
      : `${known}; how it was started is not, so it is not started again: town session start ${name} -- <command>.`;
  }
}
