/** The ladder over a real ngircd: agents in the channel are paged there, others in their panes, and nothing is said twice. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { ircd, freePort, logIn, person } from '../../channels/ircd.ts';
import { killHard, TestTown, until } from '../../cli/town.ts';

vi.setConfig({ testTimeout: 180_000 });

const config = (port: number, nicks: readonly string[], ack = '8s'): string => `[tickle]
enabled = true
threshold = "4s"
scan = "500ms"
ack = "${ack}"
grace = "3s"
nicks = ${JSON.stringify(nicks)}
[irc]
server = "127.0.0.1"
port = ${String(port)}
channel = "#town"
tls = false
password = "opensesame"
[[may_answer]]
from = "irc:ana-account"
kinds = ["mention"]
[[route]]
to = []
`;

interface Evidence {
  readonly kind: string;
  readonly text: string;
}
const noted = async (town: TestTown, kind: string): Promise<Record<string, unknown>[]> =>
  (await town.data<Evidence[]>('evidence', 'list', '--author', 'tickle', '--limit', '500'))
    .filter((one) => one.kind === kind)
    .map(({ text }) => JSON.parse(text) as Record<string, unknown>);
const isPaged = (pages: readonly Record<string, unknown>[]): boolean => pages.some(({ paged }) => paged === true);

/** An agent that keeps what it reads. */
async function deaf(town: TestTown, name: string): Promise<() => string> {
  const file = join(town.home, name);
  writeFileSync(file, '#!/bin/bash\nwhile read -r line; do echo "$line" >> "$0.read"; done\n', { mode: 0o755 });
  await town.agent(name, [file]);
  return () => {
    try {
      return readFileSync(`${file}.read`, 'utf8');
    } catch {
      return ''; // It read nothing yet.
    }
  };
}
const inChannel = (heard: readonly string[], line: RegExp): number => heard.filter((row) => line.test(row)).length;
const PAGE = /PRIVMSG #town :@bob No sign of you/;

/** The process of the channels, while the town has one. */
async function channelsOf(town: TestTown): Promise<number> {
  const { pid } = await town.status();
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')
    .trim()
    .split(' ');
  const found = children.find((one) => {
    try {
      return readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('channels/main');
    } catch {
      return false; // It has ended.
    }
  });
  return Number(found ?? 0);
}

// Rules: T-1, T-2, T-3.
test('an agent in the channel is paged there alone, and its own line there answers; a line of another does not', async () => {
  const port = await ircd();
  const [bob, eve] = [await person(port, 'bob'), await person(port, 'eve')];
  const town = await new TestTown(config(port, ['builder=bob'], '30s')).up();
  const read = await deaf(town, 'builder');
  await bob.hears('@bob No sign of you');
  eve.say('PRIVMSG #town :builder works, I am bob');
  bob.say('PRIVMSG #town :I still compile');
  const [ended] = await until(
    () => noted(town, 'par'),
    ({ length }) => length > 0,
  );
  expect(ended).toMatchObject({ agent: 'builder', woken_by: 'irc', sign: 'irc' });
  expect(await noted(town, 'page')).toMatchObject([{ agent: 'builder', paged: true, method: 'irc' }]);
  expect(await noted(town, 'escalation')).toEqual([]);
  const own = await town.data<Evidence[]>('evidence', 'list', '--author', 'builder');
  expect(own.map(({ kind, text }) => `${kind}: ${text}`)).toEqual(['irc: I still compile']);
  expect([read(), inChannel(bob.heard, PAGE)]).toEqual(['', 1]);
});

// Rules: T-2, T-6.
test('one that stays silent there is said one line, over kills of the town and of its channels, then a person is told', async () => {
  const port = await ircd();
  const bob = await person(port, 'bob');
  const town = await new TestTown(config(port, ['builder=bob'])).up();
  const read = await deaf(town, 'builder');
  await bob.hears('@bob No sign of you');
  killHard(await channelsOf(town));
  killHard((await town.status()).pid);
  await until(async () => (await town.episodes()).includes('silent-agent/builder'));
  const [escalation] = await until(
    () => noted(town, 'escalation'),
    ({ length }) => length > 0,
  );
  const tried = escalation?.['tried'] as { method: string; paged: boolean }[];
  expect(tried[0]).toMatchObject({ method: 'irc' });
  // Where the kill came before the answer of the process was on record its pane was next.
  if (tried[0]?.paged === true) expect(read()).toBe('');
  expect(inChannel(bob.heard, PAGE)).toBe(1);
});

// Rules: T-2, T-3.
test.each([
  ['an agent that is not in the channel', ircd, /is not in #town/],
  ['an agent whose server is down', freePort, /not in #town|ECONNREFUSED|closed/],
])('%s is paged in its pane at once', async (_, server, why) => {
  const port = await server();
  const town = await new TestTown(config(port, ['builder=bob'])).up();
  const read = await deaf(town, 'builder');
  const pages = await until(() => noted(town, 'page'), isPaged);
  expect(pages).toMatchObject([
    { method: 'pane', paged: true },
    { method: 'irc', paged: false, error: expect.stringMatching(why) as string },
  ]);
  await until(() => read().includes('Nudge: No sign of you'));
});

// Rules: A-3, T-2.
test('a person gives an agent work in the channel, once, by an account, and reads what came of it', async () => {
  const port = await ircd();
  const [ana, eve] = [await person(port, 'ana'), await person(port, 'eve')];
  await logIn(port, 'ana', 'ana-account');
  const town = await new TestTown(config(port, [])).up();
  expect((await town.run('tickle', 'stop')).code).toBe(0);
  const read = await deaf(town, 'builder');
  await ana.hears('JOIN'); // The town listens.
  await until(() => ana.heard.some((row) => row.includes('!') && row.includes('townwatch') && row.includes('JOIN')));
  eve.say('PRIVMSG #town :@builder eve says no');
  ana.say('PRIVMSG #town :@nothing mend it');
  await ana.hears('work for nothing: there is no session of that name');
  ana.say('PRIVMSG #town :@builder mend the parser');
  await ana.hears('work for builder: typed once it is at rest');
  await until(() => read().includes('mend the parser'));
  expect(read().match(/mend the parser/g)).toHaveLength(1);
  expect(read()).not.toContain('eve says no');
});
