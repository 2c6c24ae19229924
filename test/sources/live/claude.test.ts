/** Claude Code's session file: believed where it is the very process's own and of a form that was tried, else not. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agent, ID, SINCE } from './claude-agent.ts';

// Rules: M-2.
describe('the file of a process that lives', () => {
  test.each([
    ['idle', 'idle', null],
    ['shell', 'idle', null],
    ['busy', 'working', null],
    ['waiting', 'asks', 'permission prompt'],
  ])('that says %s is %s', async (status, state, detail) => {
    const it = await agent();
    it.write({ status, waitingFor: 'permission prompt' });
    expect(await it.hear()).toMatchObject({
      conversation: ID,
      word: { by: 'program', source: 'claude session file', state, since: SINCE, detail, rule: null },
    });
  });

  // Rules: M-3.
  test.each([
    ['shell', true],
    ['idle', undefined],
  ])('that says %s: whether a command of its own still runs', async (status, hasTool) => {
    const it = await agent();
    it.write({ status });
    expect((await it.hear())?.hasTool).toBe(hasTool);
  });

  test('lies where its own environment says', async () => {
    const it = await agent('elsewhere');
    it.write();
    expect((await it.hear())?.word?.state).toBe('working');
  });

  test('names a conversation before it names a state', async () => {
    const it = await agent();
    it.write({ status: undefined });
    expect(await it.hear()).toEqual({
      conversation: ID,
      word: null,
      books: { program: 'claude', file: expect.stringMatching(new RegExp(`/projects/[^/]+/${ID}.jsonl$`)) as string },
    });
  });

  test('with a change in the future does not tell since when', async () => {
    const it = await agent();
    it.write({ statusUpdatedAt: Date.now() + 3_600_000 });
    expect((await it.hear())?.word).toMatchObject({ state: 'working', since: null });
  });

  test('is read again where nothing but one word of it changed', async () => {
    const it = await agent();
    it.write({ status: 'busy' });
    expect((await it.hear())?.word?.state).toBe('working');
    it.write({ status: 'idle' });
    expect((await it.hear())?.word?.state).toBe('idle');
  });

  test('counts again once it is what it was', async () => {
    const it = await agent();
    it.write();
    renameSync(it.file, `${it.file}.away`);
    expect(await it.hear()).toBeNull();
    renameSync(`${it.file}.away`, it.file);
    expect((await it.hear())?.word?.state).toBe('working');
  });
});

// Rules: M-2.
describe('is not believed:', () => {
  test.each<[string, object]>([
    ['an older version', { version: '2.1.329' }],
    ['an older line', { version: '2.0.400' }],
    ['a later line', { version: '2.2.0' }],
    ['no version', { version: undefined }],
    ['another process', { pid: 1 }],
    ['an earlier process of this pid', { procStart: '7' }],
    ['a state that is not known', { status: 'dreaming' }],
    ['no conversation', { sessionId: 'shop' }],
    ['a kind that is not known', { kind: 'sdk' }],
    ['a time that is none', { statusUpdatedAt: 'noon' }],
  ])('%s', async (_, more) => {
    const it = await agent();
    it.write(more);
    expect(await it.hear()).toBeNull();
  });

  test('what a KILL left behind', async () => {
    const it = await agent();
    it.write();
    expect(await it.hear()).not.toBeNull();
    await it.kill();
    expect(await it.hear()).toBeNull();
  });

  test('no file, a torn one, and one of any size', async () => {
    const it = await agent();
    expect(await it.hear()).toBeNull();
    it.write({}, (text) => text.slice(0, -1));
    expect(await it.hear()).toBeNull();
    it.write({}, (text) => text + ' '.repeat(70_000));
    expect(await it.hear()).toBeNull();
  });

  test('a link, a pipe and a folder in its place', async () => {
    const it = await agent();
    it.write();
    renameSync(it.file, join(it.folder, 'other.json'));
    symlinkSync('other.json', it.file);
    expect(await it.hear()).toBeNull();
    rmSync(it.file);
    execFileSync('mkfifo', [it.file]);
    expect(await it.hear()).toBeNull();
    rmSync(it.file);
    mkdirSync(it.file);
    expect(await it.hear()).toBeNull();
  });

  test('a file that others may write', async () => {
    const it = await agent();
    it.write();
    chmodSync(it.file, 0o666);
    expect(await it.hear()).toBeNull();
  });

  test.runIf(process.getuid?.() === 0)("another user's file", async () => {
    const it = await agent();
    it.write();
    chownSync(it.file, 65_533, 65_533);
    expect(await it.hear()).toBeNull();
  });
});
