/** How long an agent waits for a hook that tells the town something: the command from the file that its program is started with. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { FILES } from '../../state/files/layout.ts';
import { besideNode, pause, withTown, type BenchTown } from './town.ts';
import { scaled, type Figure } from './figure.ts';

const ROUNDS = 31;
const ASKED_MS = 10;

interface Said {
  readonly what: string;
  readonly event: string;
  readonly more: object;
}
const SAID: readonly Said[] = [
  { what: 'that tells of a start', event: 'SessionStart', more: { source: 'startup' } },
  {
    what: 'that tells of a step which was denied, on disk before its answer',
    event: 'PermissionDenied',
    more: { tool_name: 'Bash', tool_input: { command: 'rm -rf build' }, reason: 'a rule' },
  },
];

/** What the town gave an agent that it started, as its hooks find it. */
async function environmentOf(town: BenchTown): Promise<Record<string, string>> {
  const file = join(town.root, 'environment');
  const command = ['sh', '-c', 'env > "$0.new" && mv "$0.new" "$0"; exec sleep 1000000', file];
  await town.start(['hooked'], { command, restart: 'temporary' });
  while (!existsSync(file)) await pause(10);
  const lines = readFileSync(file, 'utf8').split('\n');
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

interface Settings {
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
}

export const measureHooks = (): Promise<Figure[]> =>
  withTown('', async (town) => {
    town.town(['up']);
    const env = await environmentOf(town);
    const { hooks } = JSON.parse(readFileSync(join(town.root, FILES.claudeSettings), 'utf8')) as Settings;
    return SAID.map(({ what, event, more }) => {
      const command = hooks[event]?.[0]?.hooks[0]?.command ?? '';
      const input = JSON.stringify({ hook_event_name: event, session_id: randomUUID(), cwd: town.root, ...more });
      const took = besideNode(ROUNDS, () => {
        const began = performance.now();
        const { status, stderr } = spawnSync('sh', ['-c', command], { input, env, encoding: 'utf8' });
        const ms = performance.now() - began;
        if (status !== 0 || stderr !== '') throw new Error(`the hook ${event} failed: ${stderr}`);
        return ms;
      });
      return scaled(`a hook ${what}`, took, ASKED_MS);
    });
  });
