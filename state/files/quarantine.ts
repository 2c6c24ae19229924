/**
 * Where files go that cannot be trusted: moved, never deleted, with a reason beside them and an alarm.
 * One bad file never blocks the others. What cannot be moved stays, is told once and is not read again until it changes.
 * What may still count, of a newer version or on a disk that cannot read it now, stays too, and is never overwritten.
 */
import type { WallMs } from '../../machines/protocol.ts';
import { codeOf, NotReadable, textOf, type Disk, type Stat } from './disk.ts';
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

/** Left in place. `stuck`: it never counts. `newer`: it counts for a newer version. `unread`: the disk could not read it, which may pass. */
export interface LeftBehind {
  readonly is: 'stuck' | 'newer' | 'unread';
  readonly why: string;
}

interface Left extends LeftBehind {
  /** As it was then. */
  readonly mark: string;
}

export class Quarantine {
  readonly #options: QuarantineOptions;
  /** Files left in place, by path. */
  readonly #left = new Map<string, Left>();
  #moved = 0;

  constructor(options: QuarantineOptions) {
    this.#options = options;
  }

  /** True while a file that was left in place has not changed since it was told, and another reading would show the same. */
  wasLeft(file: string, stat: Stat): boolean {
    const left = this.#left.get(file);
    return left?.mark === stat.mark && left.is !== 'unread';
  }

  /** Why a file that was left in place, and has not changed since, may still count; null = it never does. */
  mayCount(file: string, stat: Stat): LeftBehind | null {
    const left = this.#left.get(file);
    return left?.mark === stat.mark && left.is !== 'stuck' ? left : null;
  }

  /** Before the town writes a file of its own there: what was left and may still count goes to quarantine. Rejects where it cannot. */
  async makeWay(file: string): Promise<void> {
    if (!this.#left.has(file)) return;
    const stat = await this.#options.disk.stat(file);
    const why = stat && this.mayCount(file, stat)?.why;
    if (stat === null || !why) return;
    await this.move(file, stat, `${why}; the town had to write its own`);
    if ((await this.#options.disk.stat(file))?.mark === stat.mark)
      throw new NotReadable(`${file} is not overwritten: ${why}, and it cannot be moved to ${FOLDERS.quarantine}/`);
  }

  /** Forgets the files of a folder that are not among these names any more. */
  onlyThese(folder: string, names: ReadonlySet<string>): void {
    for (const file of this.#left.keys()) {
      if (folderOf(file) === folder && !names.has(file.slice(folder.length + 1))) this.#left.delete(file);
    }
  }

  /** Leaves a file where it is and tells once. */
  leave(file: string, stat: Stat, { is, why }: LeftBehind, requester: string | null = null): void {
    const isTold = this.#left.get(file)?.mark === stat.mark;
    this.#left.set(file, { mark: stat.mark, is, why });
    if (!isTold) this.#options.onRefused({ file, why: `${why}.`, requester, movedTo: null });
  }

  /** It was read after all. */
  counts(file: string): void {
    this.#left.delete(file);
  }

  /** Moves a file away and tells. Rejects never: a file that cannot be moved is left. */
  async move(file: string, stat: Stat, why: string, requester: string | null = null): Promise<void> {
    const { disk } = this.#options;
    this.#moved += 1;
    this.#left.delete(file);
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
      const unmoved = `${why}; it could not be moved to ${FOLDERS.quarantine}/ (${textOf(error)})`;
      this.leave(file, stat, { is: 'stuck', why: unmoved }, requester);
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
