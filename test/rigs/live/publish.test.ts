/** COMMIT_AND_PUSH publishes what its owner would, and nothing that cannot be taken back. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { nuke } from '../../../src/rigs/nuke.ts';
import { RIG_WORK } from '../../../src/rigs/policy.ts';
import { publicationOf } from '../../../src/rigs/publication.ts';
import { discard, filesOf, saveAndPush, worktreeText } from '../../../src/rigs/uncommitted.ts';
import { rescueFolder } from '../../../src/rescue/rescue.ts';
import { HANDS } from '../../../src/ports/policy.ts';
import { EXIT } from '../../../src/terminal/failure.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
let record: PolecatRecord;
beforeEach(async () => {
  it = new RigOn();
  record = await it.spawn('nux');
});

function put(name: string, text: string): void {
  const path = join(it.dirOf(), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
const saved = (all = false): Promise<string> => saveAndPush(it.at(), record, 'the rest', { all });
const published = (): string[] => {
  const tip = it.gitIn(it.origin, 'branch', '--list', 'polecat/nux') === '' ? 'main' : 'polecat/nux';
  return it.gitIn(it.origin, 'ls-tree', '-r', '--name-only', tip).trim().split('\n');
};
const BEFORE = ['.gitignore', 'deep/er/file', 'file'];

/** Put together here, so that no scanner takes them for real ones. */
const KEY = ['AKIA', 'IOSFODNN7', 'EXAMPLF'].join('');
const TOKEN = ['ghp', '_', 'a1B2c3D4e5F6g7H8i9J0'].join('');

const SECRETS: readonly (readonly [what: string, make: () => void, why: RegExp])[] = [
  ['.env', () => put('.env', 'A=1\n'), /"\.env" \(4 bytes\) looks like a secret \(by its name\)/],
  ['.env in a folder', () => put('app/.env.local', 'A=1\n'), /"app\/\.env\.local".*by its name/],
  ['a private key', () => put('deploy.pem', ''), /"deploy\.pem".*by its name/],
  ['a key for ssh', () => put('id_ed25519', 'x'), /"id_ed25519".*by its name/],
  ['a folder of keys', () => put('home/.aws/config', 'x'), /\.aws\/config".*by its name/],
  ['a key in a text', () => put('notes.md', `key ${KEY}\n`), /"notes\.md".*a key of AWS/],
  ['a token in a text', () => put('run.sh', `curl -u me:${TOKEN} x\n`), /"run\.sh".*a token of a service/],
  [
    'a key behind its name',
    () => put('c.py', 'API_KEY = "x9Fq2LmZ7tRb4WnK8sVd"\n'),
    /"c\.py".*by its name in line 1\)/,
  ],
  ['an address with a password', () => put('db.txt', 'postgres://me:s3cr3tWord@db/x\n'), /"db\.txt".*with a password/],
  ['a private key by its text', () => put('notes', '-----BEGIN RSA PRIVATE KEY-----\n'), /"notes".*a private key/],
  ['a key in the name of a file', () => put(`of-${KEY}`, 'text\n'), /the name of a new file looks like a secret/],
  ['a password for a submodule', () => put('.gitmodules', `\turl = https://me:s3cr3tWord@h/x\n`), /"\.gitmodules"/],
  [
    'a key in a file that LFS will keep',
    () => {
      it.gitIn(it.dirOf(), 'lfs', 'install', '--local');
      put('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n');
      put('data.bin', `key ${KEY}\n`);
    },
    /"data\.bin".*a key of AWS/,
  ],
  ['one that is staged', () => (put('.env', 'A'), it.gitIn(it.dirOf(), 'add', '-f', '.env')), /"\.env"/],
  ['a large file', () => put('a.bin', 'x'.repeat(RIG_WORK.maxPublishedBytes + 1)), /"a\.bin" \(10 MB\) is larger/],
  [
    'many files',
    () => Array.from({ length: RIG_WORK.maxPublished + 1 }, (_, n) => put(`many/${String(n)}`, '')),
    /201 new files would be published, more than 200/,
  ],
].map(([what, make, why]) => [what, make, why] as [string, () => void, RegExp]);

