import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openLog, withoutTokens } from '../../../src/ports/log.ts';
import { complainingOnce } from '../../../src/alerts/bell.ts';
import { notifyPerson } from '../../../src/alerts/command.ts';
import type { Notice } from '../../../src/alerts/notify.ts';
import { createSystemd } from '../../../src/guard/systemd.ts';
import { tempFolder } from '../../world/over.ts';

const NOTICE: Notice = { schema: 'notice/1', kind: 'alert', text: 'a "quoted" line\nand another', at: '2026-01-01' };

/** For what takes a moment, on a machine that has much to do. */
const WAIT = { timeout: 120_000 };

// Rules: C-16.
test('the command reads one JSON object on stdin', async () => {
  const file = join(tempFolder('notify'), 'out');
  expect(await notifyPerson({ command: ['sh', '-c', 'cat > "$0"', file], limitMs: 5_000 }, NOTICE)).toBe(null);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(NOTICE);
});

// Rules: law 11.
test('what the command reads holds no invisible character and nothing that steers a terminal', async () => {
  const file = join(tempFolder('notify'), 'out');
  const subject = 'pay\u202e now\u200b\u001b]0;x\u0007 \u{e0041}';
  const notice = { ...NOTICE, text: `mail from nux: ${subject}`, subject, together: 2, type: ['town mail read m-1'] };
  expect(await notifyPerson({ command: ['sh', '-c', 'cat > "$0"', file], limitMs: 5_000 }, notice)).toBe(null);
  const plain = 'pay<U+202E> now<U+200B> <U+E0041>';
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    ...notice,
    text: `mail from nux: ${plain}`,
    subject: plain,
  });
});

test('no text that the command reads holds a secret or the name of a home folder, however deep it stands', async () => {
  const file = join(tempFolder('notify'), 'out');
  const secret = `ghp_${'aB3dE5fG7h'.repeat(3)}J9kL1m`;
  const words = `curl -H "Authorization: Bearer ${secret}" -d @${homedir()}/notes.txt example.org`;
  const asked = { question: words, shows: [words], options: [{ word: 'yes', label: words }] };
  const notice = {
    ...NOTICE,
    episode: 'needs-input/x',
    text: words,
    root: homedir(),
    ask: asked,
    type: ['town why x'],
  };
  expect(await notifyPerson({ command: ['sh', '-c', 'cat > "$0"', file], limitMs: 5_000 }, notice)).toBe(null);
  const read = readFileSync(file, 'utf8');
  expect(read).not.toContain(secret);
  expect(read.match(/example\.org/g)).toHaveLength(4);
  expect(read.split('"').filter((one) => one.includes(homedir()))).toEqual([]);
  expect(JSON.parse(read)).toMatchObject({ schema: 'notice/1', episode: 'needs-input/x', type: ['town why x'] });
});

test.each([
  [['false'], 20_000, 'exit code 1'],
  [['/no/such/program'], 20_000, 'could not be run'],
  [['sleep', '60'], 100, 'it has 100 ms'],
  [[], 20_000, 'name a program'],
])('%j within %i ms fails in one sentence: %s', async (command, limitMs, text) => {
  expect(await notifyPerson({ command, limitMs }, NOTICE)).toContain(text);
});

test('a command that reads nothing is fine, and a broken one is complained about once', async () => {
  expect(await notifyPerson({ command: ['true'], limitMs: 5_000 }, { ...NOTICE, text: 'x'.repeat(500_000) })).toBe(
    null,
  );
  const complaints: string[] = [];
  const reported = complainingOnce((text) => complaints.push(text));
  for (const command of [['false'], ['false'], ['true'], ['false']])
    await reported(notifyPerson({ command, limitMs: 5_000 }, NOTICE));
  expect(complaints).toHaveLength(2);
});

test('systemd is told only where it asked to be', async () => {
  const bin = tempFolder('notify');
  const said = join(bin, 'said');
  writeFileSync(join(bin, 'systemd-notify'), `#!/bin/sh\necho "$2" >> ${said}\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, NOTIFY_SOCKET: '/run/x', WATCHDOG_USEC: '3000000' };
  const complaints: string[] = [];
  const systemd = createSystemd(env, 5_000, (text) => complaints.push(text));
  systemd.ready();
  for (const now of [0, 10, 500, 999, 1_000, 1_500]) systemd.progress(now);
  const lines = (): string[] =>
    (statSync(said, { throwIfNoEntry: false }) ? readFileSync(said, 'utf8') : '').split('\n');
  await vi.waitFor(() => expect(lines().sort()).toEqual(['', 'READY=1', 'WATCHDOG=1', 'WATCHDOG=1']), WAIT);
  systemd.stopping();
  await vi.waitFor(() => expect(lines()).toContain('STOPPING=1'), WAIT);
  createSystemd({}, 5_000, (text) => complaints.push(text)).ready();
  expect(complaints).toEqual([]);
});

// Rules: P-16.
test('the log has no tokens in it, and turns over when it is full', async () => {
  const root = tempFolder('notify');
  const { mkdirSync } = await import('node:fs');
  mkdirSync(join(root, 'daemon'));
  const policy = { logBytes: 2_000, logFiles: 3, watchEveryMs: 5 };
  const log = openLog({ root, level: 'info', policy });
  onTestFinished(() => log.close());
  log.logger.info(
    { token: 'abcdef0123456789', why: 'env TOWN_TOKEN=abcdef0123456789 x' },
    'TOWN_TOKEN="abcdef0123456789"',
  );
  log.logger.debug('not said');
  const file = join(root, 'daemon', 'daemon.log');
  expect(readFileSync(file, 'utf8')).not.toContain('abcdef0123456789');
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(2);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (let n = 0; n < 20; n += 1) {
    log.logger.info('x'.repeat(500));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await vi.waitFor(() => expect(statSync(`${file}.2`).size).toBeGreaterThan(0), WAIT);
  expect(statSync(`${file}.3`, { throwIfNoEntry: false })).toBe(undefined);
  log.logger.info('still here');
  expect(readFileSync(file, 'utf8')).toContain('still here');
});

test('tokens are found however they are written', () => {
  for (const text of ['TOWN_TOKEN=ab12', 'TOWN_TOKEN="ab12"', '"TOWN_TOKEN":"ab12"', '{\\"TOWN_TOKEN\\":\\"ab12\\"}']) {
    expect(withoutTokens(text)).not.toContain('ab12');
  }
});
