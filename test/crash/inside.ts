// Loaded before the town's program where tracing is denied: kills the process right before its n-th call of a kind (STRIKE).
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [wanted = '', n = '0'] = (process.env['STRIKE'] ?? '').split(':');
let left = Number(n);
const kill = process.kill.bind(process);

/** Puts a counter before a function of `owner`. */
function count<O extends object>(owner: O, name: keyof O & string, call: string): void {
  const real = owner[name];
  if (typeof real !== 'function' || call !== wanted) return;
  const counted = function (this: unknown, ...args: unknown[]): unknown {
    left -= 1;
    if (left === 0) kill(process.pid, 'SIGKILL');
    return Reflect.apply(real, this, args);
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
count(process, 'kill', 'kill');
syncBuiltinESMExports();
Reflect.deleteProperty(process.env, 'STRIKE');