describe('it refuses', () => {
  // Rules: P-6.
  test.each(SECRETS)(
    '%s, with what to do, and commits nothing; the operator may want it all the same',
    async (_, make, why) => {
      put('file', 'second\n');
      make();
      const refusal = await saved().catch((error: unknown) => error as Error);
      expect(refusal).toMatchObject({ exit: EXIT.refused, message: expect.stringMatching(why) as string });
      expect((refusal as Error).message).toMatch(/\.gitignore that is committed.*--all/);
      expect([published(), it.gitIn(it.dirOf(), 'log', '--format=%s', '-1')]).toEqual([BEFORE, 'adds deep/er/file\n']);
      await saved(true);
      expect(published().length).toBeGreaterThan(BEFORE.length);
    },
  );
});

describe('a key that was added to a file that is tracked', () => {
  const line = (n: number, text: string): string => `first\n${'same\n'.repeat(n - 2)}${text}\n`;
  const KEYED = line(3, `key ${KEY}`);
  test.each<[string, () => unknown, text: string]>([
    ['is in a line of its own', () => undefined, KEYED],
    ['is staged', () => (writeFileSync(join(it.dirOf(), 'file'), KEYED), it.gitIn(it.dirOf(), 'add', 'file')), KEYED],
    ['is hidden by an attribute', () => writeFileSync(join(it.dirOf(), '.gitattributes'), '* -diff binary\n'), KEYED],
    ['is hidden by a flag', () => it.gitIn(it.dirOf(), 'update-index', '--skip-worktree', 'file'), KEYED],
    ['stands behind what looks like the head of a patch', () => undefined, line(3, `++ b/other ${KEY}`)],
    ['has two bytes for each letter', () => undefined, line(3, [...`key ${KEY}`].join('\0'))],
  ])('%s: it is refused with file and line, never with the key', async (_, hide, text) => {
    hide();
    put('file', text);
    const refusal = await saved().catch((error: unknown) => error as Error);
    const why = /line 3 of "file" looks like a secret \(a key of AWS\); take it out; .*--all/;
    expect(refusal).toMatchObject({ exit: EXIT.refused, message: expect.stringMatching(why) as string });
    expect((refusal as Error).message).not.toContain(KEY);
    expect(published()).toEqual(BEFORE);
    await saved(true);
    expect(it.gitIn(it.origin, 'show', 'polecat/nux:file')).toContain('first');
  });

  test('is none where it was there before, or was taken away', async () => {
    put('file', `a ${KEY}\nb ${TOKEN}\n`);
    await saved(true);
    put('file', `a ${KEY}\nnew\n`);
    await saved();
    expect(it.gitIn(it.origin, 'show', 'polecat/nux:file')).toContain('new');
  });
});

test.each([
  ['.env.example', 'A=1\n'],
  ['src/token.ts', 'export const token: string = getToken();\nconst password = process.env.DB_PASSWORD;\n'],
  ['package-lock.json', `{"resolved": "x", "integrity": "sha512-${'aB3'.repeat(29)}==", "npm-run-all-4.1.5": 1}\n`],
  ['README.md', 'postgres://user:password@localhost, mail me@example.com, sk-learn-and-other-things\n'],
  ['keyboard.ts', 'secret: string; apiKey: undefined\n'],
])('%s is no secret', async (name, text) => {
  put(name, text);
  await saved();
  expect(published()).toContain(name);
});

test('a link is published as a link, wherever it leads', async () => {
  writeFileSync(join(it.root, 'keys'), `${KEY}\n`);
  symlinkSync(join(it.root, 'keys'), join(it.dirOf(), 'link'));
  await saved();
  expect(it.gitIn(it.origin, 'show', 'polecat/nux:link')).toBe(join(it.root, 'keys'));
});

test('the decider sees the files with their sizes', async () => {
  put('file', 'second\n');
  put('new/a', 'x'.repeat(1_234));
  put('new/b', '');
  const text =
    'COMMIT_AND_PUSH would publish:\n  changed "file" (7 bytes)\n  new "new/a" (1.2 kB)\n  new "new/b" (0 bytes)';
  expect(await worktreeText(it.at(), record)).toContain(text);
  expect((await filesOf(it.at(), record)).map(({ name, bytes }) => [name, bytes])).toEqual([
    ['file', 7],
    ['new/a', 1_234],
    ['new/b', 0],
  ]);
});

