/** What patrols of a running town take up of town.toml by themselves, and what only the next town process does. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { deaconSession } from '../../src/config/agents.ts';
import { loadSettings } from '../../src/config/load.ts';
import { configuredNow } from '../../src/patrols/thread/configured.ts';
import { tempFolder } from '../world/over.ts';

let root: string;
beforeEach(() => (root = tempFolder('town-configured')));
const write = (text: string): void => writeFileSync(join(root, 'town.toml'), text);
const AGENT = '[deacon]\nmode = "session"\ncommand = ["cat"]\n';

// Rules: C-17.
test.each([
  ['an agent', AGENT, '[deacon]\nmode = "actor"\n'],
  ['the town itself', '', AGENT],
  ['another agent', AGENT, AGENT.replace('cat', 'sh')],
])('the Deacon that the running town has stays its Deacon: %s', (_, before, after) => {
  write(before);
  const settings = loadSettings({ root, env: {} });
  write(`${after}[patrol]\nidle = "7m"\n`);
  const now = configuredNow(settings);
  expect(deaconSession(now)).toEqual(deaconSession(settings));
  expect(now.policy.watchdog.deacon.idleMs).toBe(7 * 60_000);
  expect(deaconSession(configuredNow(now))).toEqual(deaconSession(settings));
});
