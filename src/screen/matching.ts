/**
 * What the patterns of a pack say of a text or a process. Without the schema of packs, which is heavy: process checks
 * load only this.
 */
import type { Pack } from './pack.ts';
import { READING } from './policy.ts';
import type { Program } from './screen.ts';

export const matches = (some: readonly RegExp[], text: string): boolean => some.some((one) => one.test(text));

/** A command line as patterns see it. */
export const lineOf = ({ argv }: Pick<Program, 'argv'>): string => argv.join(' ').slice(0, READING.maxCommandChars);

/** Whether this process serves several agents, or keeps what does. */
export const isDaemon = ({ processes: { daemons, keepers } }: Pick<Pack, 'processes'>, program: Program): boolean =>
  matches([...daemons, ...keepers], lineOf(program));

/** Whether an agent runs this process for itself, wherever it stands. */
export const isTool = ({ processes: { tools } }: Pick<Pack, 'processes'>, program: Program): boolean =>
  matches(tools, lineOf(program));
