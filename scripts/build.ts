/**
 * Builds what is shipped, in dist/: the modules in few files (scripts/bundle.ts); small programs, rule packs and `town.cjs`,
 * the command, where they lie in src/; the manual; and what the licences of the packages inside ask for.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundle, licencesOf } from './bundle.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

function fail(sentence: string): never {
  process.stderr.write(`build: ${sentence}\n`);
  process.exit(1);
}

rmSync(dist, { recursive: true, force: true });
const chunks = await bundle(root, dist);
writeFileSync(join(dist, 'LICENCES.txt'), licencesOf(chunks));

for (const path of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }))
  if (!path.endsWith('.ts') && statSync(join(root, 'src', path)).isFile())
    cpSync(join(root, 'src', path), join(dist, path), { preserveTimestamps: true });
chmodSync(join(dist, 'town.cjs'), 0o755);
// By which a town knows that none of them is missing.
const packs = join(dist, 'screen/packs');
const names = readdirSync(packs).map((file) => basename(file, '.toml'));
writeFileSync(join(packs, 'names'), `${names.join('\n')}\n`);

const made = spawnSync(process.execPath, [join(root, 'scripts/man.ts')], { cwd: root, stdio: 'inherit' });
if (made.status !== 0) fail('the manual could not be made; the error stands above.');
