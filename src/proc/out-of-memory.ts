/**
 * Which process the kernel ends when the memory of the machine, or of a container, is used up. An agent and all that it starts
 * go before the tmux server, the town and its guard: a process has this value from the one that started it. Raising it
 * needs no privilege.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { orNull } from '../../state/files/or-null.ts';
import { OUT_OF_MEMORY } from '../ports/policy.ts';

const fileOf = (pid: number): string => `/proc/${String(pid)}/oom_score_adj`;
const scoreOf = (pid: number): number => Number(readFileSync(fileOf(pid), 'utf8'));

/** Also of what it has started by now. Never throws: on a system without such a file, or that forbids it, nothing changes. */
export function raiseOomScore(pid: number): void {
  orNull(() => {
    if (scoreOf(pid) < OUT_OF_MEMORY.agentScore) writeFileSync(fileOf(pid), String(OUT_OF_MEMORY.agentScore));
  });
  // A child that it starts from now on has the value.
  childrenOf(pid).forEach(raiseOomScore);
}

/**
 * A town that is started from an agent's pane has the value of what started the agent, mostly the tmux server. A lower one, such as 0, may be
 * forbidden. Never throws.
 */
export function resetOomScore(pid: number): void {
  orNull(() => {
    if (scoreOf(pid) === OUT_OF_MEMORY.agentScore) writeFileSync(fileOf(pid), String(scoreAboveAgent(pid)));
  });
}

/** Of the nearest process above that is none of the agent's. Throws where there is none. */
function scoreAboveAgent(pid: number): number {
  const score = scoreOf(pid);
  if (score < OUT_OF_MEMORY.agentScore) return score;
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return scoreAboveAgent(Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]));
}

function childrenOf(pid: number): number[] {
  const tasks = orNull(() => readdirSync(`/proc/${String(pid)}/task`)) ?? [];
  const texts = tasks.map((task) => orNull(() => readFileSync(`/proc/${String(pid)}/task/${task}/children`, 'utf8')));
  return texts.flatMap((text) => text?.match(/\d+/g) ?? []).map(Number);
}
