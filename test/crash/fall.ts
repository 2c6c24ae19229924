/**
 * Loaded before the town's program: the dog that hears the session of FALL (`name:times`) throws so often while it listens,
 * from within its machine. No hook is in the product: its source is changed on its way into Node.
 */
import { registerHooks } from 'node:module';

const [session = '', times = '0'] = (process.env['FALL'] ?? '').split(':');
let left = Number(times);

/** Called by the changed source with the dance of a dog that listens. */
function throwing<D extends { readonly target: { readonly session: string } }>(dance: D): D {
  if (dance.target.session !== session || left === 0) return dance;
  left -= 1;
  throw new Error('thrown from within a dog');
}
Object.assign(globalThis, { throwing });

const PLACE = 'guard: ({ context }) => windowOver(context.dance), target';

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    if (!url.endsWith('/machines/hearings/dog/interrogating.ts')) return loaded;
    const { source: given } = loaded;
    const source = typeof given === 'string' ? given : new TextDecoder().decode(given);
    if (source.split(PLACE).length !== 2) throw new Error('interrogating.ts does not read as fall.ts expects');
    return {
      ...loaded,
      source: source.replace(PLACE, PLACE.replace('context.dance', 'globalThis.throwing(context.dance)')),
    };
  },
});
