/** A remote that does not want a push, told apart from one that cannot take it now, by git's own lines. */
import { expect, test } from 'vitest';
import { GitFailed } from '../../src/git/failure.ts';
import { isRefusal } from '../../src/git/push.ts';

const COMMAND = '`git push --quiet -- origin c:refs/heads/mend-the-denied-login`: ';
const rejected = (why: string, is = 'remote rejected') =>
  `To /remote.git\n ! [${is}] c -> mend-the-denied-login (${why})\nerror: failed to push some refs`;

// Rules: P-13.
test.each([
  [true, rejected('protected branch hook declined')],
  [true, rejected('non-fast-forward', 'rejected')],
  [true, `remote: GH006: Protected branch update failed.\n${rejected('protected branch hook declined')}`],
  [true, `remote: GH006: Protected branch update failed for refs/heads/fix-login-timeout.\n${rejected('declined')}`],
  [true, `remote: GH013: Rule violations found for refs/heads/disk-quota\n${rejected('declined')}`],
  [true, `remote: path: src/timeout.ts:3 holds a secret; amend and try again\n${rejected('push protection')}`],
  [true, rejected("cannot lock ref 'refs/heads/a/b': 'refs/heads/a' exists; cannot create 'refs/heads/a/b'")],
  [false, `remote: fatal: write error: No space left on device\n${rejected('pre-receive hook declined')}`],
  [false, rejected('unpacker error')],
  [false, rejected("cannot lock ref 'refs/heads/x'")],
  [false, rejected('Internal Server Error')],
  [false, "fatal: unable to access 'https://host/': The requested URL returned error: 403"],
  [false, 'git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.'],
  [false, 'ssh: connect to host host port 22: Connection timed out'],
])('%s: %s', (is, said) => expect(isRefusal(new GitFailed(`${COMMAND}${said}`))).toBe(is));
