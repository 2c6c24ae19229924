/** What goes out to a remote ends within its time and asks no one: a network that hangs, one that wants a password, a helper, a hook. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { span } from '../../../machines/kernel/span.ts';
import { fetchHeads } from '../../../src/git/fetch.ts';
import { push } from '../../../src/git/push.ts';
import { Linked } from '../linked.ts';

const BRANCH = 'polecat/nux';
const SOON_MS = 1_500;
/** Less than a large file takes over a slow network, and long enough that a busy machine moves some of it. */
const SPELL_MS = 4_000;
const LONG_MS = 60_000;

let it: Linked;
beforeEach(() => {
  it = new Linked();
  it.work('file', 'second\n');
});
afterEach(() => {
  Reflect.deleteProperty(process.env, 'GIT_SSH_COMMAND');
  endHanging();
});

const pushing = (netMs: number): Promise<void> => push({ gitDir: it.commonDir, cwd: it.top, netMs }, BRANCH);
const fetching = (netMs: number): Promise<void> =>
  fetchHeads({ gitDir: it.commonDir, cwd: it.top, netMs }, 'origin', ['main']);
const reached = (): string => it.gitIn(it.origin, 'branch', '--format=%(refname:short)').trim();

/** A program that hangs, as a transport does whose network is gone, and does not end when it is told to. */
function hanging(name: string): string {
  const script = join(it.root, name);
  const text = `#!/bin/sh\necho "$$" >> ${join(it.root, 'pids')}\ntrap '' TERM\nwhile :; do sleep 1; done\n`;
  writeFileSync(script, text, { mode: 0o755 });
  return script;
}

/** Those that were begun, and which of them live; they are ended. */
function endHanging(): { begun: number; left: number[] } {
  const pids = join(it.root, 'pids');
  const begun = existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : [];
  const left = begun.filter((pid) => {
    try {
      // What is not reaped yet has ended all the same.
      return (
        /^State:\s+[^Z]/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8')) && process.kill(pid, 'SIGKILL')
      );
    } catch {
      return false;
    }
  });
  return { begun: begun.length, left };
}

// Rules: P-6.
test.each([
  ['push', pushing],
  ['fetch', fetching],
] as const)(
  'a %s over a network that hangs is given up within its time, with all that it started',
  async (_, going) => {
    process.env['GIT_SSH_COMMAND'] = hanging('ssh');
    it.git('remote', 'set-url', 'origin', 'ssh://town.invalid/repo');
    await expect(going(SOON_MS)).rejects.toThrow(`stood still for ${span(SOON_MS)}`);
    expect(endHanging()).toEqual({ begun: 1, left: [] });
    expect(reached()).toBe('main');
  },
);

/** A network of about a megabyte per second, to programs on this machine. */
function slowNetwork(): void {
  const script = join(it.root, 'slow');
  const slow = `t=$(mktemp -p '${it.root}'); while dd bs=65536 count=1 of=$t 2>/dev/null && test -s $t; do cat $t; sleep 0.05; done`;
  writeFileSync(script, `#!/bin/sh\nfor last; do :; done\nslow() { ${slow}; }\nslow | eval "$last" | slow\n`, {
    mode: 0o755,
  });
  process.env['GIT_SSH_COMMAND'] = script;
  it.git('remote', 'set-url', 'origin', `ssh://town.invalid${it.origin}`);
}
/** Of a few megabytes that no compression makes fewer. */
const large = (): string => randomBytes(6_000_000).toString('base64');

// Rules: P-6.
test('a push and a fetch that move something are not given up, however long they take', async () => {
  const other = join(it.root, 'other');
  it.gitIn(it.root, 'clone', '-q', it.origin, other);
  writeFileSync(join(other, 'large'), large());
  it.gitIn(other, 'add', 'large');
  it.gitIn(other, 'commit', '-qm', 'large');
  it.gitIn(other, 'push', '-q', 'origin', 'HEAD:main');
  it.work('large', large());
  slowNetwork();
  await Promise.all([pushing(SPELL_MS), fetching(SPELL_MS)]);
  expect(reached().split('\n')).toContain(BRANCH);
  expect(it.git('rev-parse', 'refs/remotes/origin/main')).toBe(it.gitIn(it.origin, 'rev-parse', 'main'));
});

