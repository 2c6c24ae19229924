/** A rig on a real repository, with the real records in a folder of its own; the sessions are the test's word. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bead } from '../../machines/ledger/bead.ts';
import type { PolecatRecord, RigRecord, RigRemote } from '../../machines/rigs/records.ts';
import { realDisk } from '../../state/files/disk.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { spawn } from '../../src/rigs/spawn.ts';
import type { WorkBranch } from '../../state/rigs/work.ts';
import type { Case, Yard } from '../../src/rigs/yard.ts';
import { bead } from '../ledger/beads.ts';
import { prepared } from '../rescue/prepared.ts';
import { Repo } from '../rescue/repo.ts';

const made = (hasRemote: boolean): string => {
  const repo = new Repo();
  repo.commit('file', 'first\n');
  repo.commit('.gitignore', 'built/\n');
  repo.commit('deep/er/file', 'deep\n');
  if (hasRemote) repo.addOrigin();
  return repo.root;
};
const WITH_REMOTE = prepared(() => made(true));
const ALONE = prepared(() => made(false));

export class RigOn extends Repo {
  readonly town = join(this.root, 'town');
  readonly records: RigRecords;
  /** What was done with hooks and sessions, in order. */
  readonly done: string[] = [];
  readonly notes: string[] = [];
  /** What is kept of the branches of beads. */
  readonly branches = new Map<string, WorkBranch>();

  constructor({ remote = true } = {}) {
    super(remote ? WITH_REMOTE : ALONE);
    mkdirSync(this.town);
    this.records = new RigRecords({ disk: realDisk(this.town, performance.timeOrigin) });
  }

  /** Its remote on record; absent = it is not yet. */
  set remote(remote: RigRemote | null) {
    this.#recorded = { remote };
  }
  get remote(): RigRemote | null {
    return this.#recorded.remote ?? null;
  }
  #recorded: { readonly remote?: RigRemote | null } = {};

  get rig(): RigRecord {
    return {
      name: 'shop',
      repo: this.top,
      commonDir: join(this.top, '.git'),
      agent: null,
      base: null,
      ...this.#recorded,
      addedAt: 1,
    };
  }

  at(more: Partial<Yard> = {}): Case {
    const say = (text: string) => (): Promise<void> => {
      this.done.push(text);
      return Promise.resolve();
    };
    const yard: Yard = {
      root: this.town,
      records: this.records,
      wall: () => 1_000,
      standingIn: () => Promise.resolve([]),
      hooks: {
        bead: (id) => Promise.resolve(bead(id, { title: `do ${id}` })),
        check: () => Promise.resolve(),
        hook: (bead, agent) => say(`hook ${bead} ${agent}`)(),
        unhook: (bead, agent) => say(`unhook ${bead} ${agent}`)(),
        heldBy: (agent) => Promise.resolve(this.#heldBy(agent)),
        lastBranch: (_, id) => Promise.resolve(this.branches.get(id) ?? null),
        keepBranch: (_, id, kept) => {
          this.branches.set(id, kept);
          return Promise.resolve();
        },
      },
      sessions: {
        start: ({ name }) => say(`start ${name}`)(),
        standing: () => Promise.resolve('none'),
        forget: (name) => say(`forget ${name}`)(),
      },
      note: (text) => this.notes.push(text),
      ...more,
    };
    return { yard, rig: this.rig };
  }

  /** What was hooked on it, and not taken off. */
  #heldBy(agent: string): Bead[] {
    const ids = this.done.flatMap((text) => /^hook (\S+) (.*)$/.exec(text) ?? []).filter((_, at) => at % 3 === 1);
    return ids
      .filter((id) => this.done.lastIndexOf(`hook ${id} ${agent}`) > this.done.lastIndexOf(`unhook ${id} ${agent}`))
      .map((id) => bead(id));
  }

  spawn(name = 'nux', more: Partial<Yard> = {}, bead: string | null = null): Promise<PolecatRecord> {
    const wanted = { rig: 'shop', name, command: ['sleep', '1'], bead, from: null, maxPolecats: 5 };
    return spawn(this.at(more), wanted);
  }

  dirOf(name = 'nux'): string {
    return join(this.town, 'shop/polecats', name);
  }
}
