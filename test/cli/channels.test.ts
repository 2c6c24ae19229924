/** `town channel`, and what is shown of secrets. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WebServer } from '../channels/server.ts';
import { TestTown } from './town.ts';

const SECRET = 'tk_verysecret';

test('a test message says what the server said; the list counts, and no secret is shown', async () => {
  const server = await WebServer.start();
  const town = new TestTown();
  const file = join(town.home, 'token');
  writeFileSync(file, `${SECRET}\n`);
  town.configure(
    `[ntfy]\nurl = "${server.url}"\ntopic = "town"\ntoken = { file = "${file}" }\n[slack]\nurl = "${server.url}/${SECRET}"\n`,
  );
  expect(await town.run('channel', 'test', 'ntfy')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('ntfy took a test message: HTTP 200') as string,
  });
  expect(server.got[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
  expect(await town.run('channel', 'test', 'slack')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not as this service does') as string,
  });
  expect(await town.run('channel', 'test', 'irk')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('configured: ntfy, slack') as string,
  });
  expect(await town.data('channel', 'list')).toMatchObject([
    {
      channel: 'ntfy',
      waiting: 0,
      delivered: 1,
      last_at: expect.stringMatching(/Z$/) as string,
      said: expect.stringMatching(/^HTTP 200/) as string,
    },
    { channel: 'slack', delivered: 0, last_at: null },
  ]);
  town.configure(`[webhook]\nurl = "${server.url}/${SECRET}"\n[discord]\nurl = "${server.url}/${SECRET}"\n`);
  const shown = await town.run('config', 'show');
  expect(shown.stdout).toContain('(a secret)');
  expect(shown.stdout).not.toContain(SECRET);
});

test('without a town what waits is delivered by a command, once', async () => {
  const server = await WebServer.start();
  const town = new TestTown(`[ntfy]\nurl = "${server.url}"\ntopic = "town"\n`);
  await town.run('mail', 'send', 'overseer', '--subject', 'which database?', '--needs-response');
  expect(server.got).toEqual([]);
  expect(await town.data('channel', 'deliver')).toEqual({ waiting: 0 });
  expect(await town.data('channel', 'deliver')).toEqual({ waiting: 0 });
  expect(server.bodies.map(({ message }) => String(message).split('\n')[0])).toEqual([
    'mail from overseer: which database?',
  ]);
  server.answer = { status: 500 };
  await town.run('mail', 'send', 'overseer', '--subject', 'and now?', '--urgent', '--needs-response');
  expect(await town.run('channel', 'deliver')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('1 message left') as string,
  });
}, 60_000);

// Rules: law 8.
test('the list counts what goes out on a channel, says what failed last, and which budget is spent', async () => {
  const server = await WebServer.start();
  const town = new TestTown(
    `[ntfy]\nurl = "${server.url}"\ntopic = "town"\n[slack]\nurl = "${server.url}/x"\n[notify]\nper_hour_in_all = 1\n[[route]]\nto = ["ntfy"]\n`,
  );
  const ask = (subject: string) =>
    town.run('mail', 'send', 'overseer', '--urgent', '--subject', subject, '--needs-response');
  server.answer = { status: 500 };
  await ask('which database?');
  await town.run('channel', 'deliver');
  const broken = [
    { channel: 'ntfy', waiting: 1, delivered: 0, said: expect.stringMatching(/HTTP 500/) as string, waits_for: null },
    { channel: 'slack', waiting: 0, said: null },
  ];
  expect(await town.data('channel', 'list')).toMatchObject(broken);
  server.answer = { status: 200 };
  // A test by hand counts in no budget.
  await town.run('channel', 'test', 'ntfy');
  await town.run('channel', 'deliver');
  await ask('and now?');
  expect(await town.data('channel', 'list')).toMatchObject([
    { channel: 'ntfy', waiting: 1, delivered: 2, waits_for: 'notify.per_hour_in_all' },
    { channel: 'slack', waiting: 0, waits_for: null },
  ]);
  expect((await town.run('channel', 'list')).stdout).toMatch(/ntfy +1 until \S+Z: notify\.per_hour_in_all /);
  const held = / channel ntfy: 1 message held back by notify\.per_hour_in_all, the next may go at \d\d:\d\d: /;
  expect((await town.run('status')).stdout).toMatch(held);
}, 120_000);

test('without a channel the list says how to have one', async () => {
  expect(await new TestTown().run('channel', 'list')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('[ntfy]') as string,
  });
});

test.each([
  ['[ntfy]\nurl = "ntfy.sh"\n', 'must be an address'],
  ['[[route]]\nto = ["irk"]\n', '"irk" is no channel'],
  ['[[route]]\nto = ["ntfy"]\n', 'route[1].to: "ntfy" is not configured; set ntfy.topic, or leave it out'],
  ['[[route]]\nto = ["command"]\n', 'route[1].to: "command" is not configured; set notify.command, or leave it out'],
  ['[[route]]\nto = ["ntfy"]\nquiet = "22-7"\n', 'must be hours of a day'],
  ['[route]\nto = ["ntfy"]\n', 'write [[route]]'],
  [`[ntfy]\ntoken = ["${SECRET}"]\n`, '(a secret): must be a text'],
  [`[webhook]\nurl = "${SECRET}"\n`, '(a secret): must be an address'],
])('%j is refused', async (toml, why) => {
  const town = new TestTown();
  town.configure(toml);
  const { code, stderr, stdout } = await town.run('config', 'check');
  expect(code).toBe(2);
  expect(stderr + stdout).toContain(why);
  expect(stderr + stdout).not.toContain(SECRET);
});

test('a misspelt variable or setting of a channel is told without its value', async () => {
  const town = new TestTown();
  const set = await town.run('--set', `slack.uri=${SECRET}`, 'config', 'check');
  const env = await town.bare(['--root', town.root, 'config', 'check'], { env: { TOWN_SLACK_URI: SECRET } });
  expect(env.stderr + env.stdout).toContain('$TOWN_SLACK_URI = (not shown): unknown key');
  for (const { code, stderr, stdout } of [set, env]) {
    expect(code).toBe(2);
    expect(stderr + stdout).not.toContain(SECRET);
  }
});
