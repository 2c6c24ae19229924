/** An opencode whose server is played by a program: what it says is a file's, and what it was answered is in another. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Proc } from '../../../machines/protocol.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { opencodePort } from '../../../src/sources/opencode.ts';
import { SOURCES } from '../../../src/sources/policy.ts';
import type { Ear } from '../../../src/sources/port.ts';
import { tempFolder, whenOver } from '../../world/over.ts';

const SERVER = join(import.meta.dirname, '../programs/opencode.ts');
export const ROOT = 'ses_root';
export const processes = createProcesses();
const clock = { now: () => performance.now(), wall: () => Date.now() };

export const IDLE = { '/session/status': {}, '/permission': [], '/question': [] };
export const PERMISSION = {
  id: 'per_1',
  sessionID: ROOT,
  permission: 'bash',
  patterns: ['touch x'],
  metadata: { command: 'touch x' },
  always: ['touch *'],
};
export const BUSY = {
  ...IDLE,
  '/session/status': { [ROOT]: { type: 'busy' } },
  [`/session/${ROOT}`]: { id: ROOT },
};
export const working = (part: object) => ({
  ...BUSY,
  [`/session/${ROOT}/message?limit=1`]: [{ info: { id: 'msg_1' }, parts: [{ type: 'tool', tool: 'bash', ...part }] }],
});

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
  /** What it says at first. */
  readonly answers?: object;
  /** What the clock shows. */
  readonly now?: () => number;
  /** How long it is waited for. */
  readonly waitMs?: number;
}

export interface Agent {
  readonly proc: Proc;
  readonly ear: Ear | null;
  says(answers: object): void;
  /** What was answered, a line each. */
  posted(): string;
}

const SECRET = { OPENCODE_SERVER_PASSWORD: 'secret' };

export async function agent({
  env = SECRET,
  words = [],
  answers = IDLE,
  now = clock.now,
  waitMs = SOURCES.answerMs,
}: Given = {}): Promise<Agent> {
  const file = join(tempFolder('town-opencode'), 'answers');
  const says: Agent['says'] = (answers) => writeFileSync(file, JSON.stringify(answers));
  const posted = (): string => readFileSync(`${file}.posted`, 'utf8');
  says(answers);
  const child = spawn(process.execPath, [SERVER, file, ...words, '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  whenOver(() => {
    // The launcher's server too; the whole group may be gone.
    spawnSync('kill', ['-KILL', '--', `-${child.pid}`]);
  });
  await once(child.stdout, 'data');
  const proc = processes.proc(child.pid ?? 0);
  if (proc === null) throw new Error('it ended at once');
  return { proc, ear: opencodePort({ processes, clock: { ...clock, now }, waitMs }).open(proc, null), says, posted };
}
