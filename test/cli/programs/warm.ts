/**
 * Runs command lines of the shipped town one after the other in one process, as its test asks for them: a start of Node, and the
 * loading of what each command needs, cost ten times what the command does. Each has its own words, variables, folder and stdin.
 * argv[2]: the bundle's main.cjs. Ends with its test.
 */
import { createReadStream, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Ran } from '../town.ts';

export interface Asked {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface Answered extends Ran {
  /** The command ended the process. */
  readonly isLast: boolean;
}

/** As Node's cache of modules names it. */
const MAIN = realpathSync(process.argv[2] ?? '');
const load = createRequire(MAIN);
/** What a process has that has just begun. */
const EVENTS = ['uncaughtException', 'unhandledRejection', 'exit', 'beforeExit', 'SIGINT', 'SIGTERM', 'SIGHUP'];
const listeners = new Map(EVENTS.map((name) => [name, process.listeners(name as 'exit')]));
const handles = new Set(handlesNow());
const exitAtOnce = process.exit.bind(process);

function handlesNow(): readonly { readonly destroy?: () => void }[] {
  return (process as unknown as { _getActiveHandles(): readonly object[] })._getActiveHandles();
}

let stdout = '';
let stderr = '';
process.stdout.write = (chunk: string | Uint8Array) => (stdout += String(chunk)) !== '';
process.stderr.write = (chunk: string | Uint8Array) => (stderr += String(chunk)) !== '';

/** What is under way in a process ends with it. */
function answer(code: number, then?: () => void): void {
  for (const [name, first] of listeners)
    for (const one of process.listeners(name as 'exit')) if (!first.includes(one)) process.off(name, one);
  for (const one of handlesNow()) if (!handles.has(one)) one.destroy?.();
  process.exitCode = undefined;
  process.chdir('/');
  process.send?.({ code, stdout, stderr, isLast: then !== undefined }, undefined, undefined, then);
}

process.exit = (code) => {
  answer(Number(code ?? process.exitCode ?? 0), () => exitAtOnce());
  return new Promise(() => undefined) as never;
};

process.on('message', ({ argv, env, cwd }: Asked) => {
  [stdout, stderr] = ['', ''];
  process.argv = [process.execPath, MAIN, ...argv];
  for (const name of Object.keys(process.env)) if (!(name in env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  process.chdir(cwd);
  const stdin = createReadStream('/dev/null');
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
  Reflect.deleteProperty(load.cache, MAIN);
  void (load(MAIN) as { exitCode: Promise<number> }).exitCode.then((code) => {
    // Most commands never read it.
    stdin.destroy();
    answer(code);
  });
});
process.on('disconnect', () => exitAtOnce());
