/**
 * The import rules are only as good as the checker's eyes: with some TypeScript versions it reads nothing and finds
 * nothing. So it must name every file on the disk, and must find one planted violation of every rule.
 */
import { describe, expect, it } from 'vitest';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { ROOMS, sourcesOf } from '../../scripts/rooms.ts';
import { plant, ROOT } from './planted.ts';

interface Report {
  readonly modules: readonly { source: string; dependencies: readonly unknown[] }[];
  readonly summary: {
    readonly violations: readonly { rule: { name: string }; from: string; to: string }[];
    readonly ruleSetUsed: { readonly forbidden: readonly { name: string; comment: string }[] };
  };
}

async function cruise(root: string): Promise<Report> {
  const bin = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const { stdout } = await execa(
    process.execPath,
    [
      bin,
      '--config',
      '.dependency-cruiser.js',
      '--output-type',
      'json',
      ...ROOMS.filter((room) => existsSync(join(root, room))),
    ],
    { cwd: root, maxBuffer: 100_000_000, reject: false },
  );
  return JSON.parse(stdout) as Report;
}

/** rule -> [file, text that breaks it] */
const PLANTED: Record<string, [path: string, text: string]> = {
  'machines-know-only-xstate': [
    'machines/reads.ts',
    "import { readFileSync } from 'node:fs';\nexport const x = readFileSync;",
  ],
  'state-knows-no-hands': ['state/acts.ts', "import type { Hand } from '../src/hand.ts';\nexport type X = Hand;"],
  'state-runs-no-machine': ['state/runs.ts', "import { createActor } from 'xstate';\nexport const x = createActor;"],
  'product-knows-no-test': ['src/tested.ts', "import { fake } from '../test/fake.ts';\nexport const x = fake;"],
  'only-hands-spawn': ['src/watch/spawns.ts', "import { execa } from 'execa';\nexport const x = execa;"],
  'only-the-bell-notifies': [
    'src/patrols/notifies.ts',
    "import { notifyPerson } from '../alerts/command.ts';\nexport const x = notifyPerson;",
  ],
  'only-hands-speak': ['src/cli/speaks.ts', "import { connect } from 'node:net';\nexport const x = connect;"],
  'one-door-for-the-web': [
    'src/socket/serves.ts',
    "import { WebSocketServer } from 'ws';\nexport const x = WebSocketServer;",
  ],
  'inspector-is-loaded-late': ['src/eager.ts', "import { look } from './inspect/look.ts';\nexport const x = look;"],
  'no-cycles': ['src/circle.ts', "import type { Turn } from './turn.ts';\nexport type Circle = Turn;"],
  'no-cycles-in-tests': ['test/about.ts', "import { round } from './round.ts';\nexport const about = () => round;"],
  'no-unresolved': ['src/nowhere.ts', "import { x } from './gone.ts';\nexport const y = x;"],
  'no-undeclared-package': ['src/undeclared.ts', "import semver from 'semver';\nexport const x = semver;"],
  'product-holds-chosen-packages': ['src/develops.ts', "import fc from 'fast-check';\nexport const x = fc;"],
};
const SUPPORT = {
  'src/alerts/command.ts': 'export const notifyPerson = 1;',
  'src/hand.ts': 'export type Hand = string;',
  'src/turn.ts': "import type { Circle } from './circle.ts';\nexport type Turn = Circle[];",
  'test/fake.ts': 'export const fake = 1;',
  'test/round.ts': "import { about } from './about.ts';\nexport const round = () => about;",
  'test/back/allowed.ts':
    "import type { Front } from './front.ts';\nexport const back = (front: Front): Front => front;",
  'test/back/front.ts': "import { back } from './allowed.ts';\nexport type Front = typeof back;",
  'src/tmux/allowed.ts': "import { spawn } from 'node:child_process';\nexport const x = spawn;",
  'src/socket/allowed.ts': "import { createServer } from 'node:net';\nexport const x = createServer;",
  'src/inspect/look.ts': "import { WebSocketServer } from 'ws';\nexport const look = WebSocketServer;",
  'src/late/allowed.ts':
    "import type { look } from '../inspect/look.ts';\nexport const x = async (): Promise<typeof look> => (await import('../inspect/look.ts')).look;",
  'machines/allowed.ts': "import { setup } from 'xstate';\nexport const x = setup;",
};

describe('the project', async () => {
  const { modules, summary } = await cruise(ROOT);

  it('keeps every import rule', () => {
    expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
  });

  it('is read whole: each module on the disk, and what it imports', () => {
    for (const room of ROOMS) {
      const read = modules
        .map(({ source }) => source)
        .filter((path) => path.startsWith(`${room}/`) && path.endsWith('.ts'));
      expect(read.sort()).toEqual(sourcesOf(ROOT, room));
    }
    expect(modules.flatMap(({ dependencies }) => dependencies).length).toBeGreaterThan(
      sourcesOf(ROOT, 'machines').length,
    );
  });
});

describe('every import rule', async () => {
  const copy = plant({ ...SUPPORT, ...Object.fromEntries(Object.values(PLANTED)) });
  const { violations: found, ruleSetUsed } = (await cruise(copy)).summary;

  it.each(ruleSetUsed.forbidden)('$name finds its planted violation', ({ name, comment }) => {
    expect(PLANTED).toHaveProperty(name);
    expect(found.map(({ rule, from }) => [rule.name, from])).toContainEqual([name, PLANTED[name]![0]]);
    expect(comment).toMatch(/\.$/);
  });

  it('leaves the rooms alone whose task it is', () => {
    expect(found.filter(({ from }) => from.endsWith('/allowed.ts'))).toEqual([]);
  });
});
