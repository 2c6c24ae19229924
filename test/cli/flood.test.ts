/** What is repeated ten thousand times costs `status` and `mail inbox` at most twice what a town at rest costs them. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { MAIN, TestTown } from './town.ts';

const LETTERS = 10_000;
const ROUNDS = 5;
/** A program says how much CPU it took when it ends: other work on the machine changes that little. */
const REPORT = 'data:text/javascript,process.on("exit",()=>console.error(`cpu ${process.cpuUsage().user}`))';

/** CPU in µs. */
function costOf(town: TestTown, words: readonly string[]): number {
  const args = ['--import', REPORT, MAIN, '--root', town.root, ...words];
  const { stderr, status } = spawnSync(process.execPath, args, { env: town.env(), cwd: town.home, encoding: 'utf8' });
  // `status` of a town that is down ends with 3.
  expect([0, 3]).toContain(status);
  return Number(/^cpu (\d+)$/m.exec(stderr)?.[1]);
}

function flood(town: TestTown): void {
  for (let nth = 0; nth < LETTERS; nth += 1) {
    const at = Date.UTC(2026, 0, 1) + nth;
    const id = `m-${at}-${(0x10000000 + nth).toString(16)}`;
    const words = { id, from: 'nux', to: 'overseer', subject: `letter ${nth}`, body: 'text' };
    const flags = { via: 'agent', urgent: false, needs_response: false };
    const letter = { schema: 'mail/1', ...words, sent_at: new Date(at).toISOString(), ...flags };
    town.write(`mail/overseer/new/${id}.json`, JSON.stringify(letter));
  }
}

// Rules: law 8.
test('ten thousand letters: both commands take at most twice the CPU that they take without any', () => {
  const [idle, full] = [new TestTown(), new TestTown()];
  flood(full);
  for (const words of [['status'], ['mail', 'inbox']]) {
    const costs = Array.from({ length: ROUNDS }, () => [costOf(idle, words), costOf(full, words)] as const);
    const least = (which: 0 | 1): number => Math.min(...costs.map((pair) => pair[which]));
    expect(least(1) / least(0), `town ${words.join(' ')}`).toBeLessThanOrEqual(2);
  }
});

test('status names a page of them and counts all', async () => {
  const town = new TestTown();
  flood(town);
  const { mail, mail_count: count } = await town.data<{ mail: unknown[]; mail_count: number }>('status');
  expect(count).toBe(LETTERS);
  expect(mail.length).toBeLessThan(LETTERS / 10);
});

test('a number in the list of a full mailbox opens that letter', async () => {
  const town = new TestTown();
  flood(town);
  const { stdout } = await town.run('mail', 'inbox');
  const [, number = '', id] = /^ *(\d+) +(m-\S+)/m.exec(stdout) ?? [];
  await expect(town.data('mail', 'read', number)).resolves.toMatchObject({ id });
});
