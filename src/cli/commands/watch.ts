/** `town watch`: everything in tmux that looks like an agent, its state, and what the town would do. Touches nothing. */
import { createProcesses } from '../../proc/processes.ts';
import { seeAgents, type AgentSeen } from '../../overview/agents.ts';
import { readSessions } from '../../overview/records.ts';
import { standingSocket } from '../../tmux/pinned.ts';
import { ControlTmux } from '../../tmux/tmux.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../failure.ts';
import { Packs, packsFolder } from '../../screen/packs.ts';
import { clean, note, table } from '../output.ts';

/** A line fits into this, also in a pipe. */
const COLUMNS = 100;
const GAP = 2;
const LONGEST_AGENT = 12;
const LEAST_TITLE = 10;
const FOREIGN = 'What is not ours stays untouched: WOULD comes true once `town session adopt NAME` made it ours.';
const CLASSIC = 'A Claude Code may draw its classic screen because the town is there: `town doctor` says which.';

export async function watch(context: Context, options: { readonly all?: boolean }): Promise<void> {
  const settings = await context.settings();
  const processes = createProcesses();
  const disk = await context.disk();
  const { found } = await readSessions(disk);
  const socketPath = await standingSocket(disk, settings.tmux.socket);
  const { panes, fault, ...place } = await seeAgents({
    packs: new Packs({ folder: packsFolder(settings.root), refused: note }),
    ...{ settings, processes, records: found.map(({ value }) => value), wall: Date.now() },
    tmux: new ControlTmux({ socketPath, policy: settings.hands, processes }),
  });
  if (fault !== null) {
    throw new Failure(EXIT.degraded, 'tmux_unknown', `tmux could not be asked: ${fault}; see \`town doctor\``);
  }
  const shown = options.all === true ? panes : panes.filter(({ agent }) => agent !== null);
  context.answer('watch', shown.map(cleaned), () =>
    shown.length === 0
      ? `nothing in tmux (${place.socketPath}) looks like an agent; --all shows every pane`
      : text(shown),
  );
}

/** Titles, screens and command lines are foreign text: nothing of them steers whatever shows it. */
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

/** The table, and below it what is to be known of it. Every line fits: titles are cut first, then names. */
function text(panes: readonly AgentSeen[]): string {
  const header = ['SESSION', 'PANE', 'AGENT', 'OURS', 'STATE', 'WOULD', 'TITLE'];
  const rows = panes.map(cleaned).map(({ session, pane, title, agent, managed, state, would }) => {
    const ours = managed === 'nobody' || managed === 'split' ? 'no' : managed;
    return [session, pane, fit(agent ?? '-', LONGEST_AGENT), ours, state, `${would.act}: ${would.why}`, title];
  });
  const width = (at: number): number => Math.max(...[header, ...rows].map((row) => row[at]?.length ?? 0)) + GAP;
  const middle = header.slice(1, -1).reduce((sum, _, at) => sum + width(at + 1), 0);
  const room = COLUMNS - middle;
  const name = Math.min(width(0), room - LEAST_TITLE);
  const fitted = rows.map(([session = '', ...row]) => [
    fit(session, name - GAP),
    ...row.slice(0, -1),
    fit(row.at(-1) ?? '', room - name),
  ]);
  const notes = [
    ...(panes.some(({ would }) => would.once_adopted) ? [FOREIGN] : []),
    ...(panes.some(({ classic }) => classic) ? [CLASSIC] : []),
  ];
  return [table(header, fitted, COLUMNS), ...(notes.length === 0 ? [] : ['', ...notes])].join('\n');
}

/** Cut to so many columns of a terminal; what is not plain may take two each. */
function fit(words: string, columns: number): string {
  const wide = (letter: string): number => (letter <= '~' ? 1 : 2);
  const letters = [...words];
  const sum = (some: readonly string[]): number => some.reduce((total, letter) => total + wide(letter), 0);
  if (sum(letters) <= columns) return words;
  while (letters.length > 0 && sum(letters) > columns - 1) letters.pop();
  return columns < 1 ? '' : `${letters.join('')}…`;
}
