/**
 * The session that a start begins with: under a name that only this order has, with a placeholder that ends by itself if we do.
 * Its size is looked at, and mended: to a new session tmux (up to 3.5a) gives the size of whichever client on its server was
 * used last, though another was asked for. A window without a client keeps it for good.
 */
import type { HandsPolicy } from '../ports/policy.ts';
import type { OrderOf } from '../ports/ports.ts';
import { TmuxError } from '../tmux/errors.ts';
import type { TmuxDoor } from '../tmux/client.ts';
import type { Owner } from '../tmux/owner.ts';
import { parseRow, placeholderCommand, rootKey, rowFormat, type PaneRow } from '../tmux/panes.ts';

export interface PlaceholderDeps {
  readonly tmux: TmuxDoor;
  readonly owner: Owner;
  readonly policy: Pick<HandsPolicy, 'columns' | 'rows' | 'tmuxAnswerMs'>;
}

const SIZE = '#{window_width}x#{window_height}';
const SIZED = /^(\d+x\d+) (.*)$/;

/** Its pane, or what tmux said. Rejects when tmux gives no answer. */
export async function openPlaceholder(
  deps: PlaceholderDeps,
  { uuid }: Pick<OrderOf<'startSession'>, 'uuid'>,
): Promise<PaneRow | string> {
  const { tmux, policy, owner } = deps;
  const format = `${SIZE} ${rowFormat({ key: rootKey(owner.root) })}`;
  // It has to outlive the calls that a start takes.
  const seconds = Math.ceil((10 * policy.tmuxAnswerMs) / 1_000);
  const command = placeholderCommand(uuid, seconds);
  try {
    const lines = await tmux.query([
      'new-session',
      '-d',
      '-P',
      '-F',
      format,
      ...sizeOf(deps),
      '-s',
      `_town-${uuid}`,
      '-c',
      '/',
      '--',
      ...command,
    ]);
    const [size, row] = lines.map(parseSized).find((one) => one !== null) ?? [];
    if (row === undefined) return 'it said nothing';
    await tmux.query(['set-option', '-t', row.sessionId, 'destroy-unattached', 'off']);
    if (size !== `${policy.columns}x${policy.rows}`) await resize(deps, row);
    return row;
  } catch (error) {
    if (error instanceof TmuxError && error.fault === 'refused') return error.message;
    throw error;
  }
}

const sizeOf = ({ policy }: PlaceholderDeps): string[] => ['-x', String(policy.columns), '-y', String(policy.rows)];

function parseSized(line: string): readonly [size: string, row: PaneRow] | null {
  const [, size = '', rest = ''] = SIZED.exec(line) ?? [];
  const row = parseRow(rest);
  return row === null ? null : [size, row];
}

/** To the size that was asked for. Then it follows its clients again, as a person who attaches expects. */
async function resize(deps: PlaceholderDeps, { paneId }: PaneRow): Promise<void> {
  await deps.tmux.sequence([
    ['resize-window', '-t', paneId, ...sizeOf(deps)],
    ['set-option', '-w', '-u', '-t', paneId, 'window-size'],
  ]);
}
