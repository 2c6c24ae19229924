/** The commands about the watchdog chain: Boot, the Deacon, and what one life hands to the next. */
import { InvalidArgumentError, type Command } from 'commander';
import { command, group, readOnly, type Does } from './shape.ts';

function whole(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number.');
}

export function watchdogCommands(program: Command, does: Does): void {
  const loadBoot = () => import('../commands/boot.ts');
  const boot = group(program, 'boot', 'Boot, which looks after the Deacon');
  readOnly(boot, 'status', 'show its last decision, the pool and the verdicts of hearings').action(
    does(loadBoot, 'status'),
  );
  command(boot, 'triage', 'let Boot judge the Deacon now').action(does(loadBoot, 'triage'));
  deaconCommands(program, does);
  pluginCommands(program, does);
  tickleCommands(program, does);
  command(program, 'handoff', 'leave a note for your next life and end this one', [
    'town handoff -s "Routine cycle" -m "patrolled 100 cycles; builder is slow"',
  ])
    .requiredOption('-s, --subject <text>', 'one line')
    .option('-m, --message <text>', 'news for the next life', '')
    .action(does(() => import('../commands/handoff.ts'), 'handoff'));
}

function deaconCommands(program: Command, does: Does): void {
  const load = () => import('../commands/deacon.ts');
  const deacon = group(program, 'deacon', "the Deacon, the town's patrol");
  readOnly(deacon, 'status', 'show whether the Deacon runs, its heartbeat, its mail and its pause').action(
    does(load, 'status'),
  );
  command(deacon, 'heartbeat', 'say that the Deacon lives; only a Deacon in a session calls this', [
    'town deacon heartbeat --action health-scan --next 5m',
  ])
    .option('--action <text>', 'what the Deacon did last', 'patrol')
    .option('--next <duration>', 'time until its next heartbeat, at most 10m')
    .option('--healthy <n>', 'how many agents are well', whole)
    .option('--unhealthy <n>', 'how many agents are not well', whole)
    .action(does(load, 'heartbeat'));
  command(deacon, 'health-check [agent]', 'ask a session, or all, for a sign of life; exit 1 when one is silent', [
    'town deacon health-check builder',
  ]).action(does(load, 'healthCheck'));
  command(deacon, 'patrol', 'run one cycle of the town now: gates, convoys, and every rig')
    .option('--once', 'run it in this process where no town runs')
    .action(does(() => import('../commands/witness.ts'), 'deaconPatrol'));
  command(deacon, 'stale-hooks', 'take work off the hooks of absent agents', ['town deacon stale-hooks --dry-run'])
    .option('--dry-run', 'only show what would be taken off')
    .action(does(() => import('../commands/stale-hooks.ts'), 'freeStaleHooks'));
  command(deacon, 'redispatch [bead]', 'give out failed work again; without a bead, list failed work', [
    'town deacon redispatch tw-4k2x9q',
  ]).action(does(() => import('../commands/redispatch.ts'), 'redispatch'));
  command(deacon, 'pause', 'stop judging the Deacon until you resume it')
    .option('--reason <text>', 'why it is paused', 'by hand')
    .action(does(load, 'pause'));
  command(deacon, 'resume', 'end a pause').action(does(load, 'resume'));
}

function tickleCommands(program: Command, does: Does): void {
  const load = () => import('../commands/tickle.ts');
  const tickle = group(program, 'tickle', 'Tickle, which pages agents that fall silent');
  readOnly(tickle, 'status', 'show whether Tickle is on, its last look, silent agents and pages under way').action(
    does(load, 'status'),
  );
  command(tickle, 'scan', 'look now how long each agent is silent; page none').action(does(load, 'scan'));
  command(tickle, 'cycle', 'look now, and page the silent agents').action(does(load, 'cycle'));
  command(tickle, 'page <agent>', 'page one agent now, however lately it showed a sign; exit 1 if no page reaches it', [
    'town tickle page builder',
  ]).action(does(load, 'page'));
  command(tickle, 'start', 'page silent agents from now on, even if [tickle] enabled is false').action(
    does(load, 'start'),
  );
  command(tickle, 'stop', 'page no agent by itself until `town tickle start`').action(does(load, 'stop'));
}

function pluginCommands(program: Command, does: Does): void {
  const load = () => import('../commands/plugins.ts');
  const plugin = group(program, 'plugin', 'programs of your own that the patrol runs: plugins/<name>/plugin.toml');
  command(plugin, 'list', 'list all plugins, their gates, and the result of each last run').action(does(load, 'list'));
  command(plugin, 'run <plugin>', 'run one plugin now; its condition is asked first', [
    'town plugin run nightly-backup',
  ]).action(does(load, 'run'));
}
