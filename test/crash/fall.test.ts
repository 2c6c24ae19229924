/** A throw from within one dog of the real town, in the middle of five hearings: the others and the town do not notice. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { DEAF, LiveTown, until } from './live.ts';
import type { Killer } from './strike.ts';

vi.setConfig({ testTimeout: 240_000 });
const HERE = import.meta.dirname;
const NAMES = ['one', 'two', 'three', 'four', 'five'] as const;

/** The dog of this session throws so often. */
const falling = (session: string, times: number): Killer => ({
  by: 'preload',
  start: (words, env) =>
    spawn(process.execPath, ['--import', join(HERE, 'fall.ts'), join(HERE, '../../src/main.ts'), ...words], {
      env: { ...env, FALL: `${session}:${times}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
});

test.each([
  ['once: it is woken, and hears to the end', 1, 'executed'],
  ['three times: its hearing fails, no agent is killed, a person is told', 3, 'failed'],
] as const)('dog 3 falls %s; nothing else happens to the rest', async (_, times, verdict) => {
  await using town = new LiveTown();
  const life = await town.up(falling('three', times));
  await Promise.all(NAMES.map((name) => town.agent(name, DEAF)));
  for (const name of NAMES) town.accuse(name);
  await until(() => Object.keys(town.verdicts()).length === NAMES.length);
  const verdicts = town.verdicts();
  expect(verdicts).toEqual({ ...Object.fromEntries(NAMES.map((name) => [name, 'executed'])), three: verdict });
  expect(life.end()).toBeNull();
  expect(town.journal() + town.log()).toContain('thrown from within a dog');
  const asked = [...town.dances()].map(([name, { attempts }]) => [name, attempts.filter((one) => one.askedAt).length]);
  expect(Object.fromEntries(asked)).toMatchObject({ one: 3, two: 3, four: 3, five: 3 });
  const alerts = await town.cli.data<{ episode: string; text: string }[]>('alerts', 'list');
  expect(alerts.filter(({ text }) => text.includes('nothing was killed')).length).toBe(verdict === 'failed' ? 1 : 0);
});
