/** What a script of the project was given: its options, `--help`, and one sentence for what it does not know. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/**
 * The options and other words of the command line. Prints `usage` and exits 0 for `--help`; prints what is wrong and how to see
 * the usage, and exits 2, for an unknown option.
 */
export function wordsGiven<T extends ParseArgsOptionsConfig>(
  usage: string,
  options: T,
): ReturnType<typeof parseArgs<{ readonly allowPositionals: true; readonly options: T }>> {
  const config = { allowPositionals: true, options } as const;
  if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs<typeof config>(config);
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)} See --help.\n`);
    process.exit(2);
  }
}

/** Node's own message without its advice. */
const sentenceOf = (error: unknown): string =>
  `${(error instanceof Error ? error.message : String(error)).split('. ')[0]?.replace(/\.$/, '') ?? ''}.`;