describe('what a reasoner chose to publish', () => {
  const mark = async (): Promise<string> => (await publicationOf(it.at(), record))?.mark ?? 'none';
  const save = (shown: string): Promise<string> => saveAndPush(it.at(), record, 'the rest', { shown });
  beforeEach(() => {
    put('file', 'second\n');
    put('new/a', 'text');
  });
  // Rules: P-13.
  test('is published as it was shown; once more changes nothing, also after a kill before the push', async () => {
    const shown = await mark();
    it.gitIn(it.dirOf(), 'remote', 'set-url', 'origin', '/nowhere');
    await expect(save(shown)).rejects.toThrow();
    it.gitIn(it.dirOf(), 'remote', 'set-url', 'origin', it.origin);
    await save(shown);
    expect(published()).toEqual([...BEFORE, 'new/a'].sort());
    expect(await save(shown)).toContain('is pushed');
    expect(it.gitIn(it.dirOf(), 'rev-list', '--count', 'origin/main..HEAD').trim()).toBe('1');
  });

  // Rules: P-13.
  test.each<[string, () => unknown]>([
    ['a new file', () => put('late', 'x')],
    ['a file of another size', () => put('new/a', 'longer text')],
    ['a file of the same size with other contents', () => put('new/a', 'next')],
    ['a changed file of the same size with other contents', () => put('file', 'seconD\n')],
    ['a file that may be run by now', () => chmodSync(join(it.dirOf(), 'new/a'), 0o755)],
    ['a file that is gone', () => rmSync(join(it.dirOf(), 'new/a'))],
    ['a commit', () => it.gitIn(it.dirOf(), 'commit', '-qam', 'late')],
    [
      'a commit of more',
      () => (put('late', 'x'), it.gitIn(it.dirOf(), 'add', '-A'), it.gitIn(it.dirOf(), 'commit', '-qm', 'late')),
    ],
    ['a file that the index hid', () => it.gitIn(it.dirOf(), 'update-index', '--skip-worktree', 'deep/er/file')],
  ])('is refused where %s came since', async (_, change) => {
    if (_.endsWith('hid')) change();
    if (_.endsWith('hid')) put('deep/er/file', 'hidden\n');
    const shown = await mark();
    if (!_.endsWith('hid')) change();
    await expect(save(shown)).rejects.toMatchObject({
      exit: EXIT.refused,
      message: expect.stringContaining('has changed since it was shown') as string,
    });
    expect(published()).toEqual(BEFORE);
  });

  test('is looked at without a trace in the repository', async () => {
    const objects = it.git('count-objects');
    const index = it.gitIn(it.dirOf(), 'ls-files', '--stage');
    expect(await mark()).toMatch(/^[0-9a-f]{40}:[0-9a-f]{40}$/);
    expect([it.git('count-objects'), it.gitIn(it.dirOf(), 'ls-files', '--stage')]).toEqual([objects, index]);
  });

  test('is refused where nothing was shown', async () => {
    await expect(save('')).rejects.toMatchObject({ exit: EXIT.refused });
    expect(published()).toEqual(BEFORE);
  });
});

test('what a flag of the index hides is saved too; what an ignore file that ignores itself hides is not published, and stays', async () => {
  put('.gitignore', 'built/\nhid\n');
  put('hid', 'not to be published');
  put('venv/.gitignore', '*\n');
  put('venv/x', '');
  it.gitIn(it.dirOf(), 'update-index', '--skip-worktree', 'file');
  put('file', 'second\n');
  await saved();
  expect([published(), it.gitIn(it.origin, 'show', 'polecat/nux:file')]).toEqual([BEFORE, 'second\n']);
  const going = nuke(it.at(), record, { pushes: false });
  await expect(going).rejects.toThrow(/2 untracked files/);
});

test('DISCARD keeps what an uncommitted ignore file hid', async () => {
  put('.gitignore', 'built/\nhid\n');
  put('hid', 'work');
  put('venv/.gitignore', '*\n');
  put('built/x', 'ignored');
  const { signal } = new AbortController();
  const rescue = (folder: string, id: string): Promise<string | null> =>
    rescueFolder({ saveRescue: () => Promise.resolve(), policy: HANDS }, folder, id, signal);
  await discard(it.at(), record, { rescue, id: 'case-1' });
  expect(it.git('show', 'refs/town/rescue/case-1-rest:hid')).toBe('work');
  expect(it.git('show', 'refs/town/rescue/case-1:venv/.gitignore')).toBe('*\n');
  expect(() => it.git('show', 'refs/town/rescue/case-1-rest:built/x')).toThrow();
  expect(await it.records.polecat(record)).toBeNull();
});

test('a repository of its own in the worktree is refused: its work would be left out', async () => {
  put('inner/own', 'x');
  it.git('init', '-q', join(it.dirOf(), 'inner'));
  await expect(saved()).rejects.toThrow(expect.objectContaining({ exit: EXIT.refused }) as Error);
  expect(published()).toEqual(BEFORE);
});
