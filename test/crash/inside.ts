/**
 * Loaded before the town's program: kills the process right before or right after a call of a kind (`STRIKE=<call>:<n>`), in
 * whichever thread it is made. Each call has two points: odd numbers are before it, even ones after it. `STRIKE=count:<file>`
 * kills nothing; the calls of each kind are in that file once the process has ended.
 */
import { writeFileSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

/** What all threads of the process share. */
interface Shared {
  readonly wanted: string;
  /** Where the counts go; empty = they are not wanted. */
  readonly file: string;
  /** Points of each kind that were passed. */
  readonly passed: Int32Array;
}

const NAME = 'STRIKE';
const KINDS = ['write', 'fsync', 'fdatasync', 'openat', 'rename', 'unlink', 'mkdir', 'rmdir', 'kill'] as const;
type Kind = (typeof KINDS)[number];

function begun(): Shared & { readonly n: number } {
  const [wanted = '', which = '0'] = (process.env[NAME] ?? '').split(':');
  const passed = new Int32Array(new SharedArrayBuffer(KINDS.length * Int32Array.BYTES_PER_ELEMENT));
  const isCount = wanted === 'count';
  return { wanted, file: isCount ? which : '', n: isCount ? 0 : Number(which), passed };
}

const shared = (isMainThread ? begun() : getEnvironmentData(NAME)) as ReturnType<typeof begun>;
const { wanted, file, n, passed } = shared;
if (isMainThread) setEnvironmentData(NAME, shared);
const kill = process.kill.bind(process);

/** Puts the two points around a function of `owner`. */
function count<O extends object>(owner: O, name: keyof O & string, call: Kind): void {
  const real = owner[name];
  if (typeof real !== 'function' || (file === '' && call !== wanted)) return;
  const point = (): void => {
    if (Atomics.add(passed, KINDS.indexOf(call), 1) + 1 === n) kill(process.pid, 'SIGKILL');
  };
  const counted = function (this: unknown, ...args: unknown[]): unknown {
    point();
    let result: unknown;
    try {
      result = Reflect.apply(real, this, args);
    } finally {
      if (!(result instanceof Promise)) point();
    }
    return result instanceof Promise ? result.finally(point) : result;
  };
  Object.assign(owner, { [name]: counted });
}

const handle = await fs.open('/dev/null');
const handles = Object.getPrototypeOf(handle) as FileHandle;
await handle.close();
count(handles, 'writeFile', 'write');
count(handles, 'sync', 'fsync');
count(handles, 'datasync', 'fdatasync');
count(fs, 'open', 'openat');
count(fs, 'rename', 'rename');
count(fs, 'unlink', 'unlink');
count(fs, 'mkdir', 'mkdir');
count(fs, 'rmdir', 'rmdir');
count(process, 'kill', 'kill');
syncBuiltinESMExports();
Reflect.deleteProperty(process.env, NAME);
if (file !== '' && isMainThread)
  process.once('exit', () => {
    const calls = KINDS.map((kind, at) => [kind, (passed[at] ?? 0) / 2]);
    writeFileSync(file, JSON.stringify(Object.fromEntries(calls)));
  });
