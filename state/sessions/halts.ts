/**
 * Why turns of agents halted, as their programs said by a hook (M-2): once, when it happened. So the town keeps it over its own
 * restart, in one small file. What cannot be read of it is unknown: the screens say then how those agents are.
 */
import * as z from 'zod';
import { AGENT_HALTS } from '../../machines/sessions/agent-state.ts';
import type { Disk } from '../files/disk.ts';
import { FILES } from '../files/layout.ts';
import type { Quarantine } from '../files/quarantine.ts';
import { readAt } from '../files/record-folder.ts';
import { recordKind } from '../files/record-kind.ts';

export const HALT = z.object({
  /** Of the life that said it. */
  uuid: z.string(),
  /** The program's name for its conversation. */
  conversation: z.string(),
  /** The event of its hook: `StopFailure`. */
  event: z.string(),
  state: z.enum(AGENT_HALTS),
  /** In its words, one line without secrets. */
  detail: z.string(),
  /** Wall ms, when it was said. */
  at: z.number(),
});
export type Halt = z.output<typeof HALT>;

interface Halts {
  readonly halts: readonly Halt[];
}

const KIND = recordKind<Halts>('hook-halts', { shape: z.strictObject({ halts: z.array(HALT) }) });

export interface HaltsFile {
  readonly disk: Disk;
  readonly quarantine: Quarantine;
}

/** Rejects when the file cannot be asked. */
export const readHalts = async (options: HaltsFile): Promise<readonly Halt[]> =>
  (await readAt<Halts>({ ...options, ...KIND }, FILES.hookHalts))?.value.halts ?? [];

export const haltsFileOf = (halts: readonly Halt[]): { readonly path: string; readonly text: string } => ({
  path: FILES.hookHalts,
  text: KIND.text({ halts }),
});
