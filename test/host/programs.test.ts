/** Programs that a town uses by path: each kind of change, what a person reads of it, and when the town begins anew. */
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Condition, NewsBody } from '../../machines/protocol.ts';
import {
  changesIn,
  faultIn,
  type Finding,
  gitRow,
  nodeRow,
  packageRow,
  tmuxRow,
  watchPrograms,
  type Row,
} from '../../src/host/programs.ts';
import { nodeFinder } from '../../src/proc/node.ts';
import { programAt } from '../../src/proc/find-program.ts';
import { tempFolder } from '../world/over.ts';

const WELL = { why: null, renew: null };
const saying = (text: string): string => expect.stringContaining(text) as string;
const SOME = expect.any(String) as string;

function program(path: string, version = 'v24.1.0'): string {
  writeFileSync(path, `#!/bin/sh\necho '${version}'\n`);
  chmodSync(path, 0o755);
  return path;
}
/** Another file in its place, as an installer puts it there. */
const replace = (path: string, version: string): void => replaceBy(path, `#!/bin/sh\necho '${version}'\n`);
function replaceBy(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  chmodSync(`${path}.new`, 0o755);
  renameSync(`${path}.new`, path);
}

describe('the package', () => {
  function installed() {
    const folder = tempFolder('package');
    const files = ['town.cjs', 'main.cjs'].map((name) => join(folder, name));
    let version = '0.1.0';
    for (const file of files) writeFileSync(file, version);
    const row = packageRow({ folder, files, version: () => version });
    const install = (next: string, ...some: readonly string[]): void => {
      version = next;
      for (const file of some) {
        writeFileSync(`${file}.new`, next);
        renameSync(`${file}.new`, file);
      }
    };
    return { folder, files, row, install };
  }

  test.each(['0.2.0', '0.0.9', '0.1.0'])(
    'replaced by %s: anew, once two looks found the same files',
    async (version) => {
      const { files, row, install } = installed();
      expect(await row.look()).toEqual(WELL);
      install(version, ...files);
      expect(await row.look()).toEqual(WELL);
      expect(await row.look()).toMatchObject({ renew: saying(`(0.1.0 by ${version})`) });
    },
  );

  test('half installed: waits until it is whole', async () => {
    const { files, row, install } = installed();
    rmSync(files[0] ?? '');
    expect(await row.look()).toEqual(WELL);
    expect(await row.look()).toMatchObject({ why: saying('was removed'), renew: null });
    install('0.2.0', ...files);
    expect(await row.look()).toEqual(WELL);
    expect((await row.look()).renew).not.toBeNull();
  });

  test('removed and put back as it was: all is well', async () => {
    const { files, row } = installed();
    const [file = ''] = files;
    renameSync(file, `${file}.away`);
    for (let look = 0; look < 3; look += 1) expect((await row.look()).renew).toBeNull();
    renameSync(`${file}.away`, file);
    await row.look();
    expect(await row.look()).toEqual(WELL);
  });
});

describe('Node', () => {
  function installed() {
    const folder = tempFolder('node');
    const own = program(join(folder, 'own'));
    const other = join(folder, 'other');
    const finder = nodeFinder({ own, others: () => [null, other] });
    return { own, other, finder, row: nodeRow(own, finder) };
  }
  const inMemory = `/proc/${String(process.pid)}/exe`;

  test('as it was, and replaced by one that is new enough', async () => {
    const { own, row } = installed();
    expect(await row.look()).toEqual(WELL);
    replace(own, 'v26.0.0');
    expect(await row.look()).toEqual(WELL);
  });

  test.each([
    ['deleted', (own: string) => rmSync(own)],
    ['replaced by an older one', (own: string) => replace(own, 'v20.1.0')],
    ['replaced by what does not run', (own: string) => writeFileSync(own, 'nothing')],
  ])('%s: the town begins anew with another one, else with the one in its memory', async (_, change) => {
    const { own, other, finder, row } = installed();
    change(own);
    expect(finder.find()).toBe(inMemory);
    expect(await row.look()).toMatchObject({ why: saying('no other one'), renew: SOME });
    program(other, 'v22.0.0');
    expect(finder.find()).toBe(inMemory);
    replace(other, 'v24.9.0');
    expect(finder.find()).toBe(other);
    expect(await row.look()).toEqual({ why: null, renew: saying(other) });
  });

  test('one that runs from a deleted file does not begin anew again, until a good one is there', async () => {
    const path = join(tempFolder('node'), 'node');
    const own = `${path} (deleted)`;
    const row = nodeRow(own, nodeFinder({ own, others: () => [] }));
    expect(await row.look()).toMatchObject({ why: SOME, renew: null });
    program(path);
    expect(await row.look()).toEqual({ why: null, renew: saying(path) });
  });
});

