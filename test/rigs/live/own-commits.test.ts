/** The town pushes no commit of an agent that holds what looks like a secret, whatever its last state holds. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { nuke } from '../../../src/rigs/nuke.ts';
import { RIG_WORK } from '../../../src/rigs/policy.ts';
import { saveAndPush } from '../../../src/rigs/uncommitted.ts';
import { EXIT } from '../../../src/terminal/failure.ts';
import { RigOn } from '../yard.ts';

/** Put together here, so that no scanner takes it for a real one. */
const KEY = ['AKIA', 'IOSFODNN7', 'EXAMPLF'].join('');

let it: RigOn;
let record: PolecatRecord;
beforeEach(async () => {
  it = new RigOn();
  record = await it.spawn('nux');
});

const git = (...words: string[]): string => it.gitIn(it.dirOf(), ...words);

function put(name: string, text: string): void {
  const path = join(it.dirOf(), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
function commits(name: string, text: string): void {
  put(name, text);
  git('add', '-f', '--all');
  git('commit', '-qm', `change ${name}`);
}
/** A commit adds it, the next one removes it. */
function addsAndRemoves(name: string, text: string): void {
  commits(name, text);
  rmSync(join(it.dirOf(), name));
  git('commit', '-qam', `remove ${name}`);
}
function hides(name: string, text: string): void {
  put('.gitattributes', '* binary\n');
  commits(name, text);
}
/** Two sides that change one line; the merge is what a person makes of it. */
function merges(text: string): void {
  git('checkout', '-q', '-b', 'side');
  commits('file', 'one side\n');
  git('checkout', '-q', 'polecat/nux');
  commits('file', 'other side\n');
  expect(() => git('merge', '-q', 'side')).toThrow();
  commits('file', text);
  git('branch', '-qD', 'side');
}
const isPublished = (): boolean => it.gitIn(it.origin, 'branch', '--list', 'polecat/nux') !== '';

const DOORS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['COMMIT_AND_PUSH', () => saveAndPush(it.at(), record, 'the rest')],
  ['the push of one that is done', () => nuke(it.at(), record, { pushes: true })],
];

const HELD: readonly (readonly [string, () => void, RegExp])[] = [
  [
    'a key in a new file',
    () => commits('notes', `a\nkey ${KEY}\n`),
    /line 2 of "notes" .*AWS\) in commit [0-9a-f]{10};/,
  ],
  ['a key in a changed file', () => commits('file', `first\nkey ${KEY}\n`), /line 2 of "file"/],
  ['a key that the next commit removes', () => addsAndRemoves('notes', KEY), /line 1 of "notes"/],
  ['a file of settings', () => commits('app/.env', 'A=1\n'), /"app\/\.env" in its commits .*by its name/],
  ['a file of settings that went again', () => addsAndRemoves('.env', 'A=1\n'), /"\.env" in its commits/],
  [
    'a large file that went again',
    () => addsAndRemoves('a.bin', 'x'.repeat(RIG_WORK.maxPublishedBytes + 1)),
    /"a\.bin" \(10\.0 MB\) in its commits is larger than 10\.0 MB/,
  ],
  ['a key that a merge alone adds', () => merges(`both sides\nkey ${KEY}\n`), /line 2 of "file" .*in commit/],
  ['a key that an attribute hides', () => hides('notes', KEY), /"notes"/],
];

describe.each(DOORS)('%s', (_, act) => {
  // Rules: P-6.
  test.each(HELD)('refuses %s, with what to do, and without the key', async (__, make, why) => {
    make();
    const refusal = (await act().catch((error: unknown) => error)) as Error;
    expect(refusal).toMatchObject({ exit: EXIT.refused, message: expect.stringMatching(why) as string });
    expect(refusal.message).toContain(`push them by hand: git -C ${it.top} push origin polecat/nux`);
    expect(refusal.message).not.toContain(KEY);
    expect(isPublished()).toBe(false);
    expect(git('status', '--porcelain')).toBe('');
  });

  test('pushes what holds nothing of the kind', async () => {
    commits('notes', 'secret: string\n');
    merges('both sides\n');
    await act();
    expect(it.gitIn(it.origin, 'show', 'polecat/nux:file')).toBe('both sides\n');
  });

  test('asks nothing about what a person has pushed', async () => {
    commits('notes', KEY);
    git('push', '-q', 'origin', 'polecat/nux');
    commits('file', 'second\n');
    await act();
    expect(it.gitIn(it.origin, 'show', 'polecat/nux:file')).toBe('second\n');
  });
});

test('the operator may want it all the same', async () => {
  commits('notes', KEY);
  await saveAndPush(it.at(), record, 'the rest', true);
  expect(isPublished()).toBe(true);
});
