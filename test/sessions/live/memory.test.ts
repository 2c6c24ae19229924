/** Memory of an agent's build on real processes, up to the alert. */
import { expect, test } from 'vitest';
import { TestTown, until } from '../../cli/town.ts';

interface Alert {
  readonly episode: string;
  readonly type: readonly string[];
}

test('a build that takes more than its agent may is an alert, and is left alone', async () => {
  const town = await new TestTown('[sessions]\nmax_memory = "150 MB"\n[hands]\ncpu_sample_every = "1s"\n').up();
  // The build is a child of the agent and a program of its own.
  const build = 'const all = Buffer.alloc(200e6, 1); setInterval(() => all.fill(2), 1000)';
  await town.agent('quiet', ['sleep', '1000']);
  await town.agent('builder', ['sh', '-c', `node -e '${build}'; true`]);
  const alerts = (): Promise<Alert[]> => town.data<Alert[]>('alerts', 'list');
  const [found] = await until(alerts, (all) => all.length > 0);
  expect(found?.episode).toBe('memory/builder');
  expect(found?.type.slice(0, 2)).toEqual(['town session status builder', 'town session restart builder']);
  expect((await town.status()).sessions).toMatchObject([{ alive: true }, { alive: true }]);
});
