/** Work that cannot be saved, so that nothing is destroyed (law 4), and repositories that are hostile. */
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { HANDS } from '../../src/ports/policy.ts';
import { rescueHand } from '../../src/rescue/rescue.ts';
import { ACCUSED, REF, Repo, rescueAt } from './repo.ts';

let repo: Repo;
beforeEach(() => (repo = new Repo()));

describe('saving fails, so nothing is destroyed', () => {
  beforeEach(() => {
    repo.commit('a', '1\n');
    repo.write('big', 'x'.repeat(5_000));
    repo.write('b', '2\n');
  });

  // Rules: law 4.
  test('too much: the error names the file and what to do', async () => {
    await expect(rescueAt(repo.top, { policy: { ...HANDS, maxRescueBytes: 4_000 } })).rejects.toThrow(
      /"big"; commit it or ignore/,
    );
    await expect(rescueAt(repo.top, { policy: { ...HANDS, maxRescueFiles: 1 } })).rejects.toThrow(
      '2 changed files, more than 1',
    );
    expect(repo.git('for-each-ref', 'refs/town')).toBe('');
    const { notes } = await rescueAt(repo.top, { policy: { ...HANDS, maxPatchBytes: 100 } });
    expect(notes['git-1.patch']).toBeUndefined();
    expect(String(notes['git-1.txt'])).toContain('larger than 100 bytes');
  });

  test('no git, a broken repository, a git that is too slow, files that cannot be written', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = repo.root;
    try {
      await expect(rescueAt(repo.top)).rejects.toThrow('install git');
      expect(await rescueAt(repo.root), 'without a .git nothing is needed').toMatchObject({ ref: null });
    } finally {
      process.env['PATH'] = path;
    }
    await expect(rescueAt(repo.top, { policy: { ...HANDS, gitMs: 1 } })).rejects.toThrow('longer than 1 ms');
    await expect(rescueAt(repo.top, { saveRescue: () => Promise.reject(new Error('ENOSPC')) })).rejects.toThrow(
      'ENOSPC',
    );
    await expect(rescueAt(repo.top, {}, { dance: '../dog' })).rejects.toThrow("is no dance's id");
    const lost = join(repo.top, 'lost');
    mkdirSync(lost);
    writeFileSync(join(lost, '.git'), 'gitdir: ../nowhere\n');
    await expect(rescueAt(lost), 'it points at a repository that is not there').rejects.toThrow('rev-parse');
  });

  test('no scrollback', async () => {
    const rescuer = { rescue: () => Promise.reject(new Error('not reached')) };
    const hand = rescueHand({ rescuer, scrollback: () => Promise.reject(new Error('tmux is silent')) });
    const order = { type: 'rescue', id: { name: 'dog-1/rescue' }, target: ACCUSED, dance: 'dog-1' } as const;
    await expect(hand(order, new AbortController().signal)).rejects.toThrow('tmux is silent');
  });
});

describe('a hostile repository', () => {
  test('runs no program of its configuration', async () => {
    const proof = join(repo.root, 'ran');
    const evil = join(repo.root, 'evil');
    writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${proof}\ncat\n`, { mode: 0o755 });
    repo.commit('a', '1\n');
    repo.commit('f.bin', 'pointer\n');
    repo.write('a', '2\n');
    repo.git('stash', 'push', '-q');
    repo.write('.gitattributes', '*.bin filter=evil diff=evil\n*.proc filter=long\n');
    repo.write('f.bin', 'content\n');
    repo.write('g.proc', 'long\n');
    repo.write('a', '3\n');
    for (const key of [
      'core.fsmonitor',
      'core.pager',
      'core.sshCommand',
      'core.editor',
      'core.askPass',
      'diff.external',
      'gpg.program',
      'filter.evil.clean',
      'filter.evil.smudge',
      'filter.long.process',
      'diff.evil.command',
      'diff.evil.textconv',
      'core.alternateRefsCommand',
    ])
      repo.git('config', key, evil);
    for (const key of ['filter.evil.required', 'filter.long.required', 'commit.gpgSign', 'log.showSignature'])
      repo.git('config', key, 'true');
    repo.git('config', 'core.hooksPath', repo.root);
    repo.git('config', 'core.worktree', repo.root);
    repo.git('config', 'core.safecrlf', 'true');
    for (const hook of ['post-index-change', 'reference-transaction', 'pre-auto-gc', 'fsmonitor-watchman'])
      writeFileSync(join(repo.root, hook), `#!/bin/sh\necho ${hook} >> ${proof}\n`, { mode: 0o755 });
    const { notes } = await rescueAt(repo.top);
    expect(existsSync(proof) && readFileSync(proof, 'utf8')).toBe(false);
    repo.git('config', '--unset', 'core.fsmonitor');
    expect(repo.gitIn(repo.root, `--git-dir=${repo.top}/.git`, 'cat-file', 'blob', `${REF}:f.bin`)).toBe('content\n');
    expect(String(notes['git-1.txt'])).toContain('WIP on main');
    expect(existsSync(proof)).toBe(false);
  });

  test('of another owner, with a FIFO and a name that is not UTF-8', async () => {
    repo.commit('a', '1\n');
    rmSync(join(repo.top, 'a'));
    execFileSync('mkfifo', [join(repo.top, 'a')]);
    writeFileSync(Buffer.concat([Buffer.from(`${repo.top}/`), Buffer.from([0x66, 0xff])]), 'bytes\n');
    if (process.getuid?.() === 0) for (const name of ['.', '.git']) chownSync(join(repo.top, name), 65_534, 65_534);
    const { notes } = await rescueAt(repo.top);
    expect(String(notes['git-1.txt'])).toContain('# Not files, so not kept\na');
    const tree = execFileSync('git', ['-c', 'safe.directory=*', 'ls-tree', '-z', REF], {
      cwd: repo.top,
      env: { PATH: process.env['PATH'], GIT_DIR: join(repo.top, '.git') },
    });
    expect(tree.includes(Buffer.from([0x66, 0xff, 0]))).toBe(true);
  });
});
