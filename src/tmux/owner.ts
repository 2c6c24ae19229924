/**
 * One root per tmux server (C-12): the server option `@town_owner` = `<key of the root>-<epoch> <root>`. Beside it the
 * town sets one option of a server, `@town_status`, which goes with it. Setting is atomic in tmux (`-o`); taking over removes exactly the
 * stale value.
 */
import { join } from 'node:path';
import { codeOf } from '../../state/files/disk.ts';
import { realPath } from '../../state/files/ownership.ts';
import { readPlain } from '../../state/files/regular-file.ts';
import { shellWord } from '../../state/files/show-text.ts';
import type { Processes } from '../ports/ports.ts';
import { isFault, TmuxError } from './errors.ts';
import { rootKey } from './panes.ts';
import { readingsOf } from './quoting.ts';
import type { TmuxClient } from './client.ts';

export interface Owner {
  readonly root: string;
  readonly epoch: number;
}

/** `none`: no server runs, so there is nothing to own; claim again when one was started. */
export type Claim =
  | { readonly kind: 'owned' }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly by: string; readonly why: string };

export interface OwnerDeps {
  readonly tmux: TmuxClient;
  readonly processes: Pick<Processes, 'proc'>;
  /** What is not the default reading of `<root>/daemon/daemon.pid`; throws when it is unknown. */
  readonly lives?: (owner: Owner) => boolean;
}

type Sequence = TmuxClient['sequence'];

const VALUE = /^[0-9a-f]{16}-(\d+) (.+)$/s;
/** Takeovers that lose the race against another town; more would mean that a program sets the option in a loop. */
const MAX_ROUNDS = 3;
const RELEASE = 'set-option -s -u @town_owner ; set-option -s -q -u @town_status';
const READ_OWNER = ['show-options', '-s', '-q', '-v', '@town_owner'];
/** What tmux says when another town was faster. */
const ALREADY_SET = 'already set';

/** A format that is 1 while this owner holds the server. Constants only: usable in the same command as a kill. */
export function ownerCondition(owner: Owner): string {
  return `#{m:${mark(owner)} *,#{@town_owner}}`;
}

/** Makes the server ours. Resolves with who holds it when a living town of another root does. Rejects with TmuxError. */
export async function claimServer(deps: OwnerDeps, owner: Owner): Promise<Claim> {
  const failed: string[] = [];
  const sequence: Sequence = async (commands) => {
    const answer = await deps.tmux.sequence(commands);
    if (answer.refused?.startsWith(ALREADY_SET) === false) failed.push(answer.refused);
    return answer;
  };
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const held = await readOwner({ sequence });
      // The key stands for the root, whose text tmux 3.4 does not print as it is.
      if (held?.startsWith(`${mark(owner)} `) === true) return { kind: 'owned' };
      if (held !== null) {
        const refusal = refusalOf(deps, owner, held);
        if (refusal !== null) return refusal;
        await drop({ sequence }, held);
      }
      await sequence([['set-option', '-s', '-o', '@town_owner', `${mark(owner)} ${owner.root}`]]);
    }
  } catch (error) {
    if (isFault(error, 'none')) return { kind: 'none' };
    throw error;
  }
  // A tmux that could not do it says nothing about who holds it: taken for a rival, it would end the town for good.
  if (failed.length > 0)
    throw new TmuxError('unknown', `tmux could not tell or take note of its owner: ${failed.at(-1) ?? ''}`);
  return {
    kind: 'refused',
    by: 'another program',
    why: '@town_owner of the tmux server changes hands again and again',
  };
}

/** The roots that a mark in tmux may name, without links: an older town wrote its root as it was typed. */
export const rootsOf = (printed: string): readonly string[] => readingsOf(printed).map(realPath);

/** The roots that the server's owner may name, living or not; [] = it has none that could be read. */
export async function ownerRoots(tmux: Pick<TmuxClient, 'sequence'>): Promise<readonly string[]> {
  const { stdout, refused } = await tmux.sequence([READ_OWNER]);
  if (stdout === '' && refused !== null) throw new TmuxError('unknown', refused);
  const root = VALUE.exec(stdout.replace(/\n$/, ''))?.[2];
  return root === undefined ? [] : rootsOf(root);
}

