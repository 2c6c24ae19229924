/**
 * The agents' programs, looked at while the agents run. A change is another file at the path that a start of the agent would
 * find; a version is what the file tells, since no program is run only to be asked. An agent that runs keeps what it has, so that only a person
 * can want it to begin anew; what a start could not find any more needs a person. The town never starts an adopted agent: a
 * program of one that was removed is a change and no alert.
 */
import type { ProgramFile, SessionRecord } from '../../machines/protocol.ts';
import { isWatched } from '../../machines/sessions/state.ts';
import { fileAt, programFile } from '../sessions/program-file.ts';
import { WELL, type Finding, type Row } from './programs.ts';
import { firstNames } from '../../machines/kernel/span.ts';

export interface AgentPrograms {
  readonly sessions: () => Promise<readonly SessionRecord[]>;
  /** By a record, the PATH that its agent would get if it were started now; null = it has none. Rejects where that is unknown. */
  readonly paths: () => Promise<(record: SessionRecord) => Promise<string | null>>;
}

interface Program {
  readonly session: string;
  readonly uuid: string;
  /** As the command names it. */
  readonly name: string;
  /** The town knows a command that it starts the agent by. */
  readonly isOurs: boolean;
  /** As its start found it; absent = the start did not keep that. */
  readonly before: ProgramFile | undefined;
  /** null = it is not there. */
  readonly now: ProgramFile | null;
}

/** Of an agent that the town never starts. */
const RUNS_ON = 'the agent runs on with the one that it was started from';

/** At most so many are named in a sentence. */
const NAMED = 5;

export function agentsRow({ sessions, paths }: AgentPrograms): Row {
  /** By the uuid of a life whose start did not keep its program, as the first look found it. */
  const first = new Map<string, ProgramFile>();
  /** An installer may remove a program and put another in its place: a person is alerted after two looks. */
  let missed: ReadonlySet<string> = new Set();
  const look = async (): Promise<Finding> => {
    const running = (await sessions()).filter(hasProgram);
    if (running.length === 0) return WELL;
    const now = await programsOf(running, await paths());
    for (const uuid of first.keys()) if (now.every((one) => one.uuid !== uuid)) first.delete(uuid);
    const missing = now.filter((one) => one.isOurs && one.now === null);
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
const hasProgram = (record: SessionRecord): boolean =>
  isWatched(record) && record.incarnation !== null && commandOf(record).length > 0;

/** The program of an agent whose command the town does not know is looked for where its process has it from. */
const commandOf = ({ spec: { command }, program }: SessionRecord): readonly string[] =>
  command.length > 0 || program === undefined ? command : [program.file];

/** A person may have given a script to an interpreter, which reads it without the right to run it. */
function foundNow(record: SessionRecord, path: string | null): ProgramFile | null {
  const [command, { spec }] = [commandOf(record), record];
  return spec.command.length > 0 ? programFile({ command, dir: spec.dir }, path) : fileAt(command[0] ?? '');
}

async function programsOf(
  records: readonly SessionRecord[],
  pathOf: (record: SessionRecord) => Promise<string | null>,
): Promise<Program[]> {
  const files = new Map<string, ProgramFile | null>();
  const fileOf = (record: SessionRecord, path: string | null): ProgramFile | null => {
    const { command, dir } = record.spec;
    const key = JSON.stringify([command.length > 0, commandOf(record)[0], dir, path]);
    const file = files.has(key) ? files.get(key) : foundNow(record, path);
    files.set(key, file ?? null);
    return file ?? null;
  };
  const all: Program[] = [];
  for (const record of records) {
    const { spec, incarnation, program: before } = record;
    const now = fileOf(record, await pathOf(record));
    const [name = ''] = commandOf(record);
    const isOurs = spec.command.length > 0;
    all.push({ session: spec.name, uuid: incarnation?.uuid ?? '', name, isOurs, before, now });
  }
  return all;
}

function change({ session, uuid, name, isOurs, before, now }: Program, first: Map<string, ProgramFile>): string[] {
  if (now === null) return isOurs ? [] : [`the program of ${session} (${name}) was removed; ${RUNS_ON}`];
  const then = before ?? first.get(uuid) ?? now;
  if (before === undefined) first.set(uuid, then);
  if (then.file === now.file && then.mark === now.mark) return [];
  const how = then.version === now.version ? '' : ` (${then.version ?? 'unknown'} by ${now.version ?? 'unknown'})`;
  const sequel = isOurs ? `its next start runs ${now.file} as it is now` : RUNS_ON;
  return [`the program of ${session} was replaced${how}; ${sequel}`];
}

function missingText(missing: readonly Program[]): string {
  const named = missing.map(({ session, name }) => `${session} (${name})`);
  return `The program that a new start needs is not there any more, while its agent runs on: ${firstNames(named, NAMED)}`;
}
