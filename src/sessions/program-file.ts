/**
 * The file of an agent's program: as a start of it finds it now, and as a process runs it. The table of programs
 * (src/host/agent-programs.ts) compares the two.
 */
import { basename, resolve } from 'node:path';
import type { Proc, ProgramFile, SessionSpec } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import { programAt } from '../proc/find-program.ts';
import { markOf } from '../proc/node.ts';
import type { Command, ProcessTable } from '../proc/processes.ts';
import { scriptOf } from '../screen/agents.ts';
import { versionOf } from '../screen/version.ts';

type Spec = Pick<SessionSpec, 'command' | 'dir'>;
export type ProgramSource = Pick<ProcessTable, 'alive' | 'commandOf' | 'cwdOf' | 'runningMarkOf' | 'variableOf'>;

/** null = it is not there. `path`: the PATH of the agent; null = it has none. */
export function programFile({ command, dir }: Spec, path: string | null): ProgramFile | null {
  const file = programAt(command[0] ?? '', dir, path);
  return file === null ? null : fileWith(file, markOf(file));
}

/** What stands at this path, as an interpreter reads it: a script need not be one that can be run. null = nothing. */
export const fileAt = (file: string): ProgramFile | null => orNull(() => fileWith(file, markOf(file)));

/**
 * What this process runs, by the kernel: also where that file was replaced or removed since. The script of an interpreter counts
 * as it stands now, since no process holds it. `spec`: how the town started it; one that runs another program by now, as a script
 * does that ends in `exec`, counts as what was started. null = it ended, or is unknown: no start fails for that.
 */
export const runningProgram = (processes: ProgramSource, agent: Proc, spec?: Spec): ProgramFile | null =>
  orNull(() => readRunning(processes, agent, spec));

function readRunning(processes: ProgramSource, agent: Proc, spec: Spec | undefined): ProgramFile | null {
  const command = processes.commandOf(agent.pid);
  const dir = processes.cwdOf(agent);
  const path = processes.variableOf(agent, 'PATH');
  const mark = processes.runningMarkOf(agent);
  if (command === null || dir === null || !processes.alive(agent)) return null;
  const script = scriptOf(command);
  const started = spec === undefined ? null : programFile(spec, path);
  if (started !== null && !isCalled(command, script, spec?.command[0] ?? '')) return started;
  if (script === '') return fileOf(command, { dir: spec?.dir ?? dir, path, mark });
  const file = resolve(dir, script);
  return fileWith(file, markOf(file)) ?? started;
}

interface Running {
  readonly dir: string;
  readonly path: string | null;
  /** null = the system does not tell. */
  readonly mark: string | null;
}

/** By the path that a person would call it by, where that leads to the very file: a version manager moves such a link later. */
function fileOf({ argv: [word = ''], exe }: Command, { dir, path, mark }: Running): ProgramFile | null {
  const called = word === '' ? null : programAt(word, dir, path);
  const now = called === null ? null : markOf(called);
  if (called !== null && now !== null && (mark === null || mark === now)) return fileWith(called, now);
  return exe === null ? null : fileWith(exe, mark ?? markOf(exe));
}

const isCalled = ({ argv: [word = ''] }: Command, script: string, name: string): boolean =>
  word === name || (script !== '' && basename(script) === basename(name));

const fileWith = (file: string, mark: string | null): ProgramFile | null =>
  mark === null ? null : { file, mark, version: versionOf({ comm: basename(file), exe: file, argv: [file] }) };
