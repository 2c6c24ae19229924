/** `town demo`. */
import { runDemo } from '../../demo/main.ts';
import type { Context } from '../context.ts';

/** Exit 0 only if every outcome is the expected one. */
export function demo(context: Context, options: { readonly speed?: number }): Promise<number> {
  return runDemo({ speed: options.speed ?? null, json: context.json });
}
