/** The commands about patrols: what a witness sees of its rig, and one cycle now. */
import type { Command } from 'commander';
import { command, group, type Does } from './shape.ts';

export function witnessCommands(program: Command, does: Does): void {
  const load = () => import('../commands/witness.ts');
  const witness = group(program, 'witness', 'the patrol that looks after the polecats of a rig');
  command(witness, 'list', 'list every rig: its polecats, its open cleanups, the time of its last patrol').action(
    does(load, 'list'),
  );
  command(witness, 'status <rig>', 'show the same of one rig').action(does(load, 'status'));
  command(witness, 'patrol <rig>', 'run one cycle now: mail, cleanups, polecats, work that waits', [
    'town witness patrol shop',
    'town witness patrol shop --json',
  ])
    .option('--once', 'run it in this process where no town runs')
    .action(does(load, 'patrol'));
  command(program, 'refinery [rig]', 'merge finished branches: test, push, answer; runs until it is ended', [
    'town refinery shop',
  ]).action(does(() => import('../commands/refinery.ts'), 'refinery'));
}
