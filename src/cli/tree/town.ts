/** The commands about the town itself. */
import type { Command } from 'commander';
import type { ConfigOptions } from '../commands/config.ts';
import type { DemoOptions } from '../commands/demo.ts';
import type { UpOptions } from '../commands/town.ts';
import { AGAIN } from '../../guard/orders.ts';
import { command, count, group, plainly, withSet, type Act } from './shape.ts';

export function townCommands(program: Command, act: Act): void {
  withSet(
    command(program, 'up', 'start the town and its guard; returns once it is ready', [
      'town up',
      'town up --root ~/town',
    ]),
  )
    .option('--inspect', 'open the inspector on the loopback address and print its URL')
    .option('--force', 'make the root a town although other things are in it')
    .action((options: UpOptions) => act(async (c) => (await import('../commands/town.ts')).up(c, options)));
  command(program, 'down', 'stop the town and its guard; agents keep running, open hearings resume later', [
    'town down',
    'town down --purge   # and leave nothing of ours in tmux',
  ])
    .option('--purge', 'also remove hooks, options and hidden sessions from tmux')
    .action((options: { purge?: boolean }) => act(async (c) => (await import('../commands/town.ts')).down(c, options)));
  withSet(command(program, 'restart', 'stop the town and start it again, with its configuration read anew'))
    .option('--inspect', 'open the inspector on the loopback address and print its URL')
    .option('--force', 'make the root a town although other things are in it')
    .action((options: UpOptions) => act(async (c) => (await import('../commands/town.ts')).restart(c, options)));
  command(program, 'status', 'the town, its sessions, alerts and mail; exit 3 when it is down, 4 when degraded', [
    'town status',
    'town status --watch',
    'town status --json | jq .data.running',
  ])
    .option('--watch', 'show it again every second')
    .action((options: { watch?: boolean }) =>
      act(async (c) => (await import('../commands/status.ts')).status(c, options)),
    );
  command(program, 'health', 'whether steps and scans are on time and tmux answers; exit 1 late, 3 down, 4 degraded', [
    'town health || town status',
  ]).action(() => act(async (c) => (await import('../commands/health.ts')).health(c)));
  command(
    program,
    'demo',
    'a town of real small programs in a tmux of its own, in fifteen seconds, or a minute where the machine is busy',
    ['town demo', 'town demo --speed 20'],
  )
    .option('--speed <n>', 'how much faster than life, 1 to 60; without it as fast as the machine allows', count)
    .option('--keep', 'leave its temporary folder for a look')
    .action((options: DemoOptions) => act(async (c) => (await import('../commands/demo.ts')).demo(c, options)));
  command(program, 'doctor', 'what in this machine would bite the town, and what to do about it').action(() =>
    act(async (c) => (await import('../commands/doctor.ts')).doctor(c)),
  );
  configCommands(program, act);
}

function configCommands(program: Command, act: Act): void {
  const config = group(program, 'config', 'the configuration: town.toml, environment, flags');
  withSet(command(config, 'check', 'read it, report every mistake; exit 2 when there is one')).action(
    (options: ConfigOptions) => act(async (c) => (await import('../commands/config.ts')).check(c, options)),
  );
  withSet(
    command(config, 'show', 'every key: value, source, reason, and whether it has an effect yet', [
      'town config show',
      'town config show --schema > town.schema.json   # for editors',
    ]),
  )
    .option('--schema', 'the JSON Schema of town.toml')
    .action((options: ConfigOptions) =>
      act(async (c) => plainly((await import('../commands/config.ts')).show(c, options))),
    );
  command(config, 'trust <dir>', "obey a root that is another user's, or that others may write", [
    'town config trust /srv/team/town',
  ]).action((dir: string) => act(async (c) => (await import('../commands/config.ts')).trust(c, dir)));
}

export function daemonCommands(program: Command, act: Act): void {
  const daemon = group(program, 'daemon', 'the town process itself');
  withSet(command(daemon, 'run', 'run the town in the foreground, without a guard; for services and for looking'))
    .option('--inspect', 'open the inspector on the loopback address (`town up --inspect` prints its URL)')
    .option('--guarded', 'the guard starts it (internal)')
    .option(AGAIN, 'its guard starts it again (internal)')
    .action((options: UpOptions & { guarded?: boolean; again?: boolean }) =>
      act(async (c) => (await import('../commands/daemon.ts')).run(c, options)),
    );
  command(daemon, 'status', 'who runs this root: town, guard, epoch; exit 3 when nobody does').action(() =>
    act(async (c) => (await import('../commands/daemon.ts')).status(c)),
  );
  command(daemon, 'logs', 'the end of daemon/daemon.log', [
    'town daemon logs --lines 100',
    'town daemon logs --follow | jq .',
  ])
    .option('--lines <n>', 'how many lines', count, 50)
    .option('--follow', 'go on as it grows')
    .action((options: { lines: number; follow?: boolean }) =>
      act(async (c) => plainly((await import('../commands/daemon.ts')).logs(c, options))),
    );
}
