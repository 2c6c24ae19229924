/**
 * How tests run. Two projects share test/: `live` drives real programs (tmux, git, the town itself), `pure` needs none;
 * run one alone with `--project pure`. The machines run on XState's shipped build, as they do for a user;
 * `--mode development` takes its development build, which checks more.
 */
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isOurs } from './scripts/environment.ts';

/** Folders of test/ whose tests start real programs; in the others those in `live/` do. */
const LIVE = ['live', 'tmux', 'proc', 'rescue', 'socket', 'guard', 'demo', 'crash', 'hostile', 'rules', 'inspect'];
const live = [...LIVE.map((room) => `test/${room}/**/*.test.ts`), 'test/*/live/*.test.ts', 'test/cli/*.test.ts'];

/** Whether a test file, from the top of the project, starts real programs. */
export const isLive = (path: string): boolean => live.some((pattern) => matchesGlob(path, pattern));

/**
 * Simulations before other pure tests. A fresh clone knows no durations, and the runner begins with the largest files: a simulation
 * of a minute in twenty lines would begin last, and run alone.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const turnOf = ({ moduleId, project }: TestSpecification): number =>
      project.name === 'live' ? 0 : moduleId.includes('/test/sim/') ? 1 : 2;
    return (await super.sort(files)).sort((one, other) => turnOf(one) - turnOf(other));
  }
}

export default defineConfig(({ mode }) => {
  for (const name of Object.keys(process.env).filter(isOurs)) Reflect.deleteProperty(process.env, name);
  // People read local times: golden texts would differ from desk to desk. What a zone changes has tests of its own.
  process.env['TZ'] = 'UTC';
  // Where Node keeps compiled code when nobody says otherwise: each town of a test would compile everything anew.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');
  // Vite picks the build of a package by NODE_ENV alone, whatever the mode.
  process.env['NODE_ENV'] = mode === 'development' ? 'development' : 'production';
  return {
    test: {
      reporters: ['default', './scripts/stuck.ts'],
      pool: 'forks',
      // Most tests wait for real programs: three share two cores well. A fourth takes as long, and more of them meet their limits.
      maxWorkers: 3,
      // Test files share a process: loading the town's modules anew for each costs half a second.
      isolate: false,
      sequence: { sequencer: LongFirst },
      setupFiles: ['test/setup.ts'],
      // What hangs is ended by these; what is only slow, on a machine with ten other things to do, is no failure.
      testTimeout: 240_000,
      hookTimeout: 120_000,
      projects: [
        { extends: true, test: { name: 'pure', include: ['test/**/*.test.ts'], exclude: live } },
        {
          extends: true,
          // Each program that these tests start is a fork first, which copies as many page tables as the heap is large.
          test: { name: 'live', include: live, globalSetup: 'test/bundle.ts', execArgv: ['--max-semi-space-size=2'] },
        },
      ],
    },
  };
});
