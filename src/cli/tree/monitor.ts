/** The commands about workers: what they report, and how the monitor sees them. */
import type { Command } from 'commander';
import { command, type Does } from './shape.ts';

export function monitorCommands(program: Command, does: Does): void {
  const load = () => import('../commands/monitor.ts');
  command(
    program,
    'workers',
    'list the sessions with a worker tag: working, stuck, error, complete, needs_input',
  ).action(does(load, 'workers'));
  command(
    program,
    'report-status <status>',
    'say how you are: idle, working, waiting_for_input, blocked, complete, error',
    [
      'town report-status working --message "tests run"',
      'town report-status complete --outcome success --message "all tests pass"',
    ],
  )
    .option('-m, --message <text>', 'what a reader should know')
    .option('--outcome <outcome>', 'of complete: success, failure or partial')
    .option('--session <name>', 'whose status it is; an agent reports only its own')
    .action(does(load, 'reportStatus'));
}