/** Why a living town of another root would keep this one from the server; null = none does, or no server runs. Looks only. */
export async function keptOutBy(deps: OwnerDeps, root: string): Promise<string | null> {
  try {
    const held = await readOwner(deps.tmux);
    const refusal = held === null ? null : refusalOf(deps, { root, epoch: Infinity }, held);
    return refusal?.kind === 'refused' ? refusal.why : null;
  } catch (error) {
    if (isFault(error, 'none')) return null;
    throw error;
  }
}

/** Removes the options if it is ours. Resolves also when no server runs. */
export async function releaseServer({ tmux }: Pick<OwnerDeps, 'tmux'>, owner: Owner): Promise<void> {
  try {
    await tmux.sequence([['if-shell', '-F', ownerCondition(owner), RELEASE]]);
  } catch (error) {
    if (!isFault(error, 'none')) throw error;
  }
}

/** The default of `OwnerDeps.lives`: the town that `<root>/daemon/daemon.pid` names. Throws when that is unknown. */
export function townLives({ root }: Owner, processes: OwnerDeps['processes']): boolean {
  let text: string;
  try {
    text = readPlain(join(root, 'daemon', 'daemon.pid'));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return false;
    throw error;
  }
  const { pid, start_time, boot_id } = pidFile(text);
  if (pid === null) return false;
  const proc = processes.proc(pid);
  if (proc === null) return false;
  const [start, boot] = proc.started.split('@');
  // A start time in a spelling that is not ours proves nothing: then the living pid counts.
  if (/^\d+$/.test(start_time) && start_time !== start) return false;
  return boot_id === '' || boot === undefined || boot_id === boot;
}

/** A plain number (another supervisor's file), or our JSON. Any other text names no process. */
function pidFile(text: string): { pid: number | null; start_time: string; boot_id: string } {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    // Neither a number nor JSON.
  }
  const fields = typeof value === 'number' ? { pid: value } : (value ?? {});
  const word = (name: string): string => {
    const field = Object.entries(fields).find(([key]) => key === name)?.[1] as unknown;
    return typeof field === 'string' || typeof field === 'number' ? String(field) : '';
  };
  const pid = Number(word('pid'));
  const start = { start_time: word('start_time'), boot_id: word('boot_id') };
  return { pid: Number.isInteger(pid) && pid > 0 ? pid : null, ...start };
}

function mark({ root, epoch }: Owner): string {
  return `${rootKey(root)}-${epoch}`;
}

async function readOwner(tmux: Pick<TmuxClient, 'sequence'>): Promise<string | null> {
  const { stdout } = await tmux.sequence([READ_OWNER]);
  const value = stdout.replace(/\n$/, '');
  return value === '' ? null : value;
}

/** null = what stands there is stale. */
function refusalOf(deps: OwnerDeps, owner: Owner, held: string): Claim | null {
  const [, epoch, root] = VALUE.exec(held) ?? [];
  if (epoch === undefined || root === undefined) return null; // It was written by no town that could be asked.
  const roots = rootsOf(root);
  if (roots.includes(owner.root)) {
    if (Number(epoch) <= owner.epoch) return null;
    return {
      kind: 'refused',
      by: owner.root,
      why: `a newer start of this town (epoch ${epoch}) holds the tmux server`,
    };
  }
  const lives = (one: string): boolean => {
    const other = { root: one, epoch: Number(epoch) };
    return deps.lives?.(other) ?? townLives(other, deps.processes);
  };
  const living = roots.find(lives);
  if (living === undefined) return null;
  return {
    kind: 'refused',
    by: living,
    why: `the town of ${living} holds this tmux server; stop it with town --root ${shellWord(living)} down, or give this one another [tmux] socket`,
  };
}

/** Removes the value only while it is still this one. */
async function drop(tmux: Pick<TmuxClient, 'sequence'>, held: string): Promise<void> {
  const known = /^[0-9a-f]{16}-\d+(?= )/.exec(held)?.[0];
  const condition = known === undefined ? '#{@town_owner}' : `#{m:${known} *,#{@town_owner}}`;
  await tmux.sequence([['if-shell', '-F', condition, RELEASE]]);
}
