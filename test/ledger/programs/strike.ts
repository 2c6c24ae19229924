/**
 * Loaded before a program that uses a ledger: kills the process right before (odd) or right after (even) the n-th call of SQLite, or of
 * the functions that move and remove files (STRIKE).
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';

let left = Number(process.env['STRIKE'] ?? '0');
const strike = (): void => {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
};

function count(owner: object, name: string): void {
  const real: unknown = Reflect.get(owner, name);
  if (typeof real !== 'function') throw new Error(`there is no ${name} to be counted`);
  const counted = function (this: unknown, ...args: unknown[]): unknown {
    strike();
    const result: unknown = Reflect.apply(real, this, args);
    strike();
    return result;
  };
  Object.assign(owner, { [name]: counted });
}

for (const name of ['exec', 'close']) count(DatabaseSync.prototype, name);
for (const name of ['run', 'get', 'all']) count(StatementSync.prototype, name);
for (const name of ['renameSync', 'rmSync', 'copyFileSync', 'fsyncSync', 'mkdirSync']) count(fs, name);
syncBuiltinESMExports();
