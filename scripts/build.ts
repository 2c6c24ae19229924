/**
 * Builds what is shipped: machines/, state/ and src/ as plain JavaScript in dist/, with `dist/src/town.cjs` as the `town`
 * command, and the manual in dist/man/. Other files of those rooms (small programs, rule packs) are copied as they are.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PRODUCT } from './rooms.ts';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'dist/src/town.cjs');

function fail(sentence: string): never {
  process.stderr.write(`build: ${sentence}\n`);
  process.exit(1);
}

rmSync(join(root, 'dist'), { recursive: true, force: true });
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const compiled = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (compiled.status !== 0) fail('the compiler found errors; they stand above.');

for (const room of PRODUCT.filter((name) => existsSync(join(root, name)))) {
  cpSync(join(root, room), join(root, 'dist', room), {
    recursive: true,
    filter: (from) => statSync(from).isDirectory() || !from.endsWith('.ts'),
  });
}

if (!existsSync(bin)) fail('there is no src/town.cjs to be the town command.');
chmodSync(bin, 0o755);

const made = spawnSync(process.execPath, [join(root, 'scripts/man.ts')], { cwd: root, stdio: 'inherit' });
if (made.status !== 0) fail('the manual could not be made; the error stands above.');
