/** In whose name merges are committed: the person's own, as their git is set up, since hosts check it. */
import type { RigRecord } from '../../machines/rigs/records.ts';
import { GitFailed } from '../git/failure.ts';
import { GIT } from '../git/policy.ts';
import { call } from '../git/push.ts';

/** `Name <mail>`. No repository's setting counts: agents can write those. */
export async function committerOf({ name, commonDir, repo }: RigRecord): Promise<string> {
  const said = await call(
    { gitDir: commonDir, cwd: repo },
    ['config', '--get-regexp', '^user[.](name|email)$'],
    GIT.lookMs,
  ).catch((error: unknown) => {
    // git exits 1 where neither is set.
    if (error instanceof GitFailed) return '';
    throw error;
  });
  const of = (key: string): string | undefined => new RegExp(`^user[.]${key} (.+)$`, 'm').exec(said)?.[1]?.trim();
  const [user, mail] = [of('name'), of('email')].map((text) => text?.replaceAll(/[<>\n]/g, ''));
  return user === undefined || mail === undefined ? `refinery of ${name} <refinery@localhost>` : `${user} <${mail}>`;
}
