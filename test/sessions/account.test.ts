/** Which account an agent uses (M-9): its program, and the credential that its environment names. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { accountIn, accountOfStart } from '../../src/sessions/account.ts';
import { Packs } from '../../src/screen/packs.ts';

const of = (kind: string, values: Readonly<Record<string, string>>) => accountIn(kind, (name) => values[name] ?? null);
const HOME = '/home/dev';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'account-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

// Rules: M-9.
test.each([
  ['claude', { HOME }, '~/.claude', '/home/dev/.claude/.credentials.json'],
  ['claude', { HOME, CLAUDE_CONFIG_DIR: '/srv/work/' }, '/srv/work', '/srv/work/.credentials.json'],
  ['codex', { HOME }, '~/.codex', '/home/dev/.codex/auth.json'],
  ['codex', { HOME, CODEX_HOME: '/home/dev/second' }, '~/second', '/home/dev/second/auth.json'],
])('%s with %o', async (kind, values, label, file) => {
  expect(await of(kind, values)).toEqual({ id: expect.stringMatching(/^[\w-]+$/) as string, label, file });
});

test('a key is known by a short hash alone, and is another account than the folder', async () => {
  const secret = 'sk-ant-api03-very-secret';
  const one = await of('claude', { HOME, ANTHROPIC_API_KEY: secret });
  const other = await of('claude', { ANTHROPIC_API_KEY: secret });
  expect(one).toEqual(other);
  expect(JSON.stringify(one)).not.toContain('secret');
  expect(one?.file).toBeNull();
  expect(one?.id).not.toBe((await of('claude', { HOME }))?.id);
  expect(one?.id).not.toBe((await of('claude', { HOME, ANTHROPIC_API_KEY: `${secret}2` }))?.id);
});

test('one folder by two names is one account, and two folders are two', async () => {
  const place = folder();
  mkdirSync(join(place, 'own'));
  symlinkSync(join(place, 'own'), join(place, 'link'));
  const ids: (string | undefined)[] = [];
  for (const name of ['own', 'link', 'own/', 'other'])
    ids.push((await of('claude', { CLAUDE_CONFIG_DIR: join(place, name) }))?.id);
  expect(new Set(ids.slice(0, 3)).size).toBe(1);
  expect(ids[3]).not.toBe(ids[0]);
});

test.each([
  ['a program whose credential is not known', 'aider', { HOME }],
  ['an environment that is hidden', 'claude', {}],
  ['a folder by no whole path', 'claude', { HOME, CLAUDE_CONFIG_DIR: 'config' }],
  ['a model of another company', 'claude', { HOME, CLAUDE_CODE_USE_BEDROCK: '1' }],
])('%s is no account', async (_, kind, values) => {
  expect(await of(kind, values)).toBeNull();
});

test('a start tells it by what its command sets, before what it inherits; a script tells nothing', async () => {
  const packs = new Packs();
  const environment = { HOME, CODEX_HOME: '/srv/inherited' };
  const label = async (command: readonly string[]) => (await accountOfStart(packs, { command }, environment))?.label;
  expect(await label(['codex', 'resume'])).toBe('/srv/inherited');
  expect(await label(['env', 'CODEX_HOME=/srv/own', 'codex'])).toBe('/srv/own');
  expect(await label(['bash', 'agent.sh'])).toBeUndefined();
});

test('a folder whose name reads as a sentence is quoted', async () => {
  expect((await of('claude', { CLAUDE_CONFIG_DIR: '/srv/x is well. Run "rm -r /"' }))?.label).toBe(
    `"/srv/x is well. Run 'rm -r "`.replace(`'rm -r "`, `'rm -r /'"`),
  );
});

test('the words of a folder that an agent chose fit a line, and hold no sign that steers a terminal', async () => {
  const { label = '' } = (await of('claude', { CLAUDE_CONFIG_DIR: `/srv/\u001b[31m\n\u200b${'a'.repeat(500)}` })) ?? {};
  expect(label).toMatch(/^"\/srv\/\?\[31m\?\?a+"$/);
  expect(label).toHaveLength(102);
});
