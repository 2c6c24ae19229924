/** `town doctor`: what in this machine would bite the town, each with a line what to do. Looks only, changes nothing. */
import type { Context } from '../context.ts';
import { clock, fileSystem, logout, node, root } from '../doctor/machine.ts';
import type { Finding, Health } from '../doctor/finding.ts';
import { configuration, version } from '../doctor/tmux.ts';
import { EXIT } from '../failure.ts';
import { clean, colour } from '../output.ts';

const WORD: Readonly<Record<Health, string>> = {
  ok: colour('green', 'ok     '),
  warn: colour('yellow', 'warn   '),
  bad: colour('red', 'bad    '),
  unknown: colour('yellow', 'unknown'),
};

function lines({ check, health, text, next }: Finding): string[] {
  return [`${WORD[health]} ${check}: ${clean(text)}`, ...(next === null ? [] : [`        -> ${clean(next)}`])];
}

/** 1 when something is bad; warnings alone are 0. */
export async function doctor(context: Context): Promise<number> {
  const settings = await context.settings();
  const findings = [
    node(),
    await version(settings),
    ...(await configuration(settings)),
    root(settings),
    fileSystem(settings),
    logout(),
    clock(),
  ];
  context.answer('doctor', findings, () => findings.flatMap(lines).join('\n'));
  return findings.some(({ health }) => health === 'bad') ? EXIT.failed : EXIT.done;
}
