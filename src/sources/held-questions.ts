/**
 * Questions of agents whose program waits for an answer over a connection that it holds open: one connection for each question. An
 * answer goes into the connection of its own question, so it can reach no other one, and a late one reaches nothing.
 */
import * as z from 'zod';
import type { WallMs } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { Halt } from '../../state/sessions/halts.ts';
import type { Taken } from './question.ts';

/** What a hook `PermissionRequest` of Claude Code 2.1 says, as far as it is used. */
const PERMISSION_REQUEST = z.object({
  hook_event_name: z.literal('PermissionRequest'),
  session_id: z.uuid(),
  prompt_id: z.string().optional(),
  /** The folder in which a command would run. */
  cwd: z.string().optional(),
  tool_name: z.string(),
  tool_input: z.record(z.string(), z.unknown()),
  /** What would answer later questions too. */
  permission_suggestions: z.array(z.unknown()).default([]),
  /** An agent of its agent asks. */
  agent_id: z.string().optional(),
});

export const HELD = z.object({
  /** Of this connection. */
  key: z.string(),
  heldAt: z.number(),
  request: PERMISSION_REQUEST,
  /** Its program has its answer, and has not said yet that it goes on. */
  isAnswered: z.boolean(),
});
export type HeldQuestion = z.output<typeof HELD>;

export interface HeldQuestions {
  /** Of the life with this uuid: oldest first, with those that were answered a moment ago. Never rejects. */
  of(uuid: string): Promise<readonly HeldQuestion[]>;
  /** `decision`: as its program reads it. `over`: it has an answer, or the connection is gone. */
  answer(key: string, decision: object): Taken;
  /** Ends the connection without an answer: its question is over. */
  release(key: string): void;
  /** Why a turn of this life halted last, as a hook said, also if its agent went on since; null = none said so. Never rejects. */
  haltOf(uuid: string): Promise<Halt | null>;
}

/** null = of another form. */
export const requestIn = (text: string): HeldQuestion['request'] | null =>
  PERMISSION_REQUEST.safeParse(orNull(() => JSON.parse(text) as unknown)).data ?? null;

export const NONE_HELD: HeldQuestions = {
  of: () => Promise.resolve([]),
  answer: () => 'unknown',
  release: () => {},
  haltOf: () => Promise.resolve(null),
};

export const ageOf = ({ heldAt }: HeldQuestion, now: WallMs): number => now - heldAt;
