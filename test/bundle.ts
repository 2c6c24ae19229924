/**
 * Builds the town once for a run of the live tests, which start it as it is shipped: a command from the bundle costs half the
 * processor time of one from sources. Each run has a folder of its own below node_modules, where the bundle finds the packaged
 * Node; it goes with the run.
 */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { build } from '../scripts/build.ts';

const ROOT = join(import.meta.dirname, '..');
const PLACE = join(ROOT, 'node_modules/.cache');

declare module 'vitest' {
  interface ProvidedContext {
    /** The bundle's `main.cjs`. */
    readonly main: string;
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  mkdirSync(PLACE, { recursive: true });
  const folder = mkdtempSync(join(PLACE, 'town-'));
  // Tests run it as another user, too.
  chmodSync(folder, 0o755);
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await build(join(folder, 'dist'));
  project.provide('main', join(folder, 'dist/main.cjs'));
  return () => rmSync(folder, { recursive: true, force: true });
}
