/** `town demo`. */
import { runDemo } from '../../demo/main.ts';
import type { Context } from '../context.ts';

export interface DemoOptions {
  readonly speed?: number;
  readonly keep?: boolean;
}

/** Exit 0 only if every outcome is the expected one. */
export function demo(context: Context, { speed, keep = false }: DemoOptions): Promise<number> {
  return runDemo({ speed: speed ?? null, json: context.json, keep });
}
