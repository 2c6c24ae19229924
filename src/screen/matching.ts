/** What the patterns of a pack say of a text or a process. Without the schema of packs, which is heavy: whoever asks about processes loads this. */
import type { Pack } from './pack.ts';
import type { Program } from './screen.ts';

export const matches = (some: readonly RegExp[], text: string): boolean => some.some((one) => one.test(text));

/** Whether this process serves several agents, or keeps what does. */
export const isDaemon = ({ processes: { daemons, keepers } }: Pick<Pack, 'processes'>, { argv }: Program): boolean =>
  matches([...daemons, ...keepers], argv.join(' '));

/** Whether an agent runs this process for itself, wherever it stands. */
export const isTool = ({ processes: { tools } }: Pick<Pack, 'processes'>, { argv }: Program): boolean =>
  matches(tools, argv.join(' '));
