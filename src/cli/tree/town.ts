/** The commands about the town itself. */
import { Option, type Command } from 'commander';
import { AGAIN } from '../../guard/orders.ts';
import { command, count, group, readOnly, withSet, type Does } from './shape.ts';

const toStart = <Of extends Command>(made: Of): Of =>
  withSet(made)
    .option('--inspect', 'open the inspector on the loopback address and print its URL')
    .option('--force', 'make the folder a town although it holds other things');

export function townCommands(program: Command, does: Does): void {
  const load = () => import('../commands/town.ts');
  const examples = ['town up', 'town up --root ~/town'];
  toStart(command(program, 'up', 'start the town and its guard; returns once it is ready', examples)).action(
    does(load, 'up'),
  );
  command(program, 'down', 'stop the town and its guard; agents keep running, open hearings resume later', [
    'town down',
    'town down --purge   # and leave nothing of ours in tmux',
  ])
    .option('--purge', 'also remove all that the town put into tmux: its hidden session and its options')
    .action(does(load, 'down'));
  command(program, 'reload', 'take up a changed town.toml; agents and hearings go on', ['town reload']).action(
    does(() => import('../commands/reload.ts'), 'reload'),
  );
  toStart(command(program, 'restart', 'stop the town and start it again; it reads its configuration anew')).action(
    does(load, 'restart'),
  );
  readOnly(program, 'status', 'show the town, its sessions, alerts and mail; exit 3 when it is down, 4 when degraded', [
    'town status',
    'town status --watch',
    'town status --json | jq .data.running',
  ])
    .option('--watch', 'show it again every second')
    .action(does(() => import('../commands/status.ts'), 'status'));
  readOnly(
    program,
    'health',
    'check that steps and scans are on time and tmux answers; exit 1 late, 3 down, 4 degraded',
    ['town health || town status'],
  ).action(does(() => import('../commands/health.ts'), 'health'));
  readOnly(
    program,
    'demo',
    'play a town of small real programs in a tmux of its own; takes fifteen seconds, or a minute on a busy machine',
    ['town demo', 'town demo --speed 20'],
  )
    .option('--speed <n>', 'how many times faster than life, 1 to 60; by default as fast as the machine allows', count)
    .option('--keep', 'keep its temporary folder, so that you can look at it')
    .action(does(() => import('../commands/demo.ts'), 'demo'));
  readOnly(
    program,
    'doctor',
    'check this machine for settings that would harm the town, and say how to mend them',
  ).action(does(() => import('../commands/doctor.ts'), 'doctor'));
  configCommands(program, does);
  serviceCommands(program, does);
}

function serviceCommands(program: Command, does: Does): void {
  const load = () => import('../commands/service.ts');
  const service = group(program, 'service', 'start the town after a reboot, by systemd or launchd');
  command(service, 'install', 'write the unit of this town, and switch it on', [
    'town service install --dry-run',
    'town service install',
  ])
    .option('--dry-run', 'print the unit, and write nothing')
    .action(does(load, 'install'));
  command(service, 'uninstall', 'switch the unit off and remove it; a town that runs goes on')
    .option('--dry-run', 'show what would go, and remove nothing')
    .action(does(load, 'uninstall'));
  readOnly(service, 'status', 'whether there is a unit, and whether it starts at boot; exit 1 without one').action(
    does(load, 'status'),
  );
}

function configCommands(program: Command, does: Does): void {
  const load = () => import('../commands/config.ts');
  const config = group(program, 'config', 'the configuration: town.toml, environment, flags');
  readOnly(
    config,
    'check',
    'report every mistake in town.toml (exit 2), and each folder, program or rig in it that does not exist (exit 1)',
  ).action(does(load, 'check'));
  withSet(
    readOnly(config, 'show', 'list every key: value, source and reason', [
      'town config show',
      'town config show --schema > town.schema.json   # for editors',
    ]),
  )
    .option('--schema', 'the JSON Schema of town.toml')
    .action(does(load, 'show'));
  readOnly(config, 'trust <dir>', 'accept a root that belongs to another user, or that others may write to', [
    'town config trust /srv/team/town',
  ]).action(does(load, 'trust'));
}

export function daemonCommands(program: Command, does: Does): void {
  const load = () => import('../commands/daemon.ts');
  const daemon = group(program, 'daemon', 'the town process itself');
  withSet(command(daemon, 'run', 'run the town in the foreground, without a guard; for services and for looking'))
    .option('--inspect', 'open the inspector on the loopback address (`town up --inspect` prints its URL)')
    // For the guard alone.
    .addOption(new Option('--guarded').hideHelp())
    .addOption(new Option(AGAIN).hideHelp())
    .action(does(load, 'run'));
  readOnly(daemon, 'status', 'show the processes that run this root: town, guard, epoch; exit 3 if none does').action(
    does(load, 'status'),
  );
  readOnly(daemon, 'logs', 'print the end of daemon/daemon.log', [
    'town daemon logs --lines 100',
    'town daemon logs --follow | jq .',
  ])
    .option('--lines <n>', 'how many lines', count, 50)
    .option('--follow', 'print new lines as they come')
    .action(does(load, 'logs'));
}
