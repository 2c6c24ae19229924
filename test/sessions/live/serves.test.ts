/**
 * A program that serves its state where it is started so (M-2), on a real tmux: behind a password of its life alone, heard by the town,
 * and answered by the id of its question.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { TestTown, until } from '../../cli/town.ts';
import { environmentOf } from '../../tmux/yard.ts';

const SERVER = join(import.meta.dirname, '../../sources/programs/opencode.ts');
const TOML = '[sessions]\nscan_every = "100ms"\n';
const PERMISSION = { id: 'per_1', sessionID: 'ses_1', permission: 'bash', patterns: ['touch x'], always: ['touch *'] };
const ASKING = {
  '/session/status': { ses_1: { type: 'busy' } },
  '/session/ses_1': { id: 'ses_1' },
  '/permission': [PERMISSION],
  '/question': [],
};

let town: TestTown;
let program: string;
let answers: string;

beforeEach(async () => {
  town = new TestTown(TOML);
  answers = join(town.home, 'answers');
  writeFileSync(answers, JSON.stringify(ASKING));
  // As npm installs it: its package names the version.
  const folder = join(town.home, 'node_modules/opencode-ai');
  program = join(folder, 'bin/opencode');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'opencode-ai', version: '1.18.33', type: 'module' }),
  );
  const script = `#!${process.execPath}\nprocess.argv.splice(2, 0, ${JSON.stringify(answers)});\nawait import(${JSON.stringify(SERVER)});\n`;
  writeFileSync(program, script, { mode: 0o755 });
  await town.data('up');
});

interface Shown {
  readonly pid: number;
  readonly command: readonly string[];
  readonly screen: { readonly state: string; readonly source: string | null } | null;
}
interface Ask {
  readonly id: string;
  readonly kind: string;
  readonly options: readonly { readonly key: string }[];
}
const shown = (): Promise<Shown> => town.data<Shown>('session', 'status', 'oc');
const wordsOf = (pid: number): string[] => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1, -1);

const PLAIN = { text: 'none', for_desk: false, by_name: false };

// Rules: M-2, A-1, A-2, law 11.
test('it is heard by its password, which stands nowhere else, and is answered without a key', async () => {
  await town.agent('oc', [program]);
  const { pid } = await until(shown, ({ screen }) => screen?.source === 'opencode server');
  expect(wordsOf(pid)).toEqual([program, '--port', '0', '--hostname', '127.0.0.1']);
  const { OPENCODE_SERVER_PASSWORD: password = '', TOWN_TOKEN: token } = environmentOf(pid);
  expect(password).toMatch(/^\w{20,}/);
  expect(password).not.toBe(token);
  expect((await town.run('session', 'show', 'oc')).stdout).not.toContain(password);
  const [ask] = await until(
    async () => (await town.data<Ask[]>('ask', 'list')).filter(({ kind }) => kind === 'dialog'),
    // Before its alert there is nothing to put off.
    ([first]) => first?.options.some(({ key }) => key === 'seen') === true,
  );
  expect(ask).toEqual({
    id: expect.stringMatching(/^request-\d{15}$/) as string,
    session: 'oc',
    kind: 'dialog',
    text: 'oc asks: bash: touch x?',
    options: [
      { key: 'yes', label: 'Allow once', gives: 'allow this once: choose "Allow once"', ...PLAIN },
      { key: 'no', label: 'Reject', gives: 'refuse: choose "Reject"', ...PLAIN },
      { key: 'seen', label: 'seen', gives: 'no further alert; it stands in this list until it is over', ...PLAIN },
    ],
    way: 'request',
    since: expect.stringMatching(/^\d{4}-/) as string,
    acknowledged: false,
    alerts: ['needs-input/oc'],
    expires_at: null,
    rule: null,
  });
  const { id } = ask ?? { id: '' };
  expect((await town.run('ask', 'show', id)).stdout).toContain('only in its pane: "Allow always"');
  const said = await town.run('ask', 'answer', id, 'yes');
  expect(said).toMatchObject({ code: 0 });
  expect(said.stdout).toContain('oc was answered with "Allow once"');
  expect(readFileSync(`${answers}.posted`, 'utf8')).toBe('/permission/per_1/reply {"reply":"once"}\n');
  const late = await town.run('ask', 'answer', id, 'no');
  expect(late).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('it was answered, or its cause is over') as string,
  });
  expect(readFileSync(`${answers}.posted`, 'utf8')).not.toContain('reject');
  await until(
    () => town.data<{ kind: string }[]>('questions'),
    (all) => all.length === 0,
  );
});

// Rules: A-1, law 1.
test('before a killed town looked at it again its question is not over: it is answered', async () => {
  // No alert of it is on record.
  town.configure(`${TOML}[hands]\nasks_after = "60s"\n`);
  await town.data('restart');
  await town.agent('oc', [program]);
  const dialogs = async (): Promise<Ask[]> =>
    (await town.data<Ask[]>('ask', 'list')).filter(({ kind }) => kind === 'dialog');
  const [ask] = await until(dialogs, (all) => all.length > 0);
  const { id, options } = ask ?? { id: '', options: [] };
  expect(options.map(({ key }) => key)).toEqual(['yes', 'no']);
  process.kill((await town.data<{ pid: number }>('status')).pid, 'SIGKILL');
  expect(await town.run('ask', 'answer', id, 'yes')).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(`${answers}.posted`, 'utf8')).toBe('/permission/per_1/reply {"reply":"once"}\n');
  await town.data('down');
  expect(await town.run('ask', 'answer', id, 'yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not known; start it: town up') as string,
  });
});

// Rules: A-4.
test('its question is put off like any other: it stays in the list, marked, and its alert is acknowledged', async () => {
  await town.agent('oc', [program]);
  const questions = () => town.data<{ kind: string; number: number; isAcked: boolean }[]>('questions');
  await until(
    () => town.data<unknown[]>('alerts', 'list'),
    (all) => all.length > 0,
  );
  const [one] = await until(questions, ([first]) => first?.kind === 'dialog');
  expect((await town.run('answer', String(one!.number), 'seen')).stdout).toContain('needs-input/oc is acknowledged');
  expect(await questions()).toMatchObject([{ number: one!.number, isAcked: true }]);
  expect(await town.data('alerts', 'list')).toMatchObject([{ episode: 'needs-input/oc', acked: { by: 'operator' } }]);
});

test('a password that its command takes away opens no port', async () => {
  await town.agent('oc', ['env', 'OPENCODE_SERVER_PASSWORD=', program]);
  const { pid } = await until(shown, (now) => now.pid > 0);
  await until(
    () => Promise.resolve(readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
    (words) => words.includes(program),
  );
  expect(wordsOf(pid)).not.toContain('--port');
});

test('a port of its own command is left alone, and no password is given', async () => {
  await town.agent('oc', [program, '--port', '0']);
  const { pid } = await until(shown, (now) => now.pid > 0);
  await until(
    () => Promise.resolve(wordsOf(pid)),
    (words) => words.length > 1,
  );
  expect(wordsOf(pid)).toEqual([program, '--port', '0']);
  expect(environmentOf(pid)).not.toHaveProperty('OPENCODE_SERVER_PASSWORD');
});
