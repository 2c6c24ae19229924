/**
 * Where files go that cannot be trusted: moved, never deleted, with a reason beside them and an alarm.
 * One bad file never blocks the others. What cannot be moved stays, is told once and is not read again until it changes.
 */
import type { WallMs } from '../../machines/protocol.ts';
import { codeOf, textOf, type Disk, type Stat } from './disk.ts';
import { FOLDERS, folderOf, nameOf } from './layout.ts';
import { writeFiles } from './atomic-write.ts';

/** A file that does not count, for a person's eyes. */
export interface Refused {
  /** Where it was, relative to the root. */
  readonly file: string;
  /** What is wrong with it, in one sentence that begins small and does not name it. */
  readonly why: string;
  /** Who seems to have written it. */
  readonly requester: string | null;
  /** Where it is now; null = it was left where it was. */
  readonly movedTo: string | null;
}

export interface QuarantineOptions {
  readonly disk: Disk;
  readonly wall: () => WallMs;
  /** Called once for each file. */
  readonly onRefused: (refused: Refused) => void;
}

export class Quarantine {
  readonly #options: QuarantineOptions;
  /** Files left in place, by path, as they were then. */
  readonly #left = new Map<string, string>();
  #moved = 0;

  constructor(options: QuarantineOptions) {
    this.#options = options;
  }

  /** True while a file that was left in place has not changed since it was told. */
  wasLeft(file: string, stat: Stat): boolean {
    return this.#left.get(file) === stat.mark;
  }

  /** Forgets the files of a folder that are not among these names any more. */
  onlyThese(folder: string, names: ReadonlySet<string>): void {
    for (const file of this.#left.keys()) {
      if (folderOf(file) === folder && !names.has(file.slice(folder.length + 1))) this.#left.delete(file);
    }
  }

  /** Leaves a file where it is and tells once. */
  leave(file: string, stat: Stat, why: string, requester: string | null = null): void {
    if (this.wasLeft(file, stat)) return;
    this.#left.set(file, stat.mark);
    this.#options.onRefused({ file, why: `${why}.`, requester, movedTo: null });
  }

  /** Moves a file away and tells. Rejects never: a file that cannot be moved is left. */
  async move(file: string, stat: Stat, why: string, requester: string | null = null): Promise<void> {
    const { disk } = this.#options;
    this.#moved += 1;
    const own = nameOf(file.slice(file.lastIndexOf('/') + 1));
    const folder = folderOf(file).replaceAll('/', '-');
    const movedTo = `${FOLDERS.quarantine}/${String(this.#options.wall())}-${disk.tag}-${String(this.#moved)}-${folder}-${own}`;
    // A start may need it before its folders are made; without one nothing can be moved, which is told below.
    await disk.mkdir(FOLDERS.quarantine).catch(() => undefined);
    const unwritten = await this.#writeReason(movedTo, file, why, requester);
    try {
      await disk.rename(file, movedTo);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      this.leave(file, stat, `${why}; it could not be moved to ${FOLDERS.quarantine}/ (${textOf(error)})`, requester);
      return;
    }
    const unsynced = await this.#sync(folderOf(file));
    this.#options.onRefused({ file, why: `${why}${unwritten}${unsynced}.`, requester, movedTo });
  }

  async #writeReason(movedTo: string, file: string, why: string, requester: string | null): Promise<string> {
    const at = new Date(this.#options.wall()).toISOString();
    const text = `${JSON.stringify({ schema: 'quarantined/1', file, why, requester, at })}\n`;
    return writeFiles(this.#options.disk, [{ path: `${movedTo}.why`, text }]).then(
      () => '',
      (error: unknown) => `; its reason could not be written beside it (${textOf(error)})`,
    );
  }

  async #sync(folder: string): Promise<string> {
    try {
      await this.#options.disk.syncDir(FOLDERS.quarantine);
      await this.#options.disk.syncDir(folder);
      return '';
    } catch (error) {
      return `; the move is not durable yet (${textOf(error)})`;
    }
  }
}
