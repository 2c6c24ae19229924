/**
 * A disk in memory for simulations, kept apart from the programs that use it: a `mount()` is what one process sees.
 * 1. Content is durable once written whole (`write`, `append` end with an fsync); a crash inside of them may tear it.
 * 2. Names (made, renamed, removed) are durable after `syncDir` of their folder; a rename is one step.
 * 3. When `burn` throws, or after `crash`, the mount is dead: its calls never settle, as the process that made them is gone.
 * Deterministic: same calls, same marks, same names in the same order.
 */
import { NotReadable, type Disk, type Stat } from '../../state/files/disk.ts';

interface Node {
  readonly kind: Stat['kind'];
  readonly ino: number;
  text: string;
  /** What survives for certain; shorter than `text` only while a write is under way. */
  durable: string;
  changedAt: number;
  movedAt: number;
  readonly bornAt: number;
}

/** A name that changed since its folder was synced. `node` null = the name went away. */
interface Change {
  readonly path: string;
  readonly node: Node | null;
  /** The other half of a rename. */
  readonly from: string | null;
}

export type Operation = 'write' | 'rename' | 'syncDir' | 'remove' | 'list' | 'read' | 'append' | 'stat' | 'mkdir';

export interface SimDiskOptions {
  readonly wall?: () => number;
  /** Called before and after each effect; a crash point throws. */
  readonly burn?: (operation: Operation, path: string) => void;
  /** Called at the start of each operation: an error makes it fail, a promise makes it slow. */
  readonly fault?: (operation: Operation, path: string, nth: number) => Error | Promise<void> | undefined;
}

