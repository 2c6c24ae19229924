/** Keys that are none any more: what a person reads of them, and what a town takes that came up with them. */
import { expect, test } from 'vitest';
import { loadSettings, type LoadOptions } from '../../src/config/load.ts';
import type { Settings } from '../../src/config/settings.ts';
import { tempFolder } from '../world/over.ts';
import { refusal } from './refusal.ts';

const load = (options: LoadOptions = {}): Settings =>
  loadSettings({ root: tempFolder('town-config'), env: {}, ...options });

const SECRETS =
  '[ntfy]\ntoken_file = "/x/token"\n[slack]\nurl_file = "/x/url"\n[webhook]\nsecret_file = "/x/s"\nsecret = "own"\n';

test('a secret is a text, or stands in a file; the keys of such files are told what took their place', () => {
  const text = '[ntfy]\ntopic = "t"\ntoken = "tk"\n[slack]\nurl = { file = "/x/url" }\n';
  const { channels } = load({ toml: text });
  expect([channels.ntfy.token, channels.slack.url]).toEqual(['tk', { file: '/x/url' }]);
  const lines = refusal(() => load({ toml: `${SECRETS}[ntfy2]\n` }));
  expect(lines[0]).toContain('ntfy.token_file is no key any more; write token = { file = "…" } in [ntfy]');
  const set = refusal(() => load({ set: ['irc.sasl_password_file=/x'] }));
  expect(set[0]).toContain('write sasl_password = { file = "…" } in [irc]');
  expect(refusal(() => load({ env: { TOWN_SMTP_PASSWORD_FILE: '/x' } }))[0]).toContain('smtp.password_file is no key');
  expect(refusal(() => load({ toml: '[slack]\nurl = { path = "/x" }' }))[0]).toMatch(
    /slack\.url = \(a secret\): must be an address .*, or the file that has it in its first line/,
  );
});

test('who had switched the reasoner off reads what else to remove', () => {
  const text = '[triage]\nreasoner = "none"\ncommand = "sh"\n';
  expect(refusal(() => load({ toml: text }))).toEqual([
    expect.stringMatching(
      /triage\.reasoner is no key any more; remove it: triage\.command alone switches a reasoner on\. To decide every case yourself, remove that too$/,
    ),
  ]);
});

test('a last good text of an earlier version, in which constants were keys, is good still', () => {
  const text = '[process]\nready = "5s"\n[dance]\nretry = "1s"\npool_size = 7\n';
  const settings = load({ toml: text, isOfEarlier: true });
  expect([settings.policy.dance.poolSize, settings.policy.dance.retryMs, settings.process.readyMs]).toEqual([
    7, 5_000, 10_000,
  ]);
  expect(settings.toml).toBe(text);
  const reasoner = (is: string) => load({ toml: `[triage]\nreasoner = "${is}"\ncommand = "sh"\n`, isOfEarlier: true });
  expect(['command', 'none'].map((is) => reasoner(is).triage.command === null)).toEqual([false, true]);
  const { channels } = load({ toml: SECRETS, isOfEarlier: true });
  expect([channels.ntfy.token, channels.slack.url, channels.webhook.secret]).toEqual([
    { file: '/x/token' },
    { file: '/x/url' },
    'own',
  ]);
  expect(refusal(() => load({ toml: 'process = 5\ndance = 5', isOfEarlier: true }))).toHaveLength(2);
  const elsewhere = { env: { TOWN_PROCESS_READY: '5s' }, set: ['dance.retry=1s'] };
  expect(load({ ...elsewhere, isOfEarlier: true }).process.readyMs).toBe(10_000);
  expect(refusal(() => load(elsewhere))).toHaveLength(2);
  expect(refusal(() => load({ env: { TOWN_PROCESS_REDY: '5s' }, isOfEarlier: true }))).toHaveLength(1);
});
