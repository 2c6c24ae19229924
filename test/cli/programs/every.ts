/**
 * Runs command lines of the real tree one after the other, as `main.ts` does, and writes what each put out into a file.
 * argv[2]: a file with JSON, `{ to, isTerminal, calls: [{ argv, env }] }`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Context } from '../../../src/cli/context.ts';
import { complain } from '../../../src/terminal/print.ts';
import { run } from '../../../src/cli/program.ts';
import { readWords } from '../../../src/cli/naming/words.ts';

export interface Call {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const { to, isTerminal, calls } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as {
  readonly to: string;
  readonly isTerminal: boolean;
  readonly calls: readonly Call[];
};

/** A command that takes longer serves, or waits for what never comes. */
const LIMIT_MS = 120_000;

let said = '';
const complains = process.stderr.write.bind(process.stderr);
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (chunk: string | Uint8Array) => (said += String(chunk)) !== '';
  if (isTerminal) Object.assign(stream, { isTTY: true, columns: 100, rows: 30, getColorDepth: () => 8 });
}

const put: { argv: readonly string[]; exit: number; said: string }[] = [];
for (const { argv, env } of calls) {
  said = '';
  for (const name of Object.keys(process.env).filter((one) => one.startsWith('TOWN_')))
    Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  const limit = setTimeout(() => {
    complains(`This command did not end: ${JSON.stringify(argv)}\n`, () => process.exit(1));
  }, LIMIT_MS);
  let exit: number;
  try {
    const words = readWords(argv);
    exit = await run(new Context(words), words.rest);
  } catch (error) {
    exit = complain(error, argv.includes('--json'));
  }
  clearTimeout(limit);
  put.push({ argv, exit, said });
}
writeFileSync(to, JSON.stringify(put));
