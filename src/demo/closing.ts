/** The closing screen of a demo, as text. Pure but for colour, which a pipe does not get. */
import { IS_BUILT } from '../package.ts';
import { clean, table } from '../terminal/print.ts';
import { inStyle } from '../terminal/streams.ts';
import type { Rebirth } from './apart.ts';
import type { Report } from './report.ts';

/** What is known at the end. */
export type Ended =
  | { readonly kind: 'played'; readonly report: Report; readonly tookMs: number }
  /** `rebirth`: what became of the agent that was killed; null = it did not come back. */
  | { readonly kind: 'degraded'; readonly why: string; readonly rebirth: Rebirth | null }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'interrupted' };

export interface Remains {
  /** The root, where it was kept. */
  readonly kept: string | null;
  /** What would not go, in words. */
  readonly left: readonly string[];
}

function installLine(): string {
  if (process.platform === 'darwin') return 'brew install tmux';
  return `${process.getuid?.() === 0 ? '' : 'sudo '}apt-get install tmux`;
}

export function closing(ended: Ended, { kept, left }: Remains): string {
  const end =
    left.length === 0 ? 'All that was started is ended' : `NOT ENDED: ${left.map((text) => clean(text)).join('; ')}`;
  const files = kept === null ? 'its folder is removed' : `the town's files are kept in ${kept}`;
  const isRight = ended.kind === 'played' && ended.report.isRight;
  return [...body(ended), '', `${end}, ${files}.`, ...(isRight ? [NEXT] : [])].join('\n');
}

/** The command as the demo's user can type it: in a checkout, for once from the registry, or installed. */
function typed(): string {
  if (!IS_BUILT) return 'npm run -s town --';
  return process.env['npm_command'] === 'exec' ? 'npx townwatch' : 'town';
}

const NEXT =
  `Next, your own agents: \`${typed()} watch\` lists those in your tmux and touches none; ` +
  `\`${typed()} up\` starts their town.`;

function body(ended: Ended): string[] {
  switch (ended.kind) {
    case 'played':
      return played(ended.report, ended.tookMs);
    case 'degraded':
      return [
        '',
        `The town is degraded: ${clean(ended.why)}`,
        ended.rebirth === null
          ? inStyle('red', 'Not as expected: the agent that was killed did not come back.')
          : again(ended.rebirth),
        'Without a pane no agent can be heard, so no warrant was filed and no agent was ended.',
        `tmux is missing here: type \`${installLine()}\`, and then the same command again.`,
      ];
    case 'failed':
      return [`${inStyle('red', 'The demo could not be played:')} ${clean(ended.why)}`];
    case 'interrupted':
      return ['Interrupted.'];
  }
}

const again = ({ session, pid, newPid, afterMs }: Rebirth): string =>
  `The agent ${session} ran without a pane as pid ${pid}, was killed, and lives again after ${inSeconds(afterMs)} s as pid ${newPid}.`;

const inSeconds = (ms: number): string => (ms / 1_000).toFixed(1);

function played({ outcomes, checks, isRight }: Report, tookMs: number): string[] {
  const rows = outcomes.map(({ kind, session, after, why }) => [kind, session, after, why]);
  const wrong = [
    ...outcomes
      .filter((one) => !one.isRight)
      .map(({ session, expected, kind, why }) => `  ${session}: expected ${expected}; got ${kind}: ${clean(why)}`),
    ...checks.filter((one) => !one.isRight).map(({ what }) => `  ${what}`),
  ];
  const seconds = inSeconds(tookMs);
  return [
    '',
    table(['OUTCOME', 'SESSION', 'AFTER', 'WHY'], rows),
    '',
    ...checks.map(({ what, isRight: right }) => `${right ? ' ' : inStyle('red', '!')} ${what}`),
    '',
    isRight
      ? inStyle('green', `Every outcome is the expected one, after ${seconds} s.`)
      : [inStyle('red', `Not as expected, after ${seconds} s:`), ...wrong].join('\n'),
  ];
}
