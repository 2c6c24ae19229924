/**
 * Loaded before the town's program where tracing is denied: kills the process right before or right after a call of a kind
 * (STRIKE). Each call has two points: odd numbers are before it, even ones after it.
 */
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [wanted = '', n = '0'] = (process.env['STRIKE'] ?? '').split(':');
let left = Number(n);
const kill = process.kill.bind(process);
const strike = (): void => {
  left -= 1;
  if (left === 0) kill(process.pid, 'SIGKILL');
};

/** Puts the two points around a function of `owner`. */
function count<O extends object>(owner: O, name: keyof O & string, call: string): void {
  const real = owner[name];
  if (typeof real !== 'function' || call !== wanted) return;
  const counted = function (this: unknown, ...args: unknown[]): unknown {
    strike();
    const result: unknown = Reflect.apply(real, this, args);
    if (result instanceof Promise) return result.finally(strike);
    strike();
    return result;
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
Reflect.deleteProperty(process.env, 'STRIKE');
