/** Tickle on real tmux: real agents fall silent, answer or do not, and the town is killed in between. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { killHard, MAIN, TestTown, until } from '../../cli/town.ts';

/** Short, but long enough for a busy machine: a start of the town takes a second. */
const CONFIG = `[tickle]
enabled = true
threshold = "4s"
scan = "500ms"
ack = "8s"
grace = "10ms"
`;

interface Evidence {
  readonly kind: string;
  readonly text: string;
}
interface Status {
  readonly on: boolean;
  readonly pages: readonly { readonly agent: string; readonly step: string }[];
  readonly unwritten: number;
}

let town: TestTown;
beforeEach(() => (town = new TestTown(CONFIG)));

const command = (...words: string[]): string => [process.execPath, MAIN, ...words].join(' ');
/** An agent that says what it reads, and answers each nudge where it is told to. */
function reader(answers: boolean): readonly string[] {
  const file = join(town.home, answers ? 'answers' : 'deaf');
  const answer = answers ? `case "$line" in *Nudge:*) ${command('evidence', 'add', 'still-at-it')} ;; esac` : ':';
  writeFileSync(file, `#!/bin/bash\nwhile read -r line; do echo "read $line" >> "$0.read"; ${answer}; done\n`, {
    mode: 0o755,
  });
  return [file];
}
const read = (name: string): number => {
  try {
    return readFileSync(join(town.home, `${name}.read`), 'utf8').match(/Nudge: No sign of you/g)?.length ?? 0;
  } catch {
    return 0; // It read nothing yet.
  }
};
const noted = async (kind: string): Promise<Record<string, unknown>[]> =>
  (await town.data<Evidence[]>('evidence', 'list', '--author', 'tickle', '--limit', '500'))
    .filter((one) => one.kind === kind)
    .map(({ text }) => JSON.parse(text) as Record<string, unknown>);
const status = (): Promise<Status> => town.data<Status>('tickle', 'status');

// Rules: T-1, T-2, T-3.
test('an agent that answers its nudge is left alone, and its page is on record with what woke it', async () => {
  await town.up();
  await town.agent('answers', reader(true));
  await until(() => read('answers') > 0);
  const [ended] = await until(
    () => noted('par'),
    (pars) => pars.some(({ what }) => what === 'ended'),
  );
  expect(ended).toMatchObject({ agent: 'answers', woken_by: 'pane', sign: 'note' });
  expect(await noted('page')).toMatchObject([{ agent: 'answers', paged: true, method: 'pane' }]);
  expect(await noted('escalation')).toEqual([]);
  expect((await town.episodes()).filter((episode) => episode.startsWith('silent-agent'))).toEqual([]);
});

// Rules: T-2, T-4, T-6, I-2.
test('one that does not is nudged once, over a kill of the town, then told to a person; a new sign ends that', async () => {
  await town.up();
  await town.agent('deaf', reader(false));
  await until(() => read('deaf') === 1);
  killHard((await town.status()).pid);
  await until(async () => (await town.episodes()).includes('silent-agent/deaf'));
  killHard((await town.status()).pid);
  await town.status(({ running }) => running);
  await until(status, ({ unwritten }) => unwritten === 0);
  expect(read('deaf')).toBe(1);
  expect(await noted('escalation')).toMatchObject([
    { agent: 'deaf', reason: 'unanswered', tried: [{ method: 'pane', paged: true }] },
  ]);
  const [alert] = (
    await town.data<{ episode: string; asks: string[] | null; count: number }[]>('alerts', 'list')
  ).filter(({ episode }) => episode === 'silent-agent/deaf');
  expect(alert).toMatchObject({ count: 1 });
  expect((await town.run('evidence', 'add', '--author', 'deaf', '--type', 'note', '--body', '{"n":1}')).code).toBe(0);
  await until(async () => !(await town.episodes()).includes('silent-agent/deaf'));
  expect(await noted('par')).toMatchObject([
    { what: 'ended', agent: 'deaf', woken_by: null, person_alerted: true },
    { what: 'escalated', agent: 'deaf' },
  ]);
  expect(await noted('page')).toHaveLength(1);
});

// Rules: T-1, law 11.
test('neither the words of another agent nor an order by one count; the operator stops it over restarts', async () => {
  await town.up();
  await town.agent('deaf', reader(false));
  town.session('stranger');
  const forged = await town.as('token-of-stranger', 'evidence', 'add', 'it works', '--author', 'deaf');
  expect([forged.code, forged.stderr]).toEqual([5, expect.stringContaining('is not you') as string]);
  const switched = await town.as('token-of-stranger', 'tickle', 'stop');
  expect(switched.code).toBe(5);
  expect((await town.run('tickle', 'stop')).code).toBe(0);
  await town.run('restart');
  expect(await until(status)).toMatchObject({ on: false });
});

// Rules: T-2, T-3.
test('a bell gets who is meant as JSON and types nothing; one that hangs has failed, and the pane is next', async () => {
  const rung = join(town.home, 'rung');
  const script = `who=$(cat); case $who in *deaf*) exec sleep 100 ;; esac; printf %s "$who" > ${rung}`;
  town.configure(`${CONFIG}bell = ${JSON.stringify(['sh', '-c', script])}\n`);
  await town.up();
  await town.agent('waits', ['cat']);
  await town.agent('deaf', reader(false));
  const tries = await until(
    () => noted('page'),
    (pages) => pages.some(({ agent }) => agent === 'deaf') && pages.some(({ agent }) => agent === 'waits'),
  );
  expect(tries.filter(({ agent }) => agent === 'waits')).toMatchObject([{ paged: true, method: 'bell' }]);
  expect(JSON.parse(readFileSync(rung, 'utf8'))).toMatchObject({ agent: 'waits' });
  await until(() => read('deaf') === 1);
  expect((await noted('page')).filter(({ agent, method }) => agent === 'deaf' && method === 'bell')).toMatchObject([
    { paged: false, error: expect.stringContaining('it has 2 s') as string },
  ]);
  expect(await noted('availability')).toHaveLength(2);
});

// Rules: T-1, T-6, law 11.
test('an agent without a command drops files: each is its own record, also one of while the town was down', async () => {
  // A nudge would stand before what the test types.
  town.configure('');
  await town.up();
  const file = join(town.home, 'dropper');
  const words = 'printf \'{"token":"%s","text":"%s"}\' "$TOWN_TOKEN" "$line" > "$TOWN_ROOT/evidence/.new"';
  const move = 'mv "$TOWN_ROOT/evidence/.new" "$TOWN_ROOT/evidence/status.json"';
  writeFileSync(file, `#!/bin/bash\nwhile read -r line; do ${words}; ${move}; done\n`, { mode: 0o755 });
  await town.agent('dropper', [file]);
  const own = async (): Promise<string[]> =>
    (await town.data<Evidence[]>('evidence', 'list', '--author', 'dropper')).map(({ text }) => text);
  const type = (text: string): string => town.tmux('send-keys', '-t', '=dropper:', text, 'Enter');
  type('compiles');
  await until(own, (texts) => texts.includes('compiles'));
  const { pid } = await town.status();
  type('tests');
  killHard(pid);
  type('links');
  town.write('evidence/forged.json', JSON.stringify({ author: 'dropper', text: 'forged' }));
  await until(own, (texts) => texts.includes('links'));
  await until(
    () => town.names('evidence'),
    ({ length }) => length === 0,
  );
  expect(new Set(await own()).size).toBe((await own()).length);
  expect(await own()).not.toContain('forged');
  expect(town.names('quarantine').filter((name) => name.endsWith('forged.json'))).toHaveLength(1);
});
