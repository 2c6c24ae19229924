/**
 * The `town` command. Reads the common words, takes the quick way where there is one, prints errors, sets the exit code.
 * It ends by itself when its work is done, so that what was written to a pipe arrives.
 */
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { compileCacheIn } from '../state/process/compile-cache.ts';
import { Context } from './cli/context.ts';
import { Unwritten } from './terminal/failure.ts';
import { complain } from './terminal/print.ts';
import { quick } from './cli/quick.ts';
import { readWords } from './cli/naming/words.ts';
import { onUnprinted } from './terminal/streams.ts';

// A folder that NODE_COMPILE_CACHE names is in use already.
const cache = process.env['NODE_COMPILE_CACHE'] === undefined ? compileCacheIn(tmpdir()) : null;
if (cache !== null) enableCompileCache(cache);

const words = process.argv.slice(2);
const wantsJson = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined).includes('--json');

onUnprinted((error, from) => {
  // If stderr fails, there is no place to report it.
  if (from === 'stderr') return;
  // `town … | head`: the reader has seen enough, which is no error.
  process.exit(error.code === 'EPIPE' ? 0 : complain(new Unwritten(error), wantsJson));
});
process.on('uncaughtException', (error) => {
  // Node would print it as it is. A town that runs here has its own way to end.
  if (process.listenerCount('uncaughtException') === 1) process.exit(complain(error, wantsJson));
});

/** A shell may stand in a folder that was removed. */
function hasFolder(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}

async function main(argv: readonly string[]): Promise<number> {
  try {
    if (!hasFolder()) (await import('./cli/naming/lost-folder.ts')).leaveLostFolder();
    const read = readWords(argv);
    const context = new Context(read);
    const exit = await quick(context, read.rest);
    if (exit !== null) return exit;
    const { run } = await import('./cli/program.ts');
    return await run(context, read.rest);
  } catch (error) {
    return complain(error, wantsJson);
  }
}

/** Tests run many commands in one process, one after the other. */
export const exitCode = main(words).then((code) => (process.exitCode = code));
