/** The commands about workers: what they report, and how the monitor sees them. */
import type { Command } from 'commander';
import { command, count, group, readOnly, type Does } from './shape.ts';

/** Seconds; as the agent that the timer is for expects it. */
const INTERVAL = 30;

export function monitorCommands(program: Command, does: Does): void {
  const load = () => import('../commands/monitor.ts');
  readOnly(
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
  const timers = () => import('../commands/watchdog.ts');
  const watchdog = group(program, 'watchdog', 'timers that type words to a session again and again');
  command(watchdog, 'start <session>', 'type a message to a session at each interval, first after one interval', [
    'town watchdog start monitor --interval 30 --message check',
    'town watchdog start %5 --name hourly --interval 3600 --message "sum up"',
  ])
    .option('--interval <seconds>', 'a whole number of seconds', count, INTERVAL)
    .option('--message <text>', 'one line or more', 'check')
    .option('--name <timer>', 'a timer of the same name is replaced', 'default')
    .action(does(timers, 'start'));
  command(watchdog, 'stop [timer]', 'stop one timer, or all').action(does(timers, 'stop'));
  readOnly(watchdog, 'status', 'list the timers, and what came of each last').action(does(timers, 'status'));
}
