/** Which version a git program is. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { listedEnvironment } from '../proc/environment.ts';

const LIMIT_MS = 5_000;

/** `2.45.0`. Rejects where the program does not run. */
export async function gitVersion(program: string): Promise<string> {
  const env = listedEnvironment('tool', process.env);
  const { stdout } = await promisify(execFile)(program, ['--version'], { env, cwd: '/', timeout: LIMIT_MS });
  return stdout.replace(/^git version /, '').trim();
}
