/** `town watch`: everything in tmux that looks like an agent, its state, and what the town would do. Touches nothing. */
import { createProcesses, platformSource } from '../../proc/processes.ts';
import { snapshotOf } from '../../proc/snapshot.ts';
import { seeAgents, type AgentSeen, type AgentsScene } from '../../overview/agents.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { hanging } from '../../terminal/layout.ts';
import { clean, note, roomOf, table } from '../../terminal/print.ts';
import { LAYOUT } from '../../terminal/policy.ts';
import { REDRAW } from '../policy.ts';
import { eyesOf, onRecord } from '../../overview/eyes.ts';
import { intervalOf, stay } from '../stay.ts';
import { terminal } from '../../terminal/streams.ts';
import { times } from '../../../machines/kernel/span.ts';
import { quoteForeign } from '../../../machines/kernel/visible-text.ts';
import { placeOf } from '../../../machines/sessions/background.ts';
import { natural } from '../../overview/natural.ts';

const FOREIGN = 'What is not ours stays untouched: WOULD comes true once `town session adopt NAME` made it ours.';
const CLASSIC = 'A Claude Code may draw its classic screen because the town is there: `town doctor` says which.';
const DISAGREE =
  'Of an unknown one, its program and its screen may disagree: `town explain NAME` shows what each says.';

export interface WatchOptions {
  readonly all?: boolean;
  readonly once?: boolean;
  readonly interval?: string;
}

interface Seen {
  readonly panes: readonly AgentSeen[];
  readonly elsewhere: AgentsScene['elsewhere'];
  readonly background: AgentsScene['background'];
  readonly socketPath: string;
}

/** On a terminal it stays and draws itself again; else, for programs, and with `once` it tells once. */
export async function watch(context: Context, options: WatchOptions): Promise<number> {
  const everyMs = intervalOf(options.interval, REDRAW.watchMs);
  const look = await lookerOf(context, options.all === true);
  const first = await look();
  if (options.once === true || context.json || terminal() === null) {
    context.answer('watch', first.panes, () => text(first));
    return EXIT.done;
  }
  return stay({ first, everyMs, look, text });
}

/** The packs are read once, records and panes at each look. */
async function lookerOf(context: Context, all: boolean): Promise<() => Promise<Seen>> {
  const processes = createProcesses({ source: snapshotOf(platformSource()) });
  const disk = await context.disk();
  const eyes = { ...(await eyesOf(await context.settings(), disk, note)), processes };
  return async () => {
    const { panes, elsewhere, background, fault, socketPath } = await seeAgents({ ...eyes, ...(await onRecord(disk)) });
    if (fault !== null)
      throw new Failure(EXIT.degraded, 'tmux_unknown', `tmux could not be asked: ${fault}; see \`town doctor\``);
    const shown = all ? panes : panes.filter(({ agent }) => agent !== null);
    const sorted = shown.map(cleaned).sort((one, other) => natural(one.session, other.session));
    return { panes: sorted, elsewhere, background, socketPath };
  };
}

/** Titles, screens and command lines are foreign text: it must not control the terminal that shows it. */
function cleaned(seen: AgentSeen): AgentSeen {
  const { session, title, agent, command, dir, words } = seen;
  return {
    ...seen,
    session: clean(session),
    title: clean(title),
    agent: agent && clean(agent),
    command: command.map((word) => clean(word)),
    dir: dir && clean(dir),
    words: clean(words),
  };
}

const WIDE = [
  'SESSION',
  { head: 'PANE', drop: 1 },
  { head: 'AGENT', drop: 3 },
  { head: 'OURS', drop: 2 },
  'STATE',
  'WOULD',
  'TITLE',
];

/** The screen's own word, which knows half-typed lines, unless its program knows better or says otherwise. */
function stateText({ state, screen }: AgentSeen): string {
  if (screen?.disagree !== undefined) return 'unknown';
  return state === 'unknown' ? (screen?.state ?? state).replace('_', ' ') : state;
}

/** A town has one socket: the others are to be named, not looked at. */
const elsewhereText = ({ socket, agents }: Seen['elsewhere'][number]): string =>
  `On another tmux socket, ${clean(socket)}: ${times(agents, 'agent')}. To supervise ${agents === 1 ? 'it' : 'them'}: [tmux] socket in town.toml.`;

/** Claude Code's own daemon runs it. */
const backgroundText = (one: Seen['background'][number]): string =>
  `Without a pane, by \`claude --bg\`: ${quoteForeign(one.name)} in ${clean(one.dir ?? 'an unknown folder')}, ${(one.state ?? 'unknown').replace('_', ' ')}. To watch it: town session adopt ${placeOf(one)} --as NAME`;

/** The table, and below it what is to be known of it. Where titles have no room they are left out. */
function text({ panes, elsewhere, background, socketPath }: Seen): string {
  const room = roomOf() ?? LAYOUT.watchRoom;
  const others = [...elsewhere.map(elsewhereText), ...background.map(backgroundText)].flatMap((one) =>
    hanging('', one, room),
  );
  if (panes.length === 0)
    return [`nothing in tmux (${socketPath}) looks like an agent; --all shows every pane`, ...others].join('\n');
  const columns = room < LAYOUT.watchRoom ? WIDE.slice(0, -1) : WIDE;
  const rows = panes.map((one) => {
    const { session, pane, title, agent, managed, would } = one;
    const ours = managed === 'nobody' || managed === 'split' ? 'no' : managed;
    const row = [session, pane, agent ?? '-', ours, stateText(one), `${would.act}: ${would.why}`, title];
    return row.slice(0, columns.length);
  });
  const notes = [
    ...(panes.some(({ would }) => would.once_adopted) ? [FOREIGN] : []),
    ...(panes.some(({ classic }) => classic) ? [CLASSIC] : []),
    ...(panes.some(({ screen }) => screen?.disagree !== undefined) ? [DISAGREE] : []),
  ]
    .flatMap((one) => hanging('', one, room))
    .concat(others);
  return [table(columns, rows, room), ...(notes.length === 0 ? [] : ['', ...notes])].join('\n');
}
