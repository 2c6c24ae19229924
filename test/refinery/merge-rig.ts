/** A rig on a real repository with its remote, and one request that the refinery brings to its end on it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProcesses } from '../../src/proc/processes.ts';
import type { Request } from '../../src/patrols/witness/refinery-work.ts';
import { refine, type Outcome, type Refining } from '../../src/refinery/refine.ts';
import type { Merging } from '../../src/rigs/choices.ts';
import { RigOn } from '../rigs/yard.ts';

const MERGING: Merging = { way: 'merge', test: null, testLimitMs: 60_000, pullRequest: null, deletesBranch: true };

export class MergeRig extends RigOn {
  /** Where it tests. */
  readonly tree = join(this.town, 'shop/refinery');
  /** What it remembers of tests that passed. */
  readonly passed = new Map<string, string>();
  readonly excused: Refining['excused'] = new Map();
  readonly redMain: Refining['redMain'] = new Map();

  /** A branch of the remote with one commit that writes a file, of its name or another text; the request to merge it. */
  branch(name: string, file = 'new', text = name): Request {
    this.git('checkout', '-q', '-B', name, 'origin/main');
    this.commit(file, `${text}\n`);
    this.git('push', '-q', 'origin', 'HEAD');
    const commit = this.git('rev-parse', 'HEAD').trim();
    this.git('checkout', '-q', '--detach');
    return { mail: `ready-${name}`, sentAt: 1, bead: null, polecat: null, branch: name, commit, main: null };
  }

  refine(request: Request, merging: Partial<Merging> = {}, more: Partial<Refining> = {}): Promise<Outcome> {
    mkdirSync(join(this.town, 'shop'), { recursive: true });
    const refining: Refining = {
      root: this.town,
      of: 'shop',
      processes: createProcesses(),
      cancelled: new AbortController().signal,
      record: this.rig,
      merging: { ...MERGING, ...merging },
      standingIn: () => Promise.resolve([]),
      titleOf: () => Promise.resolve(null),
      isOpen: () => Promise.resolve(true),
      at: () => undefined,
      passed: this.passed,
      excused: this.excused,
      redMain: this.redMain,
      ...more,
    };
    return refine(refining, request);
  }

  /** What the remote's main has of a file; null = it has none. */
  onMain(file: string): string | null {
    const entry = this.gitIn(this.origin, 'ls-tree', 'main', '--', file);
    return entry === '' ? null : this.gitIn(this.origin, 'show', `main:${file}`);
  }

  /** What the remote runs before it takes a push, in sh. */
  hook(lines: string): void {
    writeFileSync(join(this.origin, 'hooks/pre-receive'), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  }
}

/** As town.toml gives a command that is one text. */
export const sh = (text: string): readonly string[] => ['/bin/sh', '-c', text];
