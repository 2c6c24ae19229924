/** The commands about patrols: what a witness sees of its rig, and one cycle now. */
import type { Command } from 'commander';
import { command, group, plainly, type Act } from './shape.ts';

export function witnessCommands(program: Command, act: Act): void {
  const load = async () => import('../commands/witness.ts');
  const witness = group(program, 'witness', 'who looks after the polecats of a rig');
  command(witness, 'list', 'every rig: its polecats, what waits to be cleaned up, when it was last looked at').action(
    () => act(async (c) => plainly((await load()).list(c))),
  );
  command(witness, 'status <rig>', 'one of them').action((rig: string) =>
    act(async (c) => plainly((await load()).status(c, rig))),
  );
  command(witness, 'patrol <rig>', 'one cycle now: mail, cleanups, polecats, work that waits', [
    'town witness patrol shop',
    'town witness patrol shop --json',
  ]).action((rig: string) => act(async (c) => plainly((await load()).patrol(c, rig))));
}
