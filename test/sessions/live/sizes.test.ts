/** An agent has the size that was asked for, beside any other client of its tmux server: asked for, looked at, mended. */
import { expect, test } from 'vitest';
import { town } from '../../tmux/over.ts';
import { withServer } from '../../tmux/server.ts';
import { until, type Yard } from '../../tmux/yard.ts';
import { untilOver } from '../../world/over.ts';

const SIZE = '#{window_width}x#{window_height}';
/** As a hidden web terminal has it. */
const TINY = ['-x', '2', '-y', '1'];

/** A client of that size at the session `base`. */
async function visit({ server }: Yard): Promise<void> {
  const terminal = untilOver(await withServer({ session: null }));
  const attach = ['env', '-u', 'TMUX', 'tmux', '-S', server.socketPath, 'attach', '-t', '=base'];
  await terminal.tmux('-f', '/dev/null', 'new-session', '-d', ...TINY, '-s', 'web', ...attach);
  await until(async () => (await server.tmux('list-clients', '-F', '#{client_control_mode}')).includes('0'));
}

test.each(['latest', 'largest', 'smallest'])(
  'with a client of 2x1 on its server and `window-size %s` an agent has its size, from its first look on',
  async (kind) => {
    const made = await town({ conf: `set -g window-size ${kind}` });
    await visit(made);
    const { paneId } = await made.begin({ command: ['sh', '-c', 'stty size; exec sleep 1000'] });
    expect(await made.server.tmux('display-message', '-p', '-t', paneId, SIZE)).toBe('200x50');
    const shown = (): Promise<string> => made.server.tmux('capture-pane', '-p', '-t', paneId);
    await until(async () => (await shown()).includes('\n') && (await shown()).trim() !== '');
    expect((await shown()).trim()).toBe('50 200');
    // A person who attaches sees all of it: the window follows its clients as the person's tmux.conf has it.
    expect(await made.server.tmux('show-options', '-w', '-t', paneId)).not.toContain('window-size');
  },
);
