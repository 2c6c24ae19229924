/**
 * `--peers`: a hundred children under the town and under other supervisors, in one run on one machine. pm2 comes by npm and
 * supervisord by pip, into a temporary folder; runit and process-compose are measured where they are on PATH, and so is gt, by
 * itself in an empty town, since it starts nothing but its own agents. A peer that is not there is skipped with a word.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figure.ts';
import { benchTown, cpuMs, median, namesOf, pause, residentMb } from './town.ts';

const PM2 = 'pm2@6.0.14';
const SUPERVISOR = 'supervisor==4.3.0';
const CHILDREN = 100;
const QUIET_MS = 60_000;
const LIMIT_MS = 30_000;
/** A supervisor that is not back by then does not come back. */
const NEVER_MS = 15_000;
const KILLS = 5;
/** What each child sleeps, in seconds: told from all other sleepers of the machine. */
const SLEEP = '8640017';

interface Peer {
  readonly name: string;
  /** How many it starts; `CHILDREN` unless it says so. */
  readonly children?: 0;
  /** Starts the children, each `sleep SLEEP n`; resolves with what ends all of it, or why it cannot be measured. */
  start(home: string): Promise<(() => void) | string>;
  /** Pids of the supervisor's own processes, the one that starts children first. */
  own(): number[];
}

const told = (what: string, measured: string): Figure => ({ what, asked: 'for comparison', measured, isMet: true });
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

interface Process {
  readonly pid: number;
  readonly words: string;
}

const processes = (): Process[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [{ pid: Number(name), words: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() }];
    } catch {
      return []; // It ended meanwhile.
    }
  });
const named = (pattern: RegExp): number[] =>
  processes()
    .filter(({ words }) => pattern.test(words))
    .map(({ pid }) => pid);
const children = (): number[] => named(new RegExp(`^sleep ${SLEEP}`));
/** All programs that the machine has started so far. */
const forks = (): number => Number(/^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);

async function until(what: string, truth: () => boolean, limitMs = LIMIT_MS): Promise<number> {
  const began = performance.now();
  while (!truth()) {
    if (performance.now() - began > limitMs) throw new Error(`${what}: not within ${limitMs / 1_000} s`);
    await pause(2);
  }
  return performance.now() - began;
}

function script(home: string): string {
  const path = join(home, 'child.sh');
  writeFileSync(path, `#!/bin/sh\nexec sleep ${SLEEP}\n`, { mode: 0o755 });
  return path;
}

const numbers = Array.from({ length: CHILDREN }, (_, n) => n);

const town = (): Peer => {
  let root = '/nowhere';
  let guard = 0;
  return {
    name: 'town',
    start: async () => {
      const bench = benchTown('[sessions]\nstagger = "0s"\n');
      try {
        bench.tmux('new-session', '-d', '-s', 'mine', 'sleep', '1000000');
        bench.town(['up']);
        await bench.start(namesOf('c', CHILDREN), { command: ['sleep', SLEEP] });
        const status = await bench.statusWhen((one) => one.guard_pid !== null);
        ({ root } = bench);
        guard = status.guard_pid ?? 0;
      } catch (error) {
        bench.close();
        throw error;
      }
      return () => {
        bench.close();
      };
    },
    own: () => [...named(new RegExp(`--root ${root} daemon run`)), ...(guard === 0 ? [] : [guard])],
  };
};

const pm2: Peer = {
  name: 'pm2',
  start: (home) => {
    const env = { ...process.env, HOME: home, PM2_HOME: join(home, '.pm2') };
    const install = spawnSync('npm', ['install', '--no-save', '--ignore-scripts', '--prefix', home, PM2], { env });
    if (install.status !== 0) return Promise.resolve('npm could not bring it');
    const run = (...words: string[]): void => {
      spawnSync(process.execPath, [join(home, 'node_modules/pm2/bin/pm2'), ...words], { env });
    };
    const apps = numbers.map((n) => ({ name: `c${n}`, script: script(home), interpreter: 'none' }));
    writeFileSync(join(home, 'ecosystem.json'), JSON.stringify({ apps }));
    run('start', join(home, 'ecosystem.json'));
    return Promise.resolve(() => {
      run('kill');
    });
  },
  own: () => named(/^PM2 v\S+: God Daemon/),
};

/** One that stays in the foreground; its children are ended with it. */
function foreground(name: string, words: (home: string) => readonly string[] | string, pattern: RegExp): Peer {
  return {
    name,
    start: (home) => {
      const made = words(home);
      if (typeof made === 'string') return Promise.resolve(made);
      const [program = '', ...args] = made;
      spawn(program, args, { cwd: home, stdio: 'ignore', detached: true }).unref();
      return Promise.resolve(() => {
        for (const pid of named(pattern)) process.kill(pid, 'SIGTERM');
      });
    },
    own: () => named(pattern),
  };
}

