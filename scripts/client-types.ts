/** The types of `townwatch/client` in one file: what a program's compiler reads, without the modules behind it. */
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

/** What a module adds to the types of another one is none of the client's: its path means nothing in one file. */
const WITHOUT_ADDITIONS = {
  name: 'without-additions',
  renderChunk: (code: string): string => code.replace(/^declare module '\.[^]*?^\}\n/gm, ''),
};

/** Writes `client/connect.d.cts` into `dist`. */
export async function clientTypes(root: string, dist: string): Promise<void> {
  const made = await rolldown({
    cwd: root,
    input: { 'client/connect': join(root, 'src/client/connect.ts') },
    platform: 'node',
    // No type of a package is a part of it.
    external: (id) => /^[^./]/.test(id),
    plugins: [dts({ emitDtsOnly: true, sourcemap: false }), WITHOUT_ADDITIONS],
    // Of a module that is declared in another's folder.
    onLog: (level, log, pass) => (log.plugin === 'rolldown-plugin-dts:fake-js' ? undefined : pass(level, log)),
  });
  await made.write({ dir: dist, format: 'es', entryFileNames: '[name].cjs', codeSplitting: false });
}
