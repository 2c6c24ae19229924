/** Runs a command within the process of the test, on a terminal of any width: hundreds of them cost what a dozen children do. */
import { stripVTControlCharacters } from 'node:util';
import { vi } from 'vitest';
import { Context } from '../../src/cli/context.ts';
import { run } from '../../src/cli/program.ts';
import { quick } from '../../src/cli/quick.ts';
import { readWords } from '../../src/cli/naming/words.ts';
import { complain } from '../../src/terminal/print.ts';
import type { Ran } from './town.ts';

const { isTTY, columns } = process.stdout;

/** `room`: columns of its terminal; null = it writes into pipes. What steers a terminal is left out. */
export async function inside(root: string, command: string, room: number | null = null): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  for (const to of ['stdout', 'stderr'] as const)
    vi.spyOn(process[to], 'write').mockImplementation((text) => (written[to] += String(text)) !== '');
  Object.assign(process.stdout, { isTTY: room !== null, columns: room ?? undefined });
  try {
    const code = await codeOf(['--root', root, ...command.split(' ').filter(Boolean)]);
    return { code, stdout: stripVTControlCharacters(written.stdout), stderr: stripVTControlCharacters(written.stderr) };
  } finally {
    vi.restoreAllMocks();
    Object.assign(process.stdout, { isTTY, columns });
  }
}

/** As src/main.ts does it. */
async function codeOf(argv: readonly string[]): Promise<number> {
  try {
    const { rest, ...words } = readWords(argv);
    const context = new Context({ rest, ...words });
    return (await quick(context, rest)) ?? (await run(context, rest));
  } catch (error) {
    return complain(error, false);
  }
}
