/** The commands about rigs and their polecats. */
import type { Command } from 'commander';
import type { SpawnOptions } from '../commands/polecats.ts';
import type { AddOptions } from '../commands/rigs.ts';
import { command, group, plainly, type Act } from './shape.ts';

export function rigCommands(program: Command, act: Act): void {
  const load = async () => import('../commands/rigs.ts');
  const rig = group(program, 'rig', 'repositories that polecats work in');
  command(rig, 'add <rig>', 'add a repository; it is left as it is', [
    'town rig add shop --repo ~/shop',
    'town rig add shop --repo ~/shop --agent "claude --continue"',
  ])
    .requiredOption('--repo <path>', 'the folder that holds its .git, or a bare repository')
    .option(
      '--agent <command>',
      'what its polecats run, each with its task in $TOWN_PROMPT_FILE; agent in [rig.<rig>] goes before it',
    )
    .action((name: string, options: AddOptions) => act(async (c) => plainly((await load()).add(c, name, options))));
  command(rig, 'list', 'the rigs, and how many polecats each has').action(() =>
    act(async (c) => plainly((await load()).list(c))),
  );
  command(rig, 'show <rig>', 'one rig').action((name: string) =>
    act(async (c) => plainly((await load()).show(c, name))),
  );
  command(rig, 'remove <rig>', 'forget a rig without polecats; its repository stays', ['town rig remove shop']).action(
    (name: string) => act(async (c) => plainly((await load()).remove(c, name))),
  );
  polecatCommands(program, act);
}

function polecatCommands(program: Command, act: Act): void {
  const load = async () => import('../commands/polecats.ts');
  const polecat = group(program, 'polecat', 'agents with a worktree, a branch and a session of their own');
  command(polecat, 'spawn <rig> <name> [command...]', 'make a worktree and a branch, and start an agent there', [
    'town polecat spawn shop nux -- claude',
    'town polecat spawn shop nux --from v1.2 -- bash agent.sh',
  ])
    .option('--bead <id>', 'the bead on its hook: its work')
    .option('--from <commit>', 'what its branch begins with; by default origin/HEAD, else where the repository stands')
    .action((rig: string, name: string, words: string[], options: SpawnOptions) =>
      act(async (c) => plainly((await load()).spawn(c, rig, name, words, options))),
    );
  command(polecat, 'list [rig]', 'polecats, their agents and their worktrees').action((rig: string | undefined) =>
    act(async (c) => plainly((await load()).list(c, rig))),
  );
  command(polecat, 'status <polecat>', 'one polecat, as <rig>/<name>', ['town polecat status shop/nux']).action(
    (name: string) => act(async (c) => plainly((await load()).status(c, name))),
  );
  command(polecat, 'git-state <polecat>', 'what of its worktree is nowhere else', [
    'town polecat git-state shop/nux --json',
  ]).action((name: string) => act(async (c) => plainly((await load()).gitState(c, name))));
  command(polecat, 'nuke <polecat>', 'take worktree and branch away, if everything in them is elsewhere too', [
    'town polecat nuke shop/nux',
    'town polecat nuke shop/nux --push',
  ])
    .option('--push', 'push its branch first, if that is all that it lacks')
    .action((name: string, options: { push?: boolean }) =>
      act(async (c) => plainly((await load()).nuke(c, name, options))),
    );
}
