/**
 * The agents' programs, looked at while the agents run. A change is another file at the path that a start of the agent would
 * find; a version is what the file tells, since no program is run only to be asked. An agent that runs keeps what it has, so that only a person
 * can want it to begin anew; what a start could not find any more needs a person.
 */
import { basename } from 'node:path';
import type { SessionRecord } from '../../machines/protocol.ts';
import { isWatched } from '../../machines/sessions/state.ts';
import { programAt } from '../proc/find-program.ts';
import { markOf } from '../proc/node.ts';
import { versionOf } from '../overview/version.ts';
import { WELL, type Finding, type Row } from './programs.ts';

export interface AgentPrograms {
  readonly sessions: () => Promise<readonly SessionRecord[]>;
  /** PATH of an agent that is started now; null = it has none. Rejects where that is unknown. */
  readonly path: () => Promise<string | null>;
}

interface Program {
  readonly session: string;
  readonly uuid: string;
  /** As the command names it. */
  readonly name: string;
  readonly file: string | null;
  readonly mark: string | null;
  /** null = its file does not tell it. */
  readonly version: string | null;
}
type File = Pick<Program, 'file' | 'mark' | 'version'>;

/** At most so many are named in a sentence. */
const NAMED = 5;

/** What changed before the town's first look at a life is unknown to it. */
export function agentsRow({ sessions, path }: AgentPrograms): Row {
  /** By the uuid of a life. */
  const first = new Map<string, Program>();
  /** An installer may remove a program and put another in its place: a person is alerted after two looks. */
  let missed: ReadonlySet<string> = new Set();
  const look = async (): Promise<Finding> => {
    const running = (await sessions()).filter(isStartable);
    if (running.length === 0) return WELL;
    const now = programsOf(running, await path());
    for (const uuid of first.keys()) if (now.every((one) => one.uuid !== uuid)) first.delete(uuid);
    const missing = now.filter(({ file }) => file === null);
    const settled = missing.filter(({ uuid }) => missed.has(uuid));
    missed = new Set(missing.map(({ uuid }) => uuid));
    return {
      why: settled.length === 0 ? null : missingText(settled),
      renew: null,
      changes: now.flatMap((program) => change(program, first)),
    };
  };
  return { what: 'agent-program-missing', look };
}

/** One that waits for its start has an alert of its own, which says what tmux said. */
const isStartable = (record: SessionRecord): boolean =>
  isWatched(record) && record.spec.command.length > 0 && record.incarnation !== null;

function programsOf(records: readonly SessionRecord[], path: string | null): Program[] {
  const files = new Map<string, File>();
  return records.map(({ spec: { name: session, command, dir }, incarnation }) => {
    const name = command[0] ?? '';
    const key = JSON.stringify([name, dir]);
    const known = files.get(key) ?? fileOf(name, dir, path);
    files.set(key, known);
    return { session, uuid: incarnation?.uuid ?? '', name, ...known };
  });
}

function fileOf(name: string, dir: string, path: string | null): File {
  const file = programAt(name, dir, path);
  if (file === null) return { file, mark: null, version: null };
  return { file, mark: markOf(file), version: versionOf({ comm: basename(file), exe: file, argv: [file] }) };
}

/** The first look at a life notes its program. */
function change(now: Program, first: Map<string, Program>): string[] {
  if (now.file === null) return [];
  const then = first.get(now.uuid);
  if (then === undefined) first.set(now.uuid, now);
  if (then === undefined || (then.file === now.file && then.mark === now.mark)) return [];
  const how = then.version === now.version ? '' : ` (${then.version ?? 'unknown'} by ${now.version ?? 'unknown'})`;
  return [`the program of ${now.session} was replaced${how}; its next start runs ${now.file} as it is now`];
}

function missingText(missing: readonly Program[]): string {
  const named = missing.slice(0, NAMED).map(({ session, name }) => `${session} (${name})`);
  const more = missing.length > NAMED ? ` and ${String(missing.length - NAMED)} more` : '';
  return `The program that a new start needs is not there any more, while its agent runs on: ${named.join(', ')}${more}`;
}
