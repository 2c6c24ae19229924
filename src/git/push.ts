/**
 * The calls that go out, and the push of one branch. Transports and the person's own keys and helpers are of use here; those of a
 * repository, hooks and prompts are not, and there is no terminal to ask at. What is given up on ends with all that it started: a
 * transport that hangs pushes nothing later.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { scrubbedEnvironment } from '../proc/environment.ts';
import { endGroup, trafficOf } from '../proc/group.ts';
import { GitFailed, GitLate } from './failure.ts';
import { absent, configVariables, folders } from './git.ts';
import { isThere } from './files.ts';
import { pastLeftLocks } from './left-locks.ts';
import { hasLfs } from './lfs.ts';
import { withOwnCommon } from './own-common.ts';
import { GIT } from './policy.ts';
import { unlessSilent } from './silence.ts';
import { commonOf } from './worktree.ts';
import { span } from '../../machines/kernel/span.ts';

export interface PushPlace {
  /** The repository's folder. */
  readonly gitDir: string;
  /** Where a person stands who pushes: remotes may be paths from there. */
  readonly cwd: string;
  /** The files that the call is about, where it is not about the repository alone. */
  readonly workTree?: string;
  /** How long a call that moves objects may move none, and how long it may take; GIT.netMs and GIT.transferMs by default. */
  readonly netMs?: number;
  readonly transferMs?: number;
  /** In bytes as latin1. */
  readonly input?: string;
  /** What `ADDRESS` stands for in this call. */
  readonly address?: string;
}

/**
 * In the words of a call: an address as git uses it. git puts another in the place of an address (`insteadOf`) once, and would do it again
 * to one that it is given; it does not do that to the one which it put there.
 */
export const ADDRESS = 'town-address:';

const QUIET = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.askPass', ''],
  ['push.gpgSign', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['gc.auto', '0'],
  // Else each fetch starts two more programs, which find nothing to do.
  ['maintenance.auto', 'false'],
  ['protocol.ext.allow', 'never'],
] as const;

/**
 * `commit`: what the branch is to have there; absent = what it has here by then. Rejects with `GitFailed` and what git said. Nothing there
 * is written over: a remote that went on refuses.
 */
export async function push(place: PushPlace, branch: string, commit = `refs/heads/${branch}`): Promise<void> {
  const remote = await remoteOf(place);
  await unlessSilent(place.gitDir, remote, () => pushTo(place, remote, { branch, commit }), { pushes: true });
}

interface Pushed {
  readonly branch: string;
  readonly commit: string;
}

async function pushTo(place: PushPlace, remote: string, { branch, commit }: Pushed): Promise<void> {
  // The remote refuses commits whose LFS files it does not have.
  if (hasLfs() && (await isThere(join(place.gitDir, 'lfs'))))
    await call(place, ['lfs', 'push', remote, `refs/heads/${branch}`], GIT.workMs);
  // No tag goes along, even if a person's settings want it: the town does not check a tag's message.
  const words = ['push', '--no-verify', '--no-follow-tags', '--quiet', '--', remote, `${commit}:refs/heads/${branch}`];
  await transfer(place, words);
}

/** git's line about the branch that a remote does not take, with the remote's reason at its end. */
const REJECTED = /^ ! \[(?:remote )?rejected\] .*\((.*)\)$/gm;
/** What a remote says that cannot take it now: it has no room, or is at fault itself. Not a part of the name of a ref or a file. */
const UNABLE =
  /(?<![\w./-])(?:no space left|quota exceeded|unpacker error|cannot lock ref(?!.* exists)|internal (?:server )?error|temporar(?:y|ily)|timed? ?out)(?![\w/-])/i;

