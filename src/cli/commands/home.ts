/** Bare `town`: how it stands in one sentence and how to go on, or how to begin where no town is. */
import { existsSync } from 'node:fs';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../../terminal/failure.ts';
import { glance, type Glance } from '../asking/glance.ts';
import { clean, note, page, say } from '../../terminal/print.ts';
import { conditionOf, unlookedText } from '../session-table.ts';
import { asking } from '../story/asking.ts';
import { times } from '../../../machines/kernel/span.ts';

const BEGIN = [
  'Begin with one of these:',
  '  town demo     a town of small programs plays its part in fifteen seconds; nothing of yours is touched',
  '  town watch    which agents run in your tmux, and what a town would do; touches nothing',
  '  town up       start a town of your own there (--root DIR puts it elsewhere)',
  '  town --help   every command',
];

/** 0 = up, 3 = down, or there is none, 4 = degraded or silent; as `town status`. */
export async function home(context: Context): Promise<ExitCode> {
  if (!existsSync(context.root)) {
    say(page([`There is no town at ${clean(context.root)} yet.`, ...BEGIN].join('\n')));
    return EXIT.notRunning;
  }
  const seen = await glance(context);
  const { sentence, exit } = await stands(context, seen);
  const { questions } = asking(seen.overview);
  const open = questions.filter(({ seen: isSeen }) => !isSeen).length;
  const next = [
    ...(exit === EXIT.notRunning ? ['town up'] : []),
    ...(open === 0 ? [] : ['town questions']),
    'town status',
    'town watch',
    'town --help',
  ];
  say(
    page([`${sentence}; ${agentsText(seen)}, ${askedText(seen, open)}.`, `Go on with: ${next.join(' · ')}`].join('\n')),
  );
  return exit;
}

/** The command says that nothing asks only where it saw every pane. */
export function askedText({ town, overview: { sessions } }: Glance, open: number): string {
  const unlooked = unlookedText(sessions ?? []);
  if (open > 0) return [`${times(open, 'question')} for you`, unlooked].filter((text) => text !== '').join(', ');
  if (unlooked !== '') return `no question so far, but ${unlooked}`;
  if (town !== null) return 'nothing asks you anything';
  const asking = (sessions ?? []).filter((view) => conditionOf(view) === 'asks').map(({ name }) => clean(name));
  const but = asking.length === 0 ? '' : `, but ${asking.join(', ')} asks in its pane`;
  return `no question is open, and no town looks at its panes${but}`;
}

/** What a list without a question says. Why no town looks at the panes goes to stderr. */
export async function noQuestions(context: Context): Promise<string> {
  const seen = await glance(context);
  if (seen.town === null) note((await stands(context, seen)).sentence);
  return askedText(seen, 0);
}

async function stands(context: Context, { town }: Glance): Promise<{ sentence: string; exit: ExitCode }> {
  const of = `The town of ${clean(context.root)}`;
  if (town !== null) {
    const why = town.degraded.is ? ` and degraded (${clean(town.degraded.why ?? 'the reason is unknown')})` : '';
    return {
      sentence: `${of} is ${town.ready ? 'up' : 'starting'}${why}`,
      exit: town.degraded.is ? EXIT.degraded : EXIT.done,
    };
  }
  const { silenceOf } = await import('../asking/silence.ts');
  const silence = await silenceOf(context);
  if (silence === null) return { sentence: `${of} is down`, exit: EXIT.notRunning };
  const exit = silence.kind === 'silent' ? EXIT.degraded : EXIT.notRunning;
  return { sentence: `${of}: ${clean(silence.why)}`, exit };
}

/** Those that ended for good, or were stopped, are not to live. */
export function agentsText({ overview: { sessions } }: Pick<Glance, 'overview'>): string {
  if (sessions === null) return 'its agents are not known';
  const ours = sessions.filter(({ state }) => state !== 'foreign');
  if (ours.length === 0) return 'no agents yet';
  const wanted = ours.filter(({ state, alive }) => state !== 'ended' || alive === true);
  if (wanted.length === 0) return ours.length === 1 ? 'its agent has ended' : `all ${ours.length} agents have ended`;
  return `${wanted.filter(({ alive }) => alive === true).length} of ${times(wanted.length, 'agent')} alive`;
}
