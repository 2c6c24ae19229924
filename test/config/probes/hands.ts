/** [hands] and [nudge] where no program is needed: what the hands type, measure, read and take. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Packs } from '../../../src/screen/packs.ts';
import { UNKNOWN_PICTURE } from '../../../src/screen/picture.ts';
import { readScreen } from '../../../src/screen/read.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { CpuSampler } from '../../../src/hearings/cpu.ts';
import { evidenceOf, type Baseline, type Signs } from '../../../src/hearings/evidence.ts';
import { changesOf } from '../../../src/git/changes.ts';
import type { Git } from '../../../src/git/git.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { createRescuer } from '../../../src/rescue/rescue.ts';
import { startSession } from '../../../src/sessions/start.ts';
import { TmuxError } from '../../../src/tmux/errors.ts';
import { incarnation } from '../../world/drive.ts';
import { composer, FakePane, LINES } from './pane.ts';
import { MINUTE, SECOND, probe, section, type Probes } from './probe.ts';
import { tempFolder } from '../../world/over.ts';

/** Columns and rows of a session that is started. */
async function started({ hands }: Settings): Promise<unknown> {
  const asked: (readonly string[])[] = [];
  const refuse = () => Promise.reject(new TmuxError('refused', 'a test'));
  const tmux = {
    expect: () => undefined,
    call: refuse,
    sequence: refuse,
    server: () => Promise.resolve(null),
    connect: () => Promise.resolve('up' as const),
    query: (command: readonly string[]) => {
      asked.push(command);
      return command[0] === 'new-session' ? refuse() : Promise.resolve([]);
    },
  };
  const hand = startSession({
    tmux,
    policy: hands,
    tokenFor: () => 'token',
    owner: { root: '/town', epoch: 1 },
    processes: { ...createProcesses(), alive: () => false, proc: () => null },
    claim: () => Promise.resolve({ kind: 'owned' }),
    keep: () => Promise.resolve(null),
    personIn: () => Promise.resolve(null),
    hooksFile: null,
    environmentOf: () => Promise.resolve({}),
    heldBack: () => Promise.resolve(null),
    packs: new Packs(),
  });
  const spec = { name: 'gt-a', command: ['sh'], dir: '/', tags: [], restart: 'temporary', process: null } as const;
  await hand(
    { type: 'startSession', id: { name: 's' }, spec, uuid: 'u', previous: null },
    new AbortController().signal,
  );
  return asked.find(([verb]) => verb === 'new-session')?.filter((_, at, words) => /^-[xy]$/.test(words[at - 1] ?? ''));
}

const used = (ms: number) => new Map([['1001 x', ms]]);

/** CPU rates as told each second, of a tree that worked only in its first ten. */
async function rates({ hands }: Settings): Promise<(number | null)[]> {
  let soFar = 0;
  const processes = { usageOf: () => Promise.resolve([{ cpu: used(soFar), memoryBytes: 0 }]) };
  const sampler = new CpuSampler(processes, hands);
  const seen: (number | null)[] = [];
  for (let second = 0; second <= 60; second += 1) {
    soFar += second < 10 ? 500 : 0;
    await sampler.sample([incarnation(1)], second * SECOND);
    seen.push(sampler.rate('uuid-1'));
  }
  return seen;
}

/** Whether CPU at this rate, for this long since our last key, is a sign of life; its own rate was 200 ms per s. */
function sign({ hands }: Settings, rate: number, ms: number): string | null {
  const numbers = { historySize: 0, historyLimit: 2_000, width: 80, height: 24, cursorRow: 0, cursorColumn: 0 };
  const modes = { alternate: false, inMode: false, synchronized: false };
  const capture = { ...numbers, ...modes, tty: null, title: '', lines: [], screen: [] };
  const screen = readScreen(new Packs().named('generic'), UNKNOWN_PICTURE);
  const cpu = { at: ms, used: used((rate * ms) / SECOND) };
  const more = { own: new Set<number>(), shown: null, isAfter: () => false, anchor: null, heartbeat: null };
  const signs: Signs = {
    at: ms,
    capture,
    screen,
    pack: { complete: false, noise: [] },
    cpu,
    tools: new Map(),
    ...more,
  };
  const before = {
    width: 80,
    alternate: false,
    words: [],
    written: [],
    animated: '',
    timer: null,
    grown: null,
    heartbeat: null,
    tools: new Map(),
  };
  const base: Baseline = { ...before, cpu: [{ at: 0, used: used(0) }] };
  return evidenceOf(base, signs, { cpuRate: 200, keysOld: true, numbers: hands }).life?.what ?? null;
}

