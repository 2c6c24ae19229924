/** The commands about rigs and their polecats. */
import type { Command } from 'commander';
import { command, group, readOnly, type Does } from './shape.ts';

export function rigCommands(program: Command, does: Does): void {
  const load = () => import('../commands/rigs.ts');
  const rig = group(program, 'rig', 'repositories that polecats work in');
  command(rig, 'add <rig> [path]', 'add a repository, and leave it as it is', [
    'town rig add shop ~/shop',
    `town rig add shop ~/shop --agent 'claude "$(cat "$TOWN_PROMPT_FILE")"'`,
  ])
    .option('--repo <path>', 'the folder that holds its .git, or a bare repository; the same as [path]')
    .option(
      '--agent <command>',
      'command of its polecats, each with its task in $TOWN_PROMPT_FILE; agent in [rig.<rig>] wins',
    )
    .option('--base <branch>', 'its main branch; by default the one that its remote names')
    .action(does(load, 'add'));
  command(rig, 'set <rig>', 'change what the town records of a rig', [
    'town rig set shop --base develop',
    'town rig set shop --remote',
  ])
    .option('--base <branch>', 'its main branch; "" = the one that its remote names')
    .option('--remote', "take the remote that the repository's settings name now")
    .action(does(load, 'set'));
  readOnly(rig, 'list', 'list the rigs, and how many polecats each has').action(does(load, 'list'));
  readOnly(rig, 'show <rig>', 'show one rig').action(does(load, 'show'));
  command(rig, 'remove <rig>', 'forget a rig without polecats; its repository stays', ['town rig remove shop'])
    .option('--force', 'also if it has open work')
    .action(does(load, 'remove'));
  polecatCommands(program, does);
}

function polecatCommands(program: Command, does: Does): void {
  const load = () => import('../commands/polecats.ts');
  const polecat = group(program, 'polecat', 'agents with a worktree, a branch and a session of their own');
  command(polecat, 'spawn <rig> <name> [command...]', 'make a worktree and a branch, and start an agent there', [
    'town polecat spawn shop nux -- claude',
    'town polecat spawn shop nux --from v1.2 -- bash agent.sh',
  ])
    .option('--bead <id>', 'the bead on its hook: its work')
    .option(
      '--from <commit>',
      "first commit of its branch, which the remote must have; by default the rig's main branch, just fetched",
    )
    .action(does(load, 'spawn'));
  readOnly(
    polecat,
    'list [rig]',
    'list who does what: its work, its agent, its last commit, how far it is ahead of main; only git-state and nuke look into ignored folders',
  ).action(does(() => import('../commands/polecat-list.ts'), 'list'));
  readOnly(polecat, 'status <polecat>', 'show one polecat, as <rig>/<name>', ['town polecat status shop/nux']).action(
    does(load, 'status'),
  );
  const loadWork = () => import('../commands/polecat-work.ts');
  readOnly(polecat, 'log <polecat>', 'its commits since its branch left main, and what is not committed', [
    'town polecat log shop/nux',
  ]).action(does(loadWork, 'log'));
  readOnly(
    polecat,
    'diff <polecat>',
    'its whole change since its branch left main, uncommitted and untracked files too',
    ['town polecat diff shop/nux | less', 'town polecat diff shop/nux --stat'],
  )
    .option('--stat', 'the files only, with how many lines each')
    .action(does(loadWork, 'diff'));
  command(polecat, 'check <polecat>', "run the rig's done_check in its worktree now; its witness goes by the result", [
    'town polecat check shop/nux',
  ])
    .option('--commit <commit>', 'the commit that must be checked out there; by default the present one')
    .action(does(() => import('../commands/polecat-check.ts'), 'check'));
  readOnly(polecat, 'git-state <polecat>', 'what would be lost with its worktree', [
    'town polecat git-state shop/nux --json',
  ]).action(does(load, 'gitState'));
  command(polecat, 'nuke <polecat>', 'remove a worktree and its branch, if everything in them is elsewhere too', [
    'town polecat nuke shop/nux',
    'town polecat nuke shop/nux --push',
  ])
    .option('--push', 'push its branch first, if that is all that it lacks')
    .action(does(load, 'nuke'));
}