test.each([
  ['the same', null, null],
  ['newer', { server: '3.3a', inPath: '3.8' }, /PATH is 3\.8, and its server is 3\.3a/],
  ['older', { server: '3.8', inPath: '3.3a' }, /PATH is 3\.3a, and its server is 3\.8/],
  ['deleted', { server: '3.8', inPath: null }, /PATH was removed, and its server is 3\.8/],
])('tmux is %s', async (_, differs, says) => {
  const { why, renew } = await tmuxRow(() => Promise.resolve({ program: 'x', differs })).look();
  expect(renew).toBeNull();
  if (says === null) expect(why).toBeNull();
  else expect(why).toMatch(says);
});

describe('git', () => {
  function installed() {
    const folder = tempFolder('git');
    const find = (): string | null => programAt('git', '/', folder);
    return { folder, find, git: join(folder, 'git') };
  }

  test.each(['2.45.0', '2.20.0'])('replaced by %s: it is used, and a person can see it', async (version) => {
    const { git, find } = installed();
    program(git, 'git version 2.39.5');
    const row = gitRow(find);
    expect(await row.look()).toEqual(WELL);
    replace(git, 'git version 2.39.5');
    expect(await row.look()).toEqual(WELL);
    replace(git, `git version ${version}`);
    expect(await row.look()).toEqual({ ...WELL, changes: [saying(`2.39.5 was replaced by ${version}`)] });
  });

  test.each([
    ['deleted', (git: string) => rmSync(git)],
    ['replaced by what does not run', (git: string) => replaceBy(git, '#!/nowhere\n')],
  ])('%s: a person is alerted, until it is there again', async (_, change) => {
    const { git, find } = installed();
    const row = gitRow(find);
    program(git, 'git version 2.39.5');
    expect(await row.look()).toEqual(WELL);
    change(git);
    expect(await row.look()).toMatchObject({ why: saying(git), renew: null });
    replace(git, 'git version 2.39.5');
    expect(await row.look()).toEqual(WELL);
  });

  test('one that was never there is not missed', async () => {
    const { git, find } = installed();
    const row = gitRow(find);
    expect(await row.look()).toEqual(WELL);
    program(git, 'git version 2.39.5');
    expect(await row.look()).toEqual(WELL);
    replace(git, 'git version 2.45.0');
    expect((await row.look()).changes).toHaveLength(1);
  });
});

// Rules: P-17.
test('each change is told once, and when it is over; a look that fails ends nothing; where no part starts it anew, it is told', async () => {
  const stop = new AbortController();
  const told: NewsBody[] = [];
  const findings = [WELL, { why: 'gone', renew: 'gone' }, { why: 'gone', renew: 'gone' }, null, WELL];
  const found = new Map<Condition, Finding>();
  const faults: (string | null)[] = [];
  const changes: string[][] = [];
  let wishes = 0;
  const row: Row = {
    what: 'package-changed',
    look: () => {
      faults.push(faultIn(found));
      changes.push(changesIn(found));
      const finding = findings.shift();
      if (findings.length === 0) stop.abort();
      if (finding === null || finding === undefined) throw new Error('a disk');
      return finding;
    },
  };
  const logged: string[] = [];
  await watchPrograms(
    {
      rows: [row],
      found,
      clock: { now: () => 0, wall: () => 0, sleep: () => Promise.resolve() },
      everyMs: 1,
      announce: (news) => void told.push(news),
      log: (text) => void logged.push(text),
      renew: () => ((wishes += 1), false),
    },
    stop.signal,
  );
  expect(told.map((news) => ('why' in news ? news.why : 0))).toEqual([null, 'gone', null]);
  expect([wishes, logged.length]).toEqual([2, 1]);
  expect(faults).toEqual([null, null, 'gone', 'gone', 'gone']);
  expect(changes).toEqual([[], [], ['gone'], ['gone'], ['gone']]);
});
