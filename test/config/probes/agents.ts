/** `[[agents]]`: what the town starts by itself. */
import type { Settings } from '../../../src/config/settings.ts';
import { configuredAgents } from '../../../src/config/agents.ts';
import { Drive, townInput } from '../../world/drive.ts';
import { MINUTE, probe, type Probes } from './probe.ts';

/** The sessions that a town with these settings starts. */
function started(settings: Settings): unknown {
  const input = { ...townInput(settings.policy), agents: configuredAgents(settings) };
  const town = new Drive({}, { input });
  town.run(MINUTE);
  return town.given('startSession').map(({ spec }) => spec);
}

const entry = { name: 'gt-nux', command: ['sh'] };
const other = {
  name: 'gt-max',
  command: ['bash'],
  dir: '/tmp',
  tags: ['worker'],
  restart: 'permanent',
  env: ['KEY'],
  max_memory: '4 GB',
} as const;

export const agents: Probes = Object.fromEntries(
  Object.entries(other).map(([key, value]) => [
    `agents.*.${key}`,
    probe([{ agents: [entry] }, { agents: [{ ...entry, [key]: value }] }] as const, started),
  ]),
);
