/**
 * What programs import of the package beside the command: the types of `townwatch/client`, and all of `townwatch/machines`. Of each,
 * one file: what a program's compiler reads, without the modules behind it.
 */
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const CLIENT = 'src/client/connect.ts';
const CHARTS = 'machines/charts.ts';

/** A module may add to the types of another one, whose path means nothing in one file: there they are one declaration. */
const WITH_ADDITIONS = {
  name: 'with-additions',
  renderChunk: (code: string): string => code.replace(/^declare module '\.[^']*' \{\n([^]*?)^\}\n/gm, '$1'),
};

/** Writes them into `dist`; the code of the client is in its bundle. */
export async function library(root: string, dist: string): Promise<void> {
  await types(root, dist, CLIENT);
  await types(root, dist, CHARTS);
  // With the XState of the program that imports it: no other one may step its actors.
  const made = await rolldown({ cwd: root, input: placed(root, CHARTS), external: ['xstate'] });
  await made.write({
    dir: dist,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    codeSplitting: false,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
}

/** By its place in `dist`. */
const placed = (root: string, source: string): Record<string, string> => ({
  [source.replace(/^src\/|\.ts$/g, '')]: join(root, source),
});

async function types(root: string, dist: string, source: string): Promise<void> {
  const made = await rolldown({
    cwd: root,
    input: placed(root, source),
    platform: 'node',
    // No type of a package is a part of it.
    external: (id) => /^[^./]/.test(id),
    plugins: [dts({ emitDtsOnly: true, sourcemap: false }), WITH_ADDITIONS],
    // Of a module that is declared in another's folder.
    onLog: (level, log, pass) => (log.plugin === 'rolldown-plugin-dts:fake-js' ? undefined : pass(level, log)),
  });
  await made.write({ dir: dist, format: 'es', entryFileNames: '[name].cjs', codeSplitting: false });
}
