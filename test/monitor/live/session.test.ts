/** An agent that monitors workers in place of the town, on a real tmux (M-10). */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killHard, TestTown, until } from '../../cli/town.ts';

const PROGRAMS = join(import.meta.dirname, '../../fixtures/agents/watchdog');
const TOML = `[watchdog]
poll_interval_secs = 2
nudge_every = "200ms"
[monitor]
mode = "session"
[presets.watchdog]
harness = "claude"
[presets.watchdog.config]
model = "haiku"
`;

/** Its `claude` is a script. */
class ScriptedTown extends TestTown {
  override env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const env = super.env(more);
    return { ...env, PATH: `${PROGRAMS}:${env['PATH'] ?? ''}` };
  }
}

interface Letter {
  readonly from: string;
  readonly subject: string;
  readonly body: string;
}

// Rules: M-10, M-6.
test('the agent of the preset is started, asked to check again and again, and heard, also after its death', async () => {
  const town = await new ScriptedTown(TOML).up();
  await town.agent('w1', ['sleep', '1000'], '--tag', 'worker');
  const letters = (): Promise<Letter[]> => town.data<Letter[]>('mail', 'inbox', 'tag/orchestrator');
  const [letter] = await until(letters, (all) => all.length > 0);
  expect(letter).toMatchObject({
    from: 'watchdog',
    subject: 'worker.stuck',
    body: 'You are a worker monitoring agent. Watch worker sessions and alert the orchestrator ONLY when action is needed.',
  });
  const screen = town.tmux('capture-pane', '-p', '-t', '=watchdog:');
  expect(screen).toContain('--model haiku');
  expect(screen).toMatch(/Nudge: check/);
  // The town's own monitor leaves the telling to it.
  expect(await town.data('alerts', 'poll', '--for', 'orchestrator')).toEqual([]);
  const first = town.life('watchdog');
  killHard(first?.agent.pid ?? 0);
  await until(
    () => Promise.resolve(town.life('watchdog')),
    (life) => life !== null && life.uuid !== first?.uuid,
  );
  await until(letters, (all) => all.length > 1);
  expect(await town.data('watchdog', 'status')).toMatchObject([{ name: 'watchdog', session: 'watchdog' }]);
});
