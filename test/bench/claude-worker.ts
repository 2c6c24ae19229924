/** What a Claude Code writes while it works, for a process that stands for one: costs nothing but the writing. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { transcriptFile } from '../../src/sources/claude-transcript.ts';
import { claude, text } from '../costs/lines.ts';

/** A busy one rests every so many steps, and an idle one works again. */
const STEPS_PER_TURN = 6;

export interface Worker {
  /** Writes a message into its transcript. */
  step(): void;
  /** As it does each time its turn begins or ends. */
  say(status: 'busy' | 'idle'): void;
  /** A step of one that works and rests by turns. */
  stepByTurns(): void;
}

/** `config`: its folder of configuration, in which `sessions/` is there. */
export function workerOf(config: string, pid: number, cwd: string): Worker {
  const id = randomUUID();
  const transcript = transcriptFile({ config, cwd, id });
  mkdirSync(dirname(transcript), { recursive: true });
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const file = join(config, 'sessions', `${pid}.json`);
  let steps = 0;
  const worker: Worker = {
    say: (status) => {
      const session = { pid, sessionId: id, cwd, procStart, version: '2.1.330', kind: 'interactive', status };
      writeFileSync(file, JSON.stringify({ ...session, statusUpdatedAt: Date.now() }));
    },
    step: () => {
      steps += 1;
      const words = claude({
        id: `msg_${id}_${steps}`,
        at: Date.now(),
        usage: [12, 900, 40_000, 350],
        part: text(`Step ${steps}: ${'looked at a file, and changed it. '.repeat(20)}`),
      });
      appendFileSync(transcript, `${words}\n`);
    },
    stepByTurns: () => {
      worker.step();
      if (steps % STEPS_PER_TURN === 0) worker.say((steps / STEPS_PER_TURN) % 2 === 0 ? 'busy' : 'idle');
    },
  };
  worker.say('busy');
  return worker;
}
