/** A person who types a command at a terminal: a pane of a tmux of its own. */
import { withServer } from '../tmux/server.ts';
import { MAIN, until, type TestTown } from './town.ts';

/** `words`: of `town`. The pane stays when the command ends, and goes with its server. */
export async function atTerminal(town: TestTown, words: readonly string[]) {
  const server = await withServer();
  const environment = Object.entries(town.env()).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const command = [process.execPath, MAIN, ...words];
  await server.tmux('set-option', '-g', 'remain-on-exit', 'on');
  await server.tmux('new-session', '-d', '-x', '200', '-s', 'person', ...environment, ...command);
  return {
    /** Resolves with all rows once they hold the text. */
    shows: (text: string): Promise<string> =>
      until(
        () => server.tmux('capture-pane', '-p', '-J', '-t', 'person'),
        (rows) => rows.includes(text),
      ),
    types: (line: string): Promise<string> => server.tmux('send-keys', '-t', 'person', line, 'Enter'),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
