/**
 * The programs that a running town uses by their path, looked at while it runs: its own package, Node, tmux and git. A look is a
 * stat each. Each kind of change has one act: the town asks its guard for a new start, and a person is alerted for as long as
 * the cause lasts.
 */
import { nextBeat } from '../../machines/kernel/schedule.ts';
import type { Condition, Ms } from '../../machines/protocol.ts';
import { node as ownNode, type NodeFinder, markOf } from '../proc/node.ts';
import { programAt } from '../proc/find-program.ts';
import { textOf } from '../../state/files/disk.ts';
import type { Announce, Clock } from '../ports/ports.ts';
import type { ClientProgram } from '../tmux/program.ts';

/** What a look at one program came to. */
export interface Finding {
  /** For a person, as a sentence without its stop; null = all is well. */
  readonly why: string | null;
  /** Why the town has to begin anew; null = it need not. */
  readonly renew: string | null;
}
const WELL: Finding = { why: null, renew: null };

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

/** Most towns never need git: one that was not there at the start is missed by nobody. */
export function gitRow(find = (): string | null => programAt('git', '/', process.env['PATH'] ?? null)): Row {
  const first = find();
  return {
    what: 'git-missing',
    look: () =>
      first === null || find() !== null
        ? WELL
        : { why: `git (${first}) was removed: no work can be saved, so that no agent is ended`, renew: null },
  };
}

/** What of it stands, for `status` and `health`: null = the town does all that it should. */
export function faultIn(found: ReadonlyMap<Condition, string | null>): string | null {
  // With another tmux the town works as before.
  const faults = [...found].flatMap(([what, why]) => (why === null || what === 'tmux-changed' ? [] : [why]));
  return faults[0] ?? null;
}

export interface WatchNeeds {
  /** Filled with the last finding of each. */
  readonly found: Map<Condition, string | null>;
  readonly rows: readonly Row[];
  readonly clock: Clock;
  readonly everyMs: Ms;
  readonly announce: Announce;
  readonly log: (text: string) => void;
  /** Ends the town for a new start by its guard; false = it has none. */
  readonly renew: (why: string) => boolean;
}

/** null = it could not be told. */
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
      if (why !== found.get(what)) announce({ type: 'CONDITION_FOUND', what, why });
      found.set(what, why);
    }
    await clock.sleep(nextBeat(clock.now(), everyMs) - clock.now(), stop);
  }
}

/** Of this process. */
export const ownNodeRow = (): Row => nodeRow(process.execPath, ownNode);