/** What a rescue takes of two changed files of 2 kB. */
async function changes({ hands }: Settings): Promise<unknown> {
  const top = tempFolder('changes');
  const names = ['a.txt', 'b.txt'];
  for (const name of names) writeFileSync(join(top, name), 'x'.repeat(2_048));
  const git: Pick<Git, 'run'> = {
    run: ([verb, , flag]) => Promise.resolve(verb === 'ls-files' && flag === '--others' ? `${names.join('\0')}\0` : ''),
  };
  return changesOf(git as Git, top, hands, false).then(
    (found) => found.names,
    (error: unknown) => (error as Error).name,
  );
}

/** What a rescue takes of an agent that works in two repositories. */
async function rescued({ hands }: Settings): Promise<unknown> {
  const folder = tempFolder('repos');
  const repos = ['a', 'b'].map((name) => join(folder, name));
  for (const repo of repos) spawnSync('git', ['init', '-q', repo]);
  const rescuer = createRescuer({
    policy: hands,
    saveRescue: () => Promise.resolve(),
    cwdOf: () => repos[0] ?? null,
    dirOf: () => Promise.resolve(repos[1] ?? null),
  });
  return rescuer.rescue(incarnation('a'), 'dog-1763905400456', '', new AbortController().signal).then(
    ({ repos }) => repos,
    (error: unknown) => (error as Error).name,
  );
}

const many = Array.from({ length: 40 }, (_, n) => `line ${n}`);
export const hands: Probes = section('hands', {
  enter_after: probe('1s', async (settings) => {
    const pane = new FakePane(settings, { rows: composer(LINES.join(' ')) });
    await pane.ask();
    return pane.slept;
  }),
  paste_shown: probe('1s', async (settings) => {
    const pane = new FakePane(settings);
    await pane.ask();
    return pane.slept;
  }),
  max_enters: probe('1', async (settings) => {
    const pane = new FakePane(settings, { rows: composer(LINES.join(' ')) });
    await pane.ask();
    return pane.enters;
  }),
  enter_shown: probe('3s', async (settings) => {
    const pane = new FakePane(settings, { rows: composer(LINES.join(' ')) });
    await pane.ask();
    return pane.slept;
  }),
  evidence_after: probe('1m', (settings) => sign(settings, 1_000, 5 * SECOND)),
  cpu_baseline: probe('10s', rates),
  cpu_sample_every: probe('2s', rates),
  cpu_factor: probe('10', (settings) => sign(settings, 1_000, 5 * SECOND)),
  cpu_above: probe('2000', (settings) => sign(settings, 1_000, 5 * SECOND)),
  person_within: probe('1m', (settings) => new FakePane(settings, { keyMs: 5 * MINUTE }).ask()),
  tail_lines: probe('3', (settings) =>
    new FakePane(settings, { rows: composer('', many) }).look({ afterMs: 0, beat: 1 }),
  ),
  max_rescue_files: probe('1', changes),
  max_rescue_bytes: probe('1024', changes),
  max_rescue_repos: probe('1', rescued),
  columns: probe('100', started),
  rows: probe('24', started),
});

export const nudge: Probes = section('nudge', {
  every: probe('1m', (settings) => new FakePane(settings, { nudgedMs: 2 * MINUTE }).nudge()),
});
