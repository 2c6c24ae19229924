/** Questions of a court, and the programs that are asked. */
import { join } from 'node:path';
import type { Attempt, Mark } from '../../../machines/protocol.ts';

/** The path of a fake agent. */
export const agent = (name: string): string => join(import.meta.dirname, '../../fixtures/agents', name);

export const claude = (...args: string[]): string[] => [process.execPath, agent('claude'), ...args];
export const bash = (script: string): string[] => ['bash', '-c', script];

export const question = (code: string, reason = 'no evidence of life'): string[] => [
  '[DOG] HEALTH CHECK: Session max, respond ALIVE within 60s or face termination.',
  `Warrant reason: ${reason}`,
  'Filed by: boot',
  'Attempt: 1/3',
  `To answer, run: town alive ${code.slice(0, 2)}-${code.slice(2)} – or print one line: ALIVE, a space, and that code without its dash`,
];

export const attemptOf = (code: string, mark: Mark | null, lines = question(code)): Attempt => ({
  code,
  windowMs: 60_000,
  askedAt: 0,
  question: lines,
  mark,
  seen: '',
});