/** Whether a remote does not want what was pushed: it will not want it the next time either. */
export function isRefusal({ message }: GitFailed): boolean {
  const reasons = [...message.matchAll(REJECTED)].map(([, reason = '']) => reason);
  // The first one follows the quoted command.
  const said = [...reasons, ...(message.match(/(?:^|`: )remote: .*$/gm) ?? [])];
  return reasons.length > 0 && !said.some((line) => UNABLE.test(line));
}

/** As git chooses it where no setting says otherwise: origin, or the only one. */
async function remoteOf(place: PushPlace): Promise<string> {
  const remotes = (await call(place, ['remote'], GIT.lookMs)).split('\n').filter((name) => name !== '');
  const [only] = remotes.length === 1 ? remotes : remotes.filter((name) => name === 'origin');
  if (only !== undefined) return only;
  throw new GitFailed(
    `${place.cwd} has ${remotes.length === 0 ? 'no remote' : 'several remotes'}; git remote add origin URL`,
  );
}

/** When a call is given up: after `mostMs`, or before if it moved too little in `silentMs`. */
interface Patience {
  readonly silentMs: number;
  readonly mostMs: number;
}

/** One call of git that may use the network; what it printed. Rejects with `GitFailed`. */
export const call = (place: PushPlace, args: readonly string[], limitMs: number): Promise<string> =>
  patiently(place, args, { silentMs: limitMs, mostMs: limitMs });

/** The same of one that moves objects: a large repository takes its time, and what was moved of it is lost if it is given up. */
export const transfer = (place: PushPlace, args: readonly string[]): Promise<string> =>
  patiently(place, args, { silentMs: place.netMs ?? GIT.netMs, mostMs: place.transferMs ?? GIT.transferMs });

async function patiently(place: PushPlace, args: readonly string[], patience: Patience): Promise<string> {
  const commonDir = await commonOf(place.gitDir);
  return withOwnCommon({ commonDir, isBare: place.workTree === undefined, hasRemotes: true }, async (own) => {
    const result = await pastLeftLocks(commonDir, () => start(place, own, args, patience));
    if (result.code === 'ENOENT') throw absent(place.cwd);
    if (result.failed)
      throw new GitFailed(`\`git ${args.join(' ')}\`: ${result.stderr.trim() || result.shortMessage || ''}`);
    return result.stdout.trim();
  });
}

/** Resolves with why once a process group is given up. */
async function givenUp(leader: number, { silentMs, mostMs }: Patience, over: AbortSignal): Promise<string> {
  const until = performance.now() + mostMs;
  for (let before = 0; ;) {
    await pause(Math.min(silentMs, until - performance.now()), null, { signal: over });
    if (performance.now() >= until) return `took longer than ${span(mostMs)}`;
    const now = trafficOf(leader);
    if (now === null || Math.abs(now - before) < GIT.movedBytes) return `stood still for ${span(silentMs)}`;
    before = now;
  }
}

async function start(
  { gitDir, cwd, workTree, address, input = '' }: PushPlace,
  ownCommon: string,
  args: readonly string[],
  patience: Patience,
) {
  const { execa } = await import('execa');
  const over = new AbortController();
  const child = execa('git', ['--no-pager', ...args], {
    cwd,
    env: { ...environment(gitDir, workTree, address), GIT_COMMON_DIR: ownCommon },
    extendEnv: false,
    reject: false,
    input: Buffer.from(input, 'latin1'),
    // In a session of its own it has no terminal, so that neither ssh nor a helper asks there.
    detached: true,
  });
  const late = givenUp(child.pid ?? 0, patience, over.signal);
  late.catch(() => undefined);
  const result = await Promise.race([child, late]).finally(() => over.abort());
  if (typeof result !== 'string') return result;
  if (child.pid !== undefined) await endGroup(child.pid, GIT.writeGraceMs);
  // A process that left the group may hold them open, and so this program too.
  [child.stdout, child.stderr].forEach((stream) => stream.destroy());
  throw new GitLate(`\`git ${args.join(' ')}\` ${result}`);
}

function environment(gitDir: string, workTree?: string, address?: string): Record<string, string> {
  const own = Object.entries(scrubbedEnvironment(process.env)).filter(
    ([name]) => !name.startsWith('TOWN_') && (!name.startsWith('GIT_') || name === 'GIT_SSH_COMMAND'),
  );
  return {
    ...Object.fromEntries(own),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    ...folders({ top: gitDir, gitDir, ...(workTree !== undefined && { workTree }) }),
    ...configVariables(address === undefined ? QUIET : [...QUIET, [`url.${address}.insteadOf`, ADDRESS]]),
  };
}
