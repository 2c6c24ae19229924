/**
 * `--peers`: the same hundred children under pm2, in the same run on the same machine. Installed into a temporary folder on
 * demand; skipped with a word where npm cannot bring it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figure.ts';
import { cpuMs, median, pause, residentMb } from './town.ts';

const PM2 = 'pm2@6.0.14';
const CHILDREN = 100;
const QUIET_MS = 60_000;
const LIMIT_MS = 30_000;
const KILLS = 5;

const told = (what: string, measured: string): Figure => ({ what, asked: 'for comparison', measured, isMet: true });

export async function measurePeers(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'town-peers-'));
  const env = { ...process.env, HOME: home, PM2_HOME: join(home, '.pm2') };
  const install = spawnSync('npm', ['install', '--no-save', '--ignore-scripts', '--prefix', home, PM2], { env });
  const pm2 = (...args: string[]): string =>
    spawnSync(process.execPath, [join(home, 'node_modules/pm2/bin/pm2'), ...args], { env, encoding: 'utf8' }).stdout;
  try {
    // Its absence is no fault of ours: the figures are a comparison.
    if (install.status !== 0) return [told('pm2', 'skipped: npm could not bring it')];
    const script = join(home, 'child.sh');
    writeFileSync(script, '#!/bin/sh\nexec sleep 1000000\n', { mode: 0o755 });
    const apps = Array.from({ length: CHILDREN }, (_, n) => ({ name: `c${n}`, script, interpreter: 'none' }));
    writeFileSync(join(home, 'ecosystem.json'), JSON.stringify({ apps }));
    pm2('start', join(home, 'ecosystem.json'));
    const daemon = Number(readFileSync(join(home, '.pm2/pm2.pid'), 'utf8'));
    await pause(5_000);
    const before = cpuMs(daemon);
    await pause(QUIET_MS);
    const share = ((cpuMs(daemon) - before) / QUIET_MS) * 100;
    const memory = residentMb(daemon);
    const restarts: number[] = [];
    for (let n = 0; n < KILLS; n += 1) restarts.push(await restartOf(daemon));
    return [
      told(`pm2 with ${CHILDREN} children: memory`, `${memory.toFixed(0)} MB`),
      told('… share of a core', `${share.toFixed(2)} %`),
      told('… from a kill to the next start', `${median(restarts).toFixed(0)} ms`),
    ];
  } finally {
    pm2('kill');
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

/** Kills one of its children and waits for the one that takes its place. */
async function restartOf(daemon: number): Promise<number> {
  const before = new Set(childrenOf(daemon));
  const [victim] = before;
  if (victim === undefined) throw new Error('pm2 has no children');
  const began = performance.now();
  process.kill(victim, 'SIGKILL');
  while (childrenOf(daemon).every((pid) => before.has(pid))) {
    if (performance.now() - began > LIMIT_MS) throw new Error('pm2 did not start the killed child again');
    await pause(2);
  }
  return performance.now() - began;
}
