/** The configuration of the seed: the example has every key with its default, and the variables count (M-10). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KEYS } from '../../src/config/keys.ts';
import { loadSettings } from '../../src/config/load.ts';
import { presetCommand } from '../../src/config/presets.ts';
import { DEFAULTS } from '../../src/config/settings.ts';

const NOWHERE = '/nonexistent/town';
const toml = readFileSync(join(import.meta.dirname, '../../examples/town.toml'), 'utf8');

// Rules: M-10.
test('the example is valid, has every key of the monitor, and changes none', () => {
  const settings = loadSettings({ root: NOWHERE, toml, env: {} });
  expect(settings.policy.monitor).toEqual(DEFAULTS.policy.monitor);
  const keys = KEYS.flatMap(({ path }) => (path.startsWith('watchdog.') ? [path.slice('watchdog.'.length)] : []));
  expect(keys.filter((key) => !new RegExp(`^(?:# )?${key} = `, 'm').test(toml))).toEqual([]);
  expect(presetCommand(settings, 'watchdog')).toEqual(['claude', '--model', 'haiku', '--dangerously-skip-permissions']);
});

// Rules: M-10.
test('the variables of the seed take bare numbers and lists', () => {
  const env = {
    FUGUE_WATCHDOG_POLL_INTERVAL: '10',
    FUGUE_WATCHDOG_STUCK_THRESHOLD: '5',
    FUGUE_WATCHDOG_WORKER_TAGS: 'worker,secondary-worker',
    FUGUE_WATCHDOG_ORCHESTRATOR_TAG: 'boss',
  };
  expect(loadSettings({ root: NOWHERE, env }).policy.monitor).toMatchObject({
    pollIntervalSecs: 10,
    stuckThresholdIntervals: 5,
    workerTags: ['worker', 'secondary-worker'],
    orchestratorTag: 'boss',
  });
});

// Rules: M-1.
test.each(['(', '(a+)+$', '(w+)+$', '(.*)*x', 'a'.repeat(201)])('the pattern %s is refused', (pattern) => {
  const text = `[watchdog]\nworker_pattern = ${JSON.stringify(pattern)}\n`;
  expect(() => loadSettings({ root: NOWHERE, toml: text, env: {} })).toThrow(
    /worker_pattern .*must be a regular expression/s,
  );
});
