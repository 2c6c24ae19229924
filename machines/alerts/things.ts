/**
 * Kinds of alerts that no actor sees, and what news says of them: what a process of the town knows of itself, and things that a
 * person may take away, which are over when they are gone from where they stand (src/alerts/subjects.ts).
 */
import type { Alert, AlertChange, Condition, Declared, NewsBody } from '../protocol.ts';
import { episodeOf } from '../protocol/episode.ts';
import { attach, doctor } from './asks.ts';

interface OfProcess extends Declared, Pick<Alert, 'severity'> {
  readonly text: (why: string) => string;
  readonly over: string;
}
const restart = (): readonly string[] => ['town config check', 'town restart'];

export const CONDITIONS: Readonly<Record<Condition, OfProcess>> = {
  disk: {
    kind: 'disk',
    asks: doctor,
    severity: 'critical',
    text: (why) => `The town is degraded, nothing is killed meanwhile: ${why}`,
    over: 'The disk takes records again.',
  },
  'config-broken': {
    kind: 'config-broken',
    asks: () => ['town config check', 'town reload'],
    severity: 'high',
    text: (why) => `${why}. \`town config check\` says when it is right; then type \`town reload\`.`,
    over: 'town.toml is right again.',
  },
  'socket-moved': {
    kind: 'socket-moved',
    asks: restart,
    severity: 'high',
    text: (why) => `${why}. The town goes on where it is; \`town restart\` once that is done.`,
    over: 'The town was started on the tmux socket that is configured.',
  },
  restored: {
    kind: 'restored',
    asks: () => ['town questions', 'town status'],
    answers: ['go'],
    severity: 'high',
    text: (why) =>
      `${why}. What waits in it may be done already: the town types no work that waits, fires no timer or rule and sends no earlier message, and its patrols and refineries start, merge, push and delete nothing until you answer go. First cancel what is done (town send --cancel, town watchdog stop, town bead close).`,
    over: 'You said that the town goes on with what came back from a copy.',
  },
  'gas-town': {
    kind: 'gas-town',
    asks: () => ['town down'],
    severity: 'high',
    text: (why) => `${why}. Two supervisors must not share a root: end that one, or this town with \`town down\`.`,
    over: 'Nothing of Gas Town is in this root any more.',
  },
  'channel-silent': {
    kind: 'channel-silent',
    asks: () => ['town channel list'],
    severity: 'high',
    text: (why) => `At least one channel does not deliver: ${why}.`,
    over: 'No channel is silent any more.',
  },
  'channel-deaf': {
    kind: 'channel-deaf',
    asks: () => ['town channel list'],
    severity: 'high',
    text: (why) => `Replies on at least one channel do not come in: ${why}.`,
    over: 'Replies come in on every channel again.',
  },
  'package-changed': {
    kind: 'package-changed',
    asks: () => ['town restart'],
    severity: 'high',
    text: (why) => `${why}. Install it again if it is gone (npm install -g townwatch), then type \`town restart\`.`,
    over: 'The town runs the package that is installed.',
  },
  'node-changed': {
    kind: 'node-changed',
    asks: doctor,
    severity: 'high',
    text: (why) => `${why}. Install Node 24 or newer; the town then begins anew by itself.`,
    over: 'The Node that runs the town is there.',
  },
  'tmux-changed': {
    kind: 'tmux-changed',
    asks: doctor,
    severity: 'medium',
    text: (why) => `${why}. It is over once the server was started anew, which ends all that runs in it.`,
    over: 'tmux in PATH and its server are of one version.',
  },
  'git-missing': {
    kind: 'git-missing',
    asks: doctor,
    severity: 'high',
    text: (why) => `${why}. Install it again.`,
    over: 'git is there again.',
  },
  'agent-program-missing': {
    kind: 'agent-program-missing',
    asks: doctor,
    severity: 'medium',
    text: (why) => `${why}. Install it again, or change the command in town.toml.`,
    over: 'The programs of all agents that run are there.',
  },
};

/** An agent waits for a person. A hearing tells it too, of one that it pardons for that; it is one episode. */
export const NEEDS_INPUT = {
  kind: 'needs-input',
  asks: attach,
  subject: { lifeShows: 'dialog' },
} as const satisfies Declared;
export const FILE_REFUSED: Declared = { kind: 'file-refused', asks: () => [], subject: 'file' };
export const OUTPUT_UNSAVED: Declared = { kind: 'output-unsaved', asks: attach, subject: 'dead pane' };

type About<T extends NewsBody['type']> = Extract<NewsBody, { readonly type: T }>;

function ofCondition({ what, why }: About<'CONDITION_FOUND'>): AlertChange {
  const { severity, text, over } = CONDITIONS[what];
  const episode = episodeOf(CONDITIONS[what]);
  return why === null
    ? { type: 'endAlert', episode, text: over }
    : { type: 'alert', alert: { episode, severity, session: null, text: text(why) } };
}

/** Each file that was moved away is a case of its own. */
function ofFile({ file, why, movedTo, sequel, mark }: About<'FILE_REFUSED'>): AlertChange {
  const place = movedTo !== null ? `It is kept in ${movedTo}.` : mark === undefined ? null : 'It was left where it is.';
  const text = [`${file} does not count: ${why}`, place, sequel].filter((part) => part !== null).join(' ');
  const episode = episodeOf(FILE_REFUSED, movedTo ?? file);
  return { type: 'alert', alert: { episode, severity: 'medium', session: null, text } };
}

function ofOutput({ session, file, why }: About<'OUTPUT_KEPT'>): AlertChange {
  const episode = episodeOf(OUTPUT_UNSAVED, session);
  if (why === null) return { type: 'endAlert', episode, text: `What dead panes of ${session} show is saved again.` };
  const text = `What a dead pane of ${session} shows could not be saved (${why}), so it was left standing in tmux. Read it there, and see to ${file}.`;
  return { type: 'alert', alert: { episode, severity: 'medium', session, text } };
}

/** What this news says of an episode; null = it is about none. */
export function changeIn(news: { readonly type: string }): AlertChange | null {
  const of = news as NewsBody;
  if (of.type === 'ALERT_ORDERED') return of.change;
  if (of.type === 'CONDITION_FOUND') return ofCondition(of);
  if (of.type === 'FILE_REFUSED') return ofFile(of);
  return of.type === 'OUTPUT_KEPT' ? ofOutput(of) : null;
}
