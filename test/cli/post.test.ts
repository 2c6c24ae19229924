/** Mail for the person (C-16): the command that they named hears of it, from any writer, with the town down. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { exits, TestTown } from './town.ts';

let town: TestTown;
beforeEach(() => (town = new TestTown()));

const heard = (): string => join(town.home, 'heard');
const notify = (...command: string[]): void => town.configure(`[notify]\ncommand = ${JSON.stringify(command)}\n`);
const TELLER = ['sh', '-c', 'cat > "$0"; echo "token ${TOWN_TOKEN-none}" >> "$0"'];

// Rules: C-16.
test('a message to the overseer reaches their command, without the token of the agent that wrote it', async () => {
  notify(...TELLER, heard());
  town.session('builder');
  const sent = ['mail', 'send', 'overseer/', '--subject', 'which database?', '--urgent'];
  expect(await town.as('token-of-builder', ...sent)).toMatchObject({ code: 0, stderr: '' });
  const [line = '', token] = readFileSync(heard(), 'utf8').split('\n');
  expect(JSON.parse(line)).toMatchObject({
    schema: 'notice/1',
    kind: 'mail',
    from: 'builder',
    subject: 'which database?',
    urgent: true,
    text: 'mail from builder: which database?',
  });
  expect(token).toBe('token none');
  expect(await town.data('status')).toMatchObject({ mail: [{ subject: 'which database?' }] });
});

test('the help of the flags of a message says what comes of them, and no more', async () => {
  town.session('builder');
  const { stdout } = await town.run('mail', 'send', '--help');
  const help = stdout.replaceAll(/\s+/g, ' ');
  expect(help).not.toMatch(/told again|reminds|until it is/);
  expect(help).toMatch(/--urgent marked ! in the inbox; you are alerted while it is not read/);
  expect(help).toMatch(/--needs-response you are alerted where it has no response for an hour/);
  const flags = ['--subject', 'decide', '--urgent', '--needs-response'];
  await town.run('mail', 'send', 'builder', ...flags);
  expect((await town.run('mail', 'inbox', '--for', 'builder')).stdout).toMatch(/ {2}! decide$/m);
  expect(await town.data('mail', 'inbox', '--for', 'builder')).toMatchObject([{ urgent: true, needs_response: true }]);
});

test('the examples of the help work in a new town, and an office of a rig names the table that it needs', async () => {
  const examples = (await town.run('mail', 'send', '--help')).stdout.match(/(?<=\$ town ).*/g) ?? [];
  expect(examples).toHaveLength(2);
  for (const example of examples) {
    const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    expect(await town.run(...words)).toMatchObject({ code: 0, stderr: '' });
  }
  const office = ['mail', 'send', 'shop/witness', '--subject', 'MERGED 12'];
  exits(await town.run(...office), 2, 'write [rig.shop] into town.toml');
  town.write('town.toml', `${town.read('town.toml')}[rig.shop]\n`);
  expect((await town.run(...office)).code).toBe(0);
});

// Rules: P-11.
test('the person has no letter of an escalation: it waits as a question until a town alerts them', async () => {
  notify('sh', '-c', 'cat >> "$0"', heard());
  town.session('builder');
  const { code, stdout } = await town.as('token-of-builder', 'escalate', 'which?', '-s', 'critical');
  expect([code, stdout]).toEqual([0, expect.stringContaining('a running town alerts the overseer and the mayor')]);
  expect(existsSync(heard())).toBe(false);
  expect(await town.data('mail', 'inbox')).toEqual([]);
  expect(await town.data('questions')).toMatchObject([{ kind: 'escalation', text: 'builder asks: which?' }]);
});

test('mail for others is not theirs, and a command that fails costs a note, not the message', async () => {
  notify(...TELLER, heard());
  town.session('builder');
  expect((await town.run('mail', 'send', 'builder', '--subject', 'merge')).code).toBe(0);
  expect((await town.run('mail', 'send', 'channel/general', '--subject', 'hello')).code).toBe(0);
  expect(existsSync(heard())).toBe(false);
  notify('false');
  const { code, stdout, stderr } = await town.run('mail', 'send', 'overseer', '--subject', 'decide');
  expect([code, stderr]).toEqual([0, expect.stringContaining('[notify] command false ended with exit code 1')]);
  expect(stdout).toContain('is in the mailbox of overseer');
});

// Rules: C-16.
test('what the check counts, inbox and read show: an orchestrator reads the letters of its tag', async () => {
  const { spec } = town.session('boss');
  town.session('boss', { spec: { ...spec, tags: ['orchestrator'] } });
  town.session('builder');
  await town.run('mail', 'send', 'tag/orchestrator', '--subject', 'a worker is ready');
  await town.run('mail', 'send', 'boss', '--subject', 'hello');
  const asBoss = async (...words: string[]) => town.as('token-of-boss', ...words);
  expect((await asBoss('mail', 'check')).stdout).toContain('2 unread messages');
  const listed = await asBoss('--json', 'mail', 'inbox');
  const { data } = JSON.parse(listed.stdout) as { data: { id: string; subject: string }[] };
  expect(data.map(({ subject }) => subject)).toEqual(['a worker is ready', 'hello']);
  expect((await asBoss('mail', 'inbox', 'tag/orchestrator')).stdout).toContain('a worker is ready');
  for (const { id, subject } of data) expect((await asBoss('mail', 'read', id)).stdout).toContain(subject);
  expect((await asBoss('mail', 'check')).stdout).toContain('0 unread messages');
  exits(await town.as('token-of-builder', 'mail', 'inbox', 'tag/orchestrator'), 5, 'is not you');
  exits(await asBoss('mail', 'inbox', 'builder'), 5, 'is not you');
});
