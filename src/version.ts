/** The version of this package, from its package.json: beside src/ in the sources, one folder further up when built. */
import { existsSync, readFileSync } from 'node:fs';

/** `0.1.0`; throws when the package is incomplete. */
export function version(): string {
  const file = [new URL('../package.json', import.meta.url), new URL('../../package.json', import.meta.url)].find(
    (url) => existsSync(url),
  );
  if (file === undefined) throw new Error('package.json is missing beside the program; install townwatch again');
  return String((JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown }).version);
}
