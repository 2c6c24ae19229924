/**
 * Builds the town once for a run of the live tests, which start it as it is shipped: a command from the bundle costs half the
 * processor time of one from sources. So are programs of tests that are started hundreds of times (a fifth of the time). Each run has a folder of its own below node_modules, where the bundle finds the packaged
 * Node; it goes with the run.
 */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isBuiltin } from 'node:module';
import { rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { build } from '../scripts/build.ts';
import { BUILD, BUILDS, NO_BUILD } from '../scripts/test-run.ts';

const ROOT = join(import.meta.dirname, '..');

declare module 'vitest' {
  interface ProvidedContext {
    /** The bundle's `main.cjs`. */
    readonly main: string;
    /** Folder of the bundled programs of tests. */
    readonly programs: string;
  }
}

/**
 * Each becomes `<name>.mjs`, in one file. What strikes a process is among them: such a process has no cache of compiled code, so
 * that stripping the types of one small source would cost more than half of its start.
 */
const PROGRAMS = {
  'rig-act': 'test/rigs/programs/act.ts',
  'ledger-act': 'test/ledger/programs/act.ts',
  'ledger-strike': 'test/ledger/programs/strike.ts',
  'ledger-writer': 'test/ledger/live/writer.ts',
  inside: 'test/crash/inside.ts',
  pad: 'test/crash/pad.ts',
} as const;

async function buildPrograms(folder: string): Promise<void> {
  for (const [name, source] of Object.entries(PROGRAMS)) {
    const made = await rolldown({ cwd: ROOT, input: join(ROOT, source), platform: 'node', external: isBuiltin });
    await made.write({ file: join(folder, `${name}.mjs`), format: 'es', codeSplitting: false });
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  const ofRun = process.env[BUILD];
  if (ofRun === NO_BUILD) return () => undefined;
  mkdirSync(BUILDS, { recursive: true });
  const folder = ofRun === undefined ? mkdtempSync(join(BUILDS, 'town-')) : join(BUILDS, ofRun);
  mkdirSync(folder, { recursive: true });
  // Tests run it as another user, too.
  chmodSync(folder, 0o755);
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await build(join(folder, 'dist'));
  await buildPrograms(join(folder, 'programs'));
  // What Node compiled of it serves no other run: the next one builds elsewhere.
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
  project.provide('programs', join(folder, 'programs'));
  project.provide('main', join(folder, 'dist/main.cjs'));
  // A program that a test left may still write there as it ends.
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
}
