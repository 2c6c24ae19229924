/** Keys in files that Git LFS keeps beside the repository: a push sends them too, and the commits hold their pointers only. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { isThere } from '../git/files.ts';
import type { Git } from '../git/git.ts';
import { readable } from '../git/changes.ts';
import { keyIn } from '../screen/secrets.ts';
import { plain } from './patch.ts';
import { RIG_WORK } from './policy.ts';

const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n/;

/** `objects`: as `git rev-list --objects` prints them. A sentence; null = none holds a key. */
export async function keyInObjects(git: Git, commonDir: string, objects: string): Promise<string | null> {
  if (!(await isThere(join(commonDir, 'lfs/objects')))) return null;
  for (const { name, oid } of await pointersIn(git, objects)) {
    const path = join(commonDir, 'lfs/objects', oid.slice(0, 2), oid.slice(2, 4), oid);
    // What is not here is sent by no push from here.
    const key = (await isThere(path)) ? keyIn(plain(await beginningOf(path))) : null;
    if (key !== null) return `"${readable(name)}", which Git LFS keeps, looks like a secret (${key.kind})`;
  }
  return null;
}

interface Pointer {
  readonly name: string;
  readonly oid: string;
}

async function pointersIn(git: Git, objects: string): Promise<Pointer[]> {
  const check = ['cat-file', '--batch-check=%(objecttype) %(objectsize) %(objectname) %(rest)'];
  const blobs = (await git.run(check, `${objects}\n`)).split('\n').flatMap((line) => {
    const [, bytes = '', id = '', name = ''] = /^blob (\d+) (\S+) (.*)$/.exec(line) ?? [];
    return id !== '' && Number(bytes) <= RIG_WORK.maxPointerBytes ? [{ id, name, bytes: Number(bytes) }] : [];
  });
  const texts = await git.run(['cat-file', '--batch'], blobs.map(({ id }) => `${id}\n`).join(''));
  let at = 0;
  return blobs.flatMap(({ name, bytes }) => {
    const begin = texts.indexOf('\n', at) + 1;
    at = begin + bytes + 1;
    const [, oid] = POINTER.exec(texts.slice(begin, begin + bytes)) ?? [];
    return oid === undefined ? [] : [{ name, oid }];
  });
}

/** A key in a file of text stands within it; of a film or a model the rest is not read. */
async function beginningOf(path: string): Promise<string> {
  const parts: string[] = [];
  for await (const part of createReadStream(path, { encoding: 'latin1', end: RIG_WORK.maxPublishedBytes }))
    parts.push(String(part));
  return parts.join('');
}
