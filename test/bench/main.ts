/**
 * `npm run bench`: what the town costs and how quick it is, beside what was asked for. Builds first, measures the built
 * program as a user runs it. Machines are noisy: it prints, it does not judge. `--json` prints one object, `--peers` measures
 * other supervisors beside it; names of parts (process, watch, ears, hearing, deaths, dead, exits, hooks, poll, simulation, day, ledger, patrol, look, floods) measure only those.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { measureDay } from './day.ts';
import { measureDead } from './dead.ts';
import { measureDeaths } from './deaths.ts';
import { measureEars } from './ears.ts';
import { measureExits } from './exits.ts';
import { measureFloods } from './floods.ts';
import { measureHearing } from './hearing.ts';
import { measureHooks } from './hooks.ts';
import { measureLedger } from './ledger.ts';
import { measureLook } from './look.ts';
import { measurePatrol } from './patrol.ts';
import { measurePeers } from './peers.ts';
import { measurePoll } from './poll.ts';
import { measureProcess, measureWatch } from './process.ts';
import { measureSimulation } from './simulation.ts';
import { wordsGiven } from '../../scripts/usage.ts';
import type { Figure } from './figure.ts';

const parts = {
  process: measureProcess,
  watch: measureWatch,
  ears: measureEars,
  hearing: measureHearing,
  deaths: measureDeaths,
  dead: measureDead,
  exits: measureExits,
  hooks: measureHooks,
  poll: measurePoll,
  simulation: measureSimulation,
  day: measureDay,
  ledger: measureLedger,
  patrol: measurePatrol,
  look: measureLook,
  floods: measureFloods,
};
const USAGE = `npm run bench -- [PART]… [--peers] [--json]

Measures what a built town costs and how quick it is, beside what was asked for. It judges nothing.

parts: ${Object.keys(parts).join(', ')} (all of them if none is named)
--peers measures other supervisors too; --json prints one object.`;
const { values, positionals: wanted } = wordsGiven(USAGE, { json: { type: 'boolean' }, peers: { type: 'boolean' } });
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  process.stderr.write(`There is no part "${unknown.join('", "')}". See --help.\n`);
  process.exit(2);
}

const built = spawnSync(process.execPath, [join(import.meta.dirname, '..', '..', 'scripts', 'build.ts')], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (built.status !== 0) process.exit(1);

const figures: Figure[] = [];
for (const [name, measure] of Object.entries(parts))
  if (wanted.length === 0 || wanted.includes(name)) figures.push(...(await measure()));

if (values.peers === true) figures.push(...(await measurePeers()));

if (values.json === true) {
  process.stdout.write(`${JSON.stringify({ schema: 'bench/1', data: figures }, null, 2)}\n`);
} else {
  const width = Math.max(...figures.map(({ what }) => what.length));
  for (const { what, asked, measured, isMet } of figures)
    process.stdout.write(`${isMet ? ' ' : '!'} ${what.padEnd(width)}  ${measured.padStart(14)}   asked: ${asked}\n`);
}
