/** A pool of two places, and warrants for it. */
import type { Pool } from '../../machines/hearings/queue.ts';
import type { Warrant } from '../../machines/protocol.ts';
import { incarnation, WALL, warrant } from '../world/drive.ts';
import { tools } from './lone.ts';

export const now = { at: 0, wall: WALL };
export const TOOLS = tools({ poolSize: 2 });
export const poolWith = (queue: readonly Warrant[], more: Partial<Pool> = {}): Pool => ({
  tools: TOOLS,
  queue,
  waiting: [],
  dogs: {},
  pastHearings: [],
  handled: new Set(),
  lastDanceMs: 0,
  ...more,
});
export const against = (n: number, more: Partial<Warrant> = {}) => warrant(`w${n}`, incarnation(n), more);
