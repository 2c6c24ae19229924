#!/usr/bin/env node
/**
 * The `town` command. Reads the common words, takes the quick way for `status`, prints errors, sets the exit code.
 * It ends by itself when its work is done, so that what was written to a pipe arrives.
 */
import { enableCompileCache } from 'node:module';
import { Context } from './cli/context.ts';
import { complain } from './cli/output.ts';
import { readWords } from './cli/words.ts';

enableCompileCache();

// `town … | head`: the reader has seen enough, which is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const PLAIN_STATUS = new Set(['status', '--watch']);

async function main(argv: readonly string[]): Promise<number> {
  try {
    const words = readWords(argv);
    const context = new Context(words);
    if (words.rest[0] === 'status' && words.rest.every((word) => PLAIN_STATUS.has(word))) {
      const { status } = await import('./cli/commands/status.ts');
      return await status(context, { watch: words.rest.includes('--watch') });
    }
    const { run } = await import('./cli/program.ts');
    return await run(context, words.rest);
  } catch (error) {
    return complain(error, argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined).includes('--json'));
  }
}

process.exitCode = await main(process.argv.slice(2));
