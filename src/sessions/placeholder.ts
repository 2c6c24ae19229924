/**
 * The session that a start begins with: under a name that only this order has, with a placeholder that ends by itself if we do.
 * Its size is looked at, and mended: to a new session tmux (up to 3.5a) gives the size of whichever client on its server was
 * used last, though another was asked for. A window without a client keeps it for good.
 * Its pane has a history, even if the user's tmux.conf says otherwise: tmux scrolls a dead pane by one row for its own
 * "Pane is dead", and without any history that row is lost. It may hold all that an agent said.
 */
import type { HandsPolicy } from '../ports/policy.ts';
import type { OrderOf } from '../ports/ports.ts';
import { TmuxError } from '../tmux/errors.ts';
import type { TmuxClient } from '../tmux/client.ts';
import type { Owner } from '../tmux/owner.ts';
import { parseRow, placeholderCommand, placeholderSession, rootKey, rowFormat, type PaneRow } from '../tmux/panes.ts';

export interface PlaceholderDeps {
  readonly tmux: TmuxClient;
  readonly owner: Owner;
  readonly policy: Pick<HandsPolicy, 'columns' | 'rows' | 'tmuxAnswerMs'>;
}

/** What is looked at of a new pane, before its row. */
const SEEN = '#{window_width}x#{window_height} #{?#{==:#{history_limit},0},0,1}';
const SEEN_LINE = /^(\d+x\d+) ([01]) (.*)$/;

/** Rows. One is what "Pane is dead" takes; tmux 3.8 takes more, and a full history is cut by a tenth. */
const LEAST_HISTORY = '100';

interface Made {
  /** Columns and rows. */
  readonly size: string;
  readonly hasHistory: boolean;
  readonly row: PaneRow;
}

/** Its pane, or what tmux said. Rejects when tmux gives no answer. */
export async function openPlaceholder(
  deps: PlaceholderDeps,
  { uuid }: Pick<OrderOf<'startSession'>, 'uuid'>,
): Promise<PaneRow | string> {
  const { tmux, policy, owner } = deps;
  const format = `${SEEN} ${rowFormat({ key: rootKey(owner.root) })}`;
  // It has to outlive the calls that a start takes.
  const seconds = Math.ceil((10 * policy.tmuxAnswerMs) / 1_000);
  const pane = ['-d', '-P', '-F', format, '-c', '/'];
  const command = ['--', ...placeholderCommand(uuid, seconds)];
  try {
    const first = madeIn(
      await tmux.query(['new-session', ...pane, ...sizeOf(deps), '-s', placeholderSession(uuid), ...command]),
    );
    if (first === null) return 'it said nothing';
    await tmux.query(['set-option', '-t', first.row.sessionId, 'destroy-unattached', 'off']);
    const made = first.hasHistory ? first : await withHistory(deps, first, [...pane, ...command]);
    if (made === null) return 'it made no pane with a history';
    if (made.size !== `${policy.columns}x${policy.rows}`) await resize(deps, made.row);
    return made.row;
  } catch (error) {
    if (error instanceof TmuxError && error.fault === 'refused') return error.message;
    throw error;
  }
}

/**
 * A pane takes its history's limit when it is made: another window takes the place of the first. The session keeps the user's limit, but
 * from tmux 3.7 on, where that would be the pane's too by then.
 */
async function withHistory(
  { tmux }: PlaceholderDeps,
  { row: { sessionId } }: Made,
  words: readonly string[],
): Promise<Made | null> {
  const limit = ['set-option', '-t', sessionId, 'history-limit', LEAST_HISTORY];
  const window = ['new-window', '-k', '-t', `${sessionId}:^`, ...words];
  const usual = ['set-option', '-u', '-t', sessionId, 'history-limit'];
  const { stdout, refused } = await tmux.sequence([limit, window, usual]);
  if (refused !== null) throw new TmuxError('refused', refused);
  const made = madeIn(stdout.split('\n'));
  if (made === null) return null;
  const [now] = await tmux.query(['display-message', '-p', '-t', made.row.paneId, '#{history_limit}']);
  if (now === '0') await tmux.query(limit);
  return made;
}

const sizeOf = ({ policy }: PlaceholderDeps): string[] => ['-x', String(policy.columns), '-y', String(policy.rows)];

/** null = no line is a pane's: a hook of the user's may print lines of its own. */
const madeIn = (lines: readonly string[]): Made | null => lines.map(parseMade).find((one) => one !== null) ?? null;

function parseMade(line: string): Made | null {
  const [, size = '', history, rest = ''] = SEEN_LINE.exec(line) ?? [];
  const row = parseRow(rest);
  return row === null ? null : { size, hasHistory: history === '1', row };
}

/** To the size that was asked for. Then it follows its clients again, as a person who attaches expects. */
async function resize(deps: PlaceholderDeps, { paneId }: PaneRow): Promise<void> {
  await deps.tmux.sequence([
    ['resize-window', '-t', paneId, ...sizeOf(deps)],
    ['set-option', '-w', '-u', '-t', paneId, 'window-size'],
  ]);
}