const supervisord = foreground(
  'supervisord',
  (home) => {
    const bin = join(home, 'venv/bin');
    const made =
      spawnSync('python3', ['-m', 'venv', join(home, 'venv')]).status === 0 &&
      spawnSync(join(bin, 'pip'), ['install', '--quiet', SUPERVISOR]).status === 0;
    if (!made) return 'pip could not bring it';
    const program = (n: number): string =>
      `[program:c${n}]\ncommand=${script(home)}\nautorestart=true\nstartsecs=0\nstdout_logfile=NONE\nstderr_logfile=NONE\n`;
    const head = `[supervisord]\nnodaemon=true\nlogfile=/dev/null\nlogfile_maxbytes=0\npidfile=${home}/pid\nminfds=4096\n`;
    writeFileSync(join(home, 'supervisord.conf'), head + numbers.map(program).join(''));
    return [join(bin, 'supervisord'), '-c', join(home, 'supervisord.conf')];
  },
  /supervisord -c /,
);

const runit = foreground(
  'runit',
  (home) => {
    if (!has('runsvdir')) return 'it is not on PATH';
    for (const n of numbers) {
      mkdirSync(join(home, 'services', `c${n}`), { recursive: true });
      writeFileSync(join(home, 'services', `c${n}`, 'run'), `#!/bin/sh\nexec sleep ${SLEEP}\n`, { mode: 0o755 });
    }
    return ['runsvdir', join(home, 'services')];
  },
  /^runsv(dir)? /,
);

const processCompose = foreground(
  'process-compose',
  (home) => {
    if (!has('process-compose')) return 'it is not on PATH';
    const one = (n: number): string =>
      `  c${n}:\n    command: exec sleep ${SLEEP}\n    availability: { restart: always, backoff_seconds: 1 }\n`;
    writeFileSync(join(home, 'compose.yaml'), `version: "0.5"\nprocesses:\n${numbers.map(one).join('')}`);
    return ['process-compose', '-f', join(home, 'compose.yaml'), '--tui=false', '--no-server', 'up'];
  },
  /^process-compose /,
);

const gasTown: Peer = {
  name: 'gt',
  children: 0,
  start: (home) => {
    if (!has('gt')) return Promise.resolve('it is not on PATH');
    const [cwd, env] = [join(home, 'gt'), { ...process.env, HOME: home, GT_TOWN_ROOT: join(home, 'gt') }];
    if (spawnSync('gt', ['install', cwd, '--no-beads'], { env }).status !== 0)
      return Promise.resolve('`gt install --no-beads` made no town');
    spawnSync('gt', ['daemon', 'start'], { cwd, env });
    return Promise.resolve(() => {
      spawnSync('gt', ['daemon', 'stop'], { cwd, env });
    });
  },
  own: () => named(/(^|\/)gt daemon run/),
};

async function measure(peer: Peer): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'town-peers-'));
  let stop: (() => void) | string = 'it was not started';
  try {
    stop = await peer.start(home);
    if (typeof stop === 'string') return [told(peer.name, `skipped: ${stop}`)];
    const { children: count = CHILDREN } = peer;
    const areThere = () => children().length === count && peer.own().length > 0;
    await until(`${peer.name} and its children`, areThere, 4 * LIMIT_MS);
    await pause(5_000);
    const own = peer.own();
    const cpu = (): number => own.reduce((sum, pid) => sum + cpuMs(pid), 0);
    const memory = own.reduce((sum, pid) => sum + residentMb(pid), 0);
    const [cpuBefore, forksBefore] = [cpu(), forks()];
    await pause(QUIET_MS);
    const share = ((cpu() - cpuBefore) / QUIET_MS) * 100;
    const started = forks() - forksBefore;
    const restarts: number[] = [];
    for (let n = 0; n < KILLS && count > 0; n += 1) restarts.push(await childBack(peer));
    return [
      told(`${peer.name} with ${count} children: memory of its ${own.length} processes`, `${memory.toFixed(0)} MB`),
      told('… share of a core', `${share.toFixed(2)} %`),
      told(`… programs that the machine started in ${QUIET_MS / 1_000} s`, String(started)),
      ...(count === 0 ? [] : [told('… from a kill to the next start', `${median(restarts).toFixed(0)} ms`)]),
      told('… from a kill of the supervisor to the next one', await supervisorBack(peer)),
    ];
  } finally {
    if (typeof stop !== 'string') stop();
    for (const pid of [...peer.own(), ...children()]) process.kill(pid, 'SIGKILL');
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Kills a child and waits for the one that takes its place. */
async function childBack({ name }: Peer): Promise<number> {
  const before = new Set(children());
  const [victim] = before;
  if (victim === undefined) throw new Error(`${name} has no children`);
  process.kill(victim, 'SIGKILL');
  return until(`a child of ${name}`, () => children().some((pid) => !before.has(pid)));
}

async function supervisorBack(peer: Peer): Promise<string> {
  const before = new Set(peer.own());
  const [first] = before;
  if (first === undefined) throw new Error(`${peer.name} is not there`);
  process.kill(first, 'SIGKILL');
  const back = (): boolean => peer.own().some((pid) => !before.has(pid));
  return until('', back, NEVER_MS).then(
    (ms) => `${ms.toFixed(0)} ms`,
    () => 'never',
  );
}

export async function measurePeers(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const peer of [town(), pm2, supervisord, runit, processCompose, gasTown])
    figures.push(
      ...(await measure(peer).catch((error: unknown) => [told(peer.name, `not measured: ${String(error)}`)])),
    );
  return figures;
}
