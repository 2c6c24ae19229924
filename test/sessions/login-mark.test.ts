/** How the file of a login stands (M-9): another login shows, and nothing else in the file does. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loginMark } from '../../src/sessions/login-mark.ts';
import { withinLimit } from '../../src/sessions/within-limit.ts';
import { SOURCES } from '../../src/sources/policy.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'login-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** The mark of a file by this name with this text. */
async function markOf(name: string, text: string) {
  const file = join(folder(), name);
  writeFileSync(file, text);
  return loginMark(file);
}
const claude = (content: object) => markOf('.credentials.json', JSON.stringify(content));
const codex = (content: object) => markOf('auth.json', JSON.stringify(content));
const LOGIN = { claudeAiOauth: { accessToken: 'sk-secret', refreshToken: 'one' } };

// Rules: M-9.
test('is another one with another login alone, and holds nothing of it', async () => {
  const mark = await claude(LOGIN);
  expect(mark).toMatch(/^[\da-f]{8}$/);
  expect(await claude({ mcpOAuth: { server: { accessToken: 'of a tool' } }, ...LOGIN })).toBe(mark);
  expect(await claude({ claudeAiOauth: { ...LOGIN.claudeAiOauth, refreshToken: 'two' } })).not.toBe(mark);
  const tokens = { tokens: { refresh_token: 'one' }, OPENAI_API_KEY: null };
  expect(await codex({ ...tokens, last_refresh: '2026-11-28' })).toBe(await codex(tokens));
  expect(await codex({ ...tokens, OPENAI_API_KEY: 'sk-1' })).not.toBe(await codex(tokens));
});

test('is none where there is no file, an empty one, or one without a login', async () => {
  expect(await loginMark(join(folder(), '.credentials.json'))).toBeNull();
  expect(await markOf('.credentials.json', '')).toBeNull();
  expect(await claude({ mcpOAuth: {} })).toBeNull();
  expect(await codex({ tokens: null, OPENAI_API_KEY: '' })).toBeNull();
});

test.each([
  ['half written', '{"claudeAiOauth": {'],
  ['of another form', '["claudeAiOauth"]'],
  ['with another kind of login', '{"claudeAiOauth": 7}'],
  ['too large', JSON.stringify({ ...LOGIN, more: 'a'.repeat(SOURCES.maxFileBytes) })],
])('is not known of one that is %s', async (_, text) => {
  expect(await markOf('.credentials.json', text)).toBeUndefined();
});

test('is not known of a folder or a pipe in its place, which keeps none waiting', async () => {
  const pipe = join(folder(), '.credentials.json');
  spawnSync('mkfifo', [pipe]);
  expect(await loginMark(pipe)).toBeUndefined();
  expect(await loginMark(folder())).toBeUndefined();
});

test('a place that hangs is waited for so long and not asked again, two keep the others from being asked, until they answer', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked: string[] = [];
  const answers = new Map<string, () => void>();
  const ask = (place: string) =>
    withinLimit(place, () => {
      asked.push(place);
      return new Promise<string>((resolve) => answers.set(place, () => resolve(place)));
    });
  const both = Promise.all([ask('/one'), ask('/two')]);
  await vi.advanceTimersByTimeAsync(SOURCES.answerMs);
  expect(await both).toEqual([undefined, undefined]);
  expect([await ask('/one'), await ask('/three')]).toEqual([undefined, undefined]);
  expect(asked).toEqual(['/one', '/two']);
  for (const answer of answers.values()) answer();
  await vi.advanceTimersByTimeAsync(0);
  const third = ask('/three');
  answers.get('/three')?.();
  expect(await third).toBe('/three');
});