// Rules: P-6.
test('but one that takes very long is', async () => {
  it.work('large', large());
  slowNetwork();
  const place = { gitDir: it.commonDir, cwd: it.top, netMs: LONG_MS, transferMs: SOON_MS };
  await expect(push(place, BRANCH)).rejects.toThrow(`took longer than ${span(SOON_MS)}`);
  expect(reached()).toBe('main');
});

test('so is one whose helper for the remote hangs, and its repository takes the next', async () => {
  const [helpers, path] = [join(it.root, 'helpers'), process.env['PATH'] ?? ''];
  mkdirSync(helpers);
  renameSync(hanging('helper'), join(helpers, 'git-remote-town'));
  it.git('remote', 'set-url', 'origin', 'town::nowhere');
  process.env['PATH'] = `${helpers}${delimiter}${path}`;
  try {
    await expect(pushing(SOON_MS)).rejects.toThrow(`stood still for ${span(SOON_MS)}`);
    await expect(fetching(SOON_MS)).rejects.toThrow(`stood still for ${span(SOON_MS)}`);
  } finally {
    process.env['PATH'] = path;
  }
  // A remote that was silent a moment ago is not asked again.
  expect(endHanging()).toEqual({ begun: 1, left: [] });
  it.git('remote', 'set-url', 'origin', it.origin);
  await pushing(LONG_MS);
  expect(reached().split('\n')).toEqual(['main', BRANCH]);
});

test("so is one whose person's helper for passwords hangs", async () => {
  const home = process.env['HOME'];
  process.env['HOME'] = it.root;
  try {
    await withServer(async (url) => {
      it.git('remote', 'set-url', 'origin', url);
      it.git('config', '--file', join(it.root, '.gitconfig'), 'credential.helper', `!${hanging('helper')}`);
      await expect(pushing(SOON_MS)).rejects.toThrow(`stood still for ${span(SOON_MS)}`);
      expect(endHanging()).toEqual({ begun: 1, left: [] });
    });
  } finally {
    if (home === undefined) Reflect.deleteProperty(process.env, 'HOME');
    else process.env['HOME'] = home;
  }
});

test('a remote that wants a password fails: it is not asked for', async () => {
  await withServer(async (url) => {
    it.git('remote', 'set-url', 'origin', url);
    await expect(pushing(LONG_MS)).rejects.toThrow('terminal prompts disabled');
    await expect(fetching(LONG_MS)).rejects.toThrow('terminal prompts disabled');
  });
});

// Rules: R-1.
test('a remote that refused the login is not asked again, until any fetch comes through', async () => {
  const count = join(it.root, 'asked');
  const script = join(it.root, 'refusing');
  const text = `#!/bin/sh\n[ "$1" = -G ] && exit 1\necho asked >> ${count}\necho 'git@town.invalid: Permission denied (publickey).' >&2\nexit 255\n`;
  writeFileSync(script, text, { mode: 0o755 });
  process.env['GIT_SSH_COMMAND'] = script;
  it.git('remote', 'set-url', 'origin', 'ssh://town.invalid/repo');
  const refused = async (going: Promise<void>): Promise<void> => {
    await expect(going).rejects.toThrow('Permission denied (publickey)');
  };
  const asked = (): number => readFileSync(count, 'utf8').split('\n').length - 1;
  await refused(pushing(LONG_MS));
  await refused(fetching(LONG_MS));
  expect(asked()).toBe(2);
  await refused(fetching(LONG_MS));
  expect(asked()).toBe(2);
  // A push may have a login of its own.
  await refused(pushing(LONG_MS));
  await refused(pushing(LONG_MS));
  expect(asked()).toBe(3);
  it.gitIn(it.top, 'fetch', '-q', it.origin, 'main');
  await refused(fetching(LONG_MS));
  expect(asked()).toBe(4);
  await refused(fetching(LONG_MS));
  expect(asked()).toBe(4);
});

test('hooks that hang are not run', async () => {
  for (const name of ['pre-push', 'reference-transaction'])
    writeFileSync(join(it.commonDir, 'hooks', name), '#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 });
  await pushing(LONG_MS);
  await fetching(LONG_MS);
  expect(reached().split('\n')).toEqual(['main', BRANCH]);
});

test('a remote that went on refuses, and nothing there is written over', async () => {
  await pushing(LONG_MS);
  it.in('commit', '-q', '--amend', '-m', 'other');
  await expect(pushing(LONG_MS)).rejects.toThrow(/rejected|non-fast-forward/);
});

/** A remote that wants to know who calls. */
async function withServer(work: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((_, response) => {
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="town"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/repo`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
