/**
 * The modules of machines/, state/ and src/ in few files: finding and reading each is what a command waits for most. As
 * CommonJS, which Node loads for half the price of ES modules, with our packages inside, as far as they are used.
 * 1. A file is named by what it holds: a process that runs on while another version is installed finds what it knows, or
 *    nothing.
 * 2. All files but those of programs lie in one folder, that of the thread too, since src/package.ts finds its neighbours from there.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { rolldown, type CodeSplittingGroup, type OutputChunk, type RolldownOutput } from 'rolldown';

/** What runs as a program of its own, and the library. */
const PROGRAMS = ['main', 'guard/main', 'channels/main', 'demo/orphaned', 'client/connect'];
/** Threads that a running town starts again and again: each in one file, which the town keeps in memory. */
const THREADS = ['patrols/thread/worker', 'tickle/worker'];

/** What every command begins with, and what `status` and a bare `town` need besides. */
const FRONT = ['main', 'cli/commands/status', 'socket/client'];
/** Runs for months and shall hold little. */
const GUARD = ['guard/main'];

/** A package without `exports` names here its modules, whose parts that are not used stay out; its other file may load parts that only Node finds. */
const RESOLVE = { mainFields: ['module', 'main'] };

/**
 * One sign outside of ASCII in a file makes Node hold all its text in memory at two bytes for each. Strings, templates and patterns read
 * these words as the sign, which a backslash before it leaves as it is; only a `String.raw` that is no pattern would not.
 */
const inAscii = (code: string): string =>
  code.replace(/((?:\\\\)*)\\?([\u0080-\uffff])/g, (_, backslashes: string, sign: string) => {
    return `${backslashes}\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

type Licensed = Readonly<Record<'name' | 'version' | 'license', string>>;
type Graph = Parameters<Exclude<NonNullable<CodeSplittingGroup['name']>, string>>[1];

/** Writes them into `dist`; returns the files. */
export async function bundle(root: string, dist: string): Promise<readonly OutputChunk[]> {
  const sourceOf = (name: string): string => join(root, 'src', `${name}.ts`);
  const programs = new Set(PROGRAMS.map(sourceOf));

  function loadedWith(names: readonly string[], graph: Graph): ReadonlySet<string> {
    const all = new Set(names.map(sourceOf));
    for (const id of all) for (const one of graph.getModuleInfo(id)?.importedIds ?? []) all.add(one);
    return all;
  }

  /** The front is one file instead of thirty, but for what a guard loads of it too. */
  function fileOf(id: string, graph: Graph): string | null {
    if (programs.has(id) || !loadedWith(FRONT, graph).has(id)) return null;
    return loadedWith(GUARD, graph).has(id) ? 'base' : 'front';
  }

  const made = await rolldown({
    cwd: root,
    input: Object.fromEntries(PROGRAMS.map((name) => [name, sourceOf(name)])),
    platform: 'node',
    resolve: RESOLVE,
    external: (id) => isBuiltin(id),
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await made.write({
    dir: dist,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minifyInternalExports: false,
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: { groups: [{ name: fileOf, debugName: 'front' }] },
  });
  const threads: RolldownOutput['output'][number][] = [];
  for (const name of THREADS)
    threads.push(...(await inOneFile(root, sourceOf(name), join(dist, `${name.replaceAll('/', '-')}.cjs`))));
  const chunks = [...output, ...threads].filter((file) => file.type === 'chunk');
  for (const { fileName, code } of chunks) writeFileSync(join(dist, fileName), inAscii(code));
  return chunks;
}

async function inOneFile(root: string, source: string, file: string): Promise<RolldownOutput['output']> {
  const made = await rolldown({
    cwd: root,
    input: source,
    platform: 'node',
    resolve: RESOLVE,
    external: (id) => isBuiltin(id),
    checks: { ineffectiveDynamicImport: false },
  });
  const comments = { legal: true, annotation: false, jsdoc: false };
  const { output } = await made.write({ file, format: 'cjs', codeSplitting: false, comments });
  return output;
}

/** What the licences of the packages inside ask for: each with its words. */
export function licencesOf(chunks: readonly OutputChunk[]): string {
  const ids = chunks.flatMap(({ moduleIds }) => moduleIds);
  const folders = new Set(ids.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  return [...folders]
    .sort()
    .map(licenceIn)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceIn(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Licensed;
  const file = readdirSync(folder).find((one) => /^licen[cs]e([-.]|$)/i.test(one));
  if (file === undefined) throw new Error(`${name} has no file with its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
