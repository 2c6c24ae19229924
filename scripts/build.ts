/**
 * Builds what is shipped, in dist/: the modules in few files (scripts/bundle.ts); small programs, rule packs and `town.cjs`,
 * the command, where they lie in src/; the manual; and what the licences of the packages inside ask for.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundle, licencesOf } from './bundle.ts';
import { library } from './library.ts';
import { fileSchemas } from './schemas.ts';

const ROOT = join(import.meta.dirname, '..');

/** Builds into `dist`, which is emptied first: the modules, the small programs and the rule packs. The manual is not part of it. */
export async function build(dist: string): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const chunks = await bundle(ROOT, dist);
  writeFileSync(join(dist, 'LICENCES.txt'), licencesOf(chunks));
  for (const path of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }))
    if (!path.endsWith('.ts') && statSync(join(ROOT, 'src', path)).isFile())
      cpSync(join(ROOT, 'src', path), join(dist, path), { preserveTimestamps: true });
  chmodSync(join(dist, 'town.cjs'), 0o755);
  // A town checks by this list that no pack is missing.
  const packs = join(dist, 'screen/packs');
  const names = readdirSync(packs).map((file) => basename(file, '.toml'));
  writeFileSync(join(packs, 'names'), `${names.join('\n')}\n`);
}

async function writeSchemas(folder: string): Promise<void> {
  mkdirSync(folder);
  for (const [kind, schema] of await fileSchemas())
    writeFileSync(join(folder, `${kind}.json`), `${JSON.stringify(schema, null, 2)}\n`);
}

if (import.meta.main) {
  await build(join(ROOT, 'dist'));
  await library(ROOT, join(ROOT, 'dist'));
  await writeSchemas(join(ROOT, 'dist/schemas'));
  const made = spawnSync(process.execPath, [join(ROOT, 'scripts/man.ts')], { cwd: ROOT, stdio: 'inherit' });
  if (made.status !== 0) {
    process.stderr.write('build: the manual could not be made; the error stands above.\n');
    process.exit(1);
  }
}