/** An error as the system gives it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code });
}

const never = <T>() => new Promise<T>(() => undefined);
const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export class SimDisk {
  wall: () => number;
  burn: NonNullable<SimDiskOptions['burn']> | undefined;
  fault: NonNullable<SimDiskOptions['fault']> | undefined;
  /** Operations so far. */
  operations = 0;
  #names = new Map<string, Node>();
  readonly #durable = new Map<string, Node>();
  #changes: Change[] = [];
  readonly #folders = new Map<string, Set<string>>();
  readonly #unsynced = new Set<Node>();
  #inodes = 0;
  #mounts = 0;
  #era = 0;

  constructor(options: SimDiskOptions = {}) {
    this.wall = options.wall ?? (() => 0);
    this.burn = options.burn;
    this.fault = options.fault;
  }

  /** What a new process sees; several may live at once. `isOutside`: one that no kill ends and no fault meets, as other programs. */
  mount(isOutside = false): Disk {
    this.#mounts += 1;
    const era = this.#era;
    let killed = false;
    const isDead = () => !isOutside && (killed || era !== this.#era);
    const burn = (operation: Operation, path: string) => {
      if (isOutside) return;
      try {
        this.burn?.(operation, path);
      } catch (error) {
        killed = true;
        throw error;
      }
    };
    /** Runs an effect between two crash points. */
    const effect = <T>(operation: Operation, path: string, work: () => T): T => {
      burn(operation, path);
      const result = work();
      burn(operation, path);
      return result;
    };
    const call = <T>(operation: Operation, path: string, work: () => T): Promise<T> => {
      this.operations += 1;
      if (isDead()) return never();
      const fault = isOutside ? undefined : this.fault?.(operation, path, this.operations);
      if (fault instanceof Error) return Promise.reject(fault);
      if (fault !== undefined) {
        return fault.then(() => (isDead() ? never<T>() : work()));
      }
      try {
        return Promise.resolve(work());
      } catch (error) {
        // A crash point's error is for the one who set it; the process it ended sees nothing any more.
        return isDead() ? never() : Promise.reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    return {
      tag: `sim${this.#mounts}`,
      write: (path, content) =>
        call('write', path, () => {
          if (this.#names.has(path)) throw systemError('EEXIST');
          const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1');
          const node = effect('write', path, () => this.#make(path));
          effect('write', path, () => this.#fill(node, text));
          this.#sync(node);
        }),
      append: (path, text, whole) =>
        call('append', path, () => {
          const node = this.#names.get(path) ?? effect('append', path, () => this.#make(path));
          effect('append', path, () => this.#fill(node, node.text.slice(0, whole) + text));
          this.#sync(node);
        }),
      rename: (from, to) => call('rename', to, () => effect('rename', to, () => this.#rename(from, to))),
      syncDir: (dir) => call('syncDir', dir, () => effect('syncDir', dir, () => this.#syncDir(dir))),
      remove: (path) =>
        call('remove', path, () => {
          if (this.#names.has(path)) effect('remove', path, () => this.#change({ path, node: null, from: null }));
        }),
      list: (dir) =>
        call('list', dir, () => {
          this.#mustBeFolder(dir);
          return [...(this.#folders.get(dir) ?? [])].sort();
        }),
      nameAnew: () => Promise.resolve([]),
      read: (path, maxBytes) => call('read', path, () => this.#read(path, maxBytes)),
      stat: (path) =>
        call('stat', path, () => {
          const node = this.#at(path);
          if (node === undefined) return null;
          const { kind, ino, text, changedAt, movedAt, bornAt } = node;
          return { kind, bytes: text.length, changedAt, movedAt, bornAt, mark: `${ino}:${text.length}:${changedAt}` };
        }),
      mkdir: () => Promise.resolve(),
    };
  }

  /** The power goes: for each change that was not synced, `lost(path)` says whether it is gone. All mounts are dead. */
  crash(lost: (path: string) => boolean): void {
    this.#era += 1;
    for (const node of this.#unsynced) {
      const torn = node.text.slice(0, Math.floor((node.text.length + node.durable.length) / 2));
      const path = [...this.#names].find(([, one]) => one === node)?.[0] ?? '';
      node.text = lost(path) ? torn : node.text;
      node.durable = node.text;
    }
    this.#unsynced.clear();
    for (const change of this.#changes) if (!lost(change.path)) this.#keep(change);
    this.#changes = [];
    this.#names = new Map(this.#durable);
    this.#folders.clear();
    for (const path of this.#names.keys()) this.#list(path);
  }

  /** The process dies, the machine lives: nothing is lost. */
  kill(): void {
    this.crash(() => false);
  }

  /** What a power cut at this moment would leave of a file for certain; null = nothing. */
  durableText(path: string): string | null {
    return this.#durable.get(path)?.durable ?? null;
  }

  /** Every file with its text, for oracles. Durable or not. */
  files(): ReadonlyMap<string, string> {
    return new Map([...this.#names].map(([path, { text }]) => [path, text]));
  }

  /** Puts a file there as another program would: whole and durable. */
  put(path: string, text: string, kind: Stat['kind'] = 'file'): void {
    const node = this.#node(kind);
    [node.text, node.durable] = [text, text];
    this.#names.set(path, node);
    this.#durable.set(path, node);
    this.#list(path);
  }

  /** Takes a file away as another program would. */
  take(path: string): void {
    this.#durable.delete(path);
    this.#unlist(path);
  }

  #node(kind: Stat['kind']): Node {
    this.#inodes += 1;
    const at = this.wall();
    return { kind, ino: this.#inodes, text: '', durable: '', changedAt: at, movedAt: at, bornAt: at };
  }

  #make(path: string): Node {
    const node = this.#node('file');
    this.#change({ path, node, from: null });
    return node;
  }

  #fill(node: Node, text: string): void {
    node.text = text;
    node.changedAt = node.movedAt = this.wall();
    this.#unsynced.add(node);
  }

  #sync(node: Node): void {
    node.durable = node.text;
    this.#unsynced.delete(node);
  }

  #rename(from: string, to: string): void {
    const node = this.#names.get(from);
    if (node === undefined) throw systemError('ENOENT');
    node.movedAt = this.wall();
    this.#change({ path: to, node, from });
  }

  #change(change: Change): void {
    const { path, node, from } = change;
    if (node === null) this.#unlist(path);
    else {
      this.#names.set(path, node);
      this.#list(path);
    }
    if (from !== null) this.#unlist(from);
    this.#changes.push(change);
  }

  #keep({ path, node, from }: Change): void {
    if (node === null) this.#durable.delete(path);
    else this.#durable.set(path, node);
    if (from !== null) this.#durable.delete(from);
  }

  #syncDir(dir: string): void {
    const later: Change[] = [];
    for (const change of this.#changes) {
      const here = folderOf(change.path) === dir || (change.from !== null && folderOf(change.from) === dir);
      if (here) this.#keep(change);
      else later.push(change);
    }
    this.#changes = later;
  }

  #read(path: string, maxBytes: number): string | null {
    const node = this.#at(path);
    if (node === undefined) return null;
    if (node.kind !== 'file') throw new NotReadable('it is not a regular file');
    if (node.text.length > maxBytes) {
      throw new NotReadable(`it has ${node.text.length} bytes, the limit is ${maxBytes}`);
    }
    return node.text;
  }

  #at(path: string): Node | undefined {
    const node = this.#names.get(path);
    if (node === undefined) this.#mustBeFolder(folderOf(path));
    return node;
  }

  /** Missing is fine. */
  #mustBeFolder(dir: string): void {
    for (let at = dir; at !== ''; at = folderOf(at)) {
      if ((this.#names.get(at)?.kind ?? 'folder') !== 'folder')
        throw new NotReadable(`${at} is no folder; move it away`);
    }
  }

  #list(path: string): void {
    const dir = folderOf(path);
    const names = this.#folders.get(dir);
    if (names === undefined) this.#folders.set(dir, new Set([path.slice(dir.length + 1)]));
    else names.add(path.slice(dir.length + 1));
  }

  #unlist(path: string): void {
    const dir = folderOf(path);
    this.#names.delete(path);
    this.#folders.get(dir)?.delete(path.slice(dir.length + 1));
  }
}
