/**
 * The programs that a running town uses by their path, looked at while it runs: its own package, Node, tmux and git. A look is a
 * stat each. Each kind of change has one act: the town asks its guard for a new start, and a person is alerted for as long as
 * the cause lasts.
 */
import { nextMultiple } from '../../machines/kernel/schedule.ts';
import type { Condition, Ms } from '../../machines/protocol.ts';
import { node as ownNode, type NodeFinder, markOf } from '../proc/node.ts';
import { programAt } from '../proc/find-program.ts';
import { textOf } from '../../state/files/disk.ts';
import { gitVersion } from '../git/version.ts';
import type { Announce, Clock } from '../ports/ports.ts';
import type { ClientProgram } from '../tmux/program.ts';

/** What a look at one program came to. */
export interface Finding {
  /** A person is alerted with it: a sentence without its stop; null = nothing needs a person. */
  readonly why: string | null;
  /** Why the town has to begin anew; null = it need not. */
  readonly renew: string | null;
  /** Changes that need no person, which `town health` and `town doctor` show; absent = none. */
  readonly changes?: readonly string[];
}
export const WELL: Finding = { why: null, renew: null };

export interface Row {
  readonly what: Condition;
  look(): Finding | Promise<Finding>;
}

/** The town's own files: `version` is of the package as it stands. */
export interface Package {
  readonly folder: string;
  readonly files: readonly string[];
  readonly version: () => string;
}

/** Two looks that find the same new package: an installation that is under way is left to itself. */
export function packageRow({ folder, files, version }: Package): Row {
  const marks = (): string | null => {
    const all = files.map(markOf);
    return all.includes(null) ? null : all.join(' ');
  };
  const [first, old] = [marks(), version()];
  let last = first;
  return {
    what: 'package-changed',
    look: () => {
      const now = marks();
      const isSettled = now === last;
      last = now;
      if (now === first || !isSettled) return WELL;
      if (now === null) {
        const why = `The package in ${folder} was removed while its town runs. The town goes on with what it has loaded, and cannot be started again`;
        return { why, renew: null };
      }
      const change = `the package in ${folder} was replaced (${old} by ${version()})`;
      return { why: `A restart is due: ${change}, and this town still runs the old one`, renew: change };
    },
  };
}

export function nodeRow(own: string, finder: NodeFinder): Row {
  return {
    what: 'node-changed',
    look: () => {
      const now = finder.find();
      if (now === own) return WELL;
      if (!finder.isLast(now))
        return { ...WELL, renew: `Node ${own} was removed or is too old; ${now} takes its place` };
      const why = `Node ${own} was removed or is too old, and there is no other one of at least 24 in PATH. The town goes on with the one in its memory`;
      // Once anew, so that its questions name a program that is there.
      return { why, renew: own.endsWith(' (deleted)') ? null : why };
    },
  };
}

export function tmuxRow(program: () => Promise<ClientProgram>): Row {
  return {
    what: 'tmux-changed',
    look: async () => {
      const { differs } = await program();
      if (differs === null) return WELL;
      const { server, inPath } = differs;
      const how = inPath === null ? 'was removed' : `is ${inPath}`;
      const why = `tmux in PATH ${how}, and its server is ${server}. The town speaks with the server by the program that the server runs; your own tmux may not`;
      return { why, renew: null };
    },
  };
}

/** A call of git runs what PATH has at that moment, so that the town uses a new git at once. Without one at the start, the town never needs it. */
export function gitRow(
  find = (): string | null => programAt('git', '/', process.env['PATH'] ?? null),
  versionOf: typeof gitVersion = gitVersion,
): Row {
  /** `undefined` = not looked yet. */
  let first: { readonly file: string; readonly version: string | null } | null | undefined;
  let known: { readonly mark: string; readonly version: string | null } | null = null;
  const versionAt = async (file: string): Promise<string | null> => {
    const mark = `${file} ${markOf(file) ?? ''}`;
    if (known?.mark !== mark) known = { mark, version: await versionOf(file).catch(() => null) };
    return known.version;
  };
  return {
    what: 'git-missing',
    look: async () => {
      const file = find();
      const version = file === null ? null : await versionAt(file);
      first ??= file === null ? null : { file, version };
      if (first === null) return WELL;
      const lost = file === null ? 'was removed' : version === null ? 'was replaced by one that does not run' : null;
      if (lost !== null)
        return { why: `git (${first.file}) ${lost}: no work can be saved, so that no agent is ended`, renew: null };
      if (version === first.version) return WELL;
      return {
        ...WELL,
        changes: [`git ${String(first.version)} was replaced by ${String(version)}, which the town uses`],
      };
    },
  };
}

/** With these the town works as before. */
const HARMLESS: ReadonlySet<Condition> = new Set(['tmux-changed', 'agent-program-missing']);

/** What keeps the town from a part of its work, for `status` and `health`; null = nothing does. */
export function faultIn(found: Found): string | null {
  const faults = [...found].flatMap(([what, { why }]) => (why === null || HARMLESS.has(what) ? [] : [why]));
  return faults[0] ?? null;
}

/** All that changed, for `town health` and `town doctor`. */
export const changesIn = (found: Found): string[] =>
  [...found.values()].flatMap(({ why, changes = [] }) => [...(why === null ? [] : [why]), ...changes]);

/** The last finding of each row. */
export type Found = ReadonlyMap<Condition, Finding>;

export interface WatchNeeds {
  /** Filled here. */
  readonly found: Map<Condition, Finding>;
  readonly rows: readonly Row[];
  readonly clock: Clock;
  readonly everyMs: Ms;
  readonly announce: Announce;
  readonly log: (text: string) => void;
  /** Ends the town for a new start by its guard; false = it has none. */
  readonly renew: (why: string) => boolean;
}

/** null = unknown. */
async function lookAt(look: Row['look'], log: WatchNeeds['log']): Promise<Finding | null> {
  try {
    return await look();
  } catch (error) {
    log(`a look at a program failed: ${textOf(error)}`);
    return null;
  }
}

/** Looks until `stop`, or until the town begins anew. Never rejects. */
export async function watchPrograms(needs: WatchNeeds, stop: AbortSignal): Promise<void> {
  const { found, rows, clock, everyMs, announce, log, renew } = needs;
  while (!stop.aborted) {
    for (const { what, look } of rows) {
      const finding = await lookAt(look, log);
      if (finding === null) continue; // Unknown begins nothing and ends nothing.
      const { why, renew: cause } = finding;
      if (cause !== null && renew(cause)) return;
      if (why !== found.get(what)?.why) announce({ type: 'CONDITION_FOUND', what, why });
      found.set(what, finding);
    }
    await clock.sleep(nextMultiple(clock.now(), everyMs) - clock.now(), stop);
  }
}

/** Of this process. */
export const ownNodeRow = (): Row => nodeRow(process.execPath, ownNode);
