/** A whole town: its letters, cases, gates and escalations are at the phone with their answers, and each is answered there, once, by its id. */
import { expect, test, vi } from 'vitest';
import { putPolecat } from '../../cli/polecats.ts';
import { TestTown } from '../../cli/town.ts';
import { environmentOf } from '../../tmux/yard.ts';
import { NtfyServer, type Published } from '../ntfy.ts';

const WAIT = { timeout: 60_000, interval: 20 };

const toml = (url: string, kinds: string): string => `
[ledger]
look_every = "200ms"
[ntfy]
url = "${url}"
topic = "town"
reply_topic = "answers"
[[may_answer]]
from = "ntfy"
kinds = [${kinds}]
options = ["*"]
`;
const ALL = '"letter", "case", "escalation", "gate"';

async function townWithPhone(kinds = ALL) {
  const server = await NtfyServer.start();
  const town = await new TestTown(toml(server.url, kinds)).up();
  const sent = (): string =>
    server
      .on('town')
      .map(({ message }) => message)
      .join('\n---\n');
  const came = async (words: RegExp): Promise<Published> =>
    vi.waitFor(() => {
      const found = server.on('town').find(({ message }) => words.test(message));
      expect(found, sent()).toBeDefined();
      return found!;
    }, WAIT);
  return { server, town, came, sent };
}
const labels = ({ actions = [] }: Published): string[] => actions.map(({ label }) => label);
/** Publishes again what a button publishes. */
const bodyOf = ({ actions = [] }: Published, label: string): string =>
  actions.find((one) => one.label === label)?.body ?? '';

// Rules.
test('a letter of an agent is answered from the phone in words, once, and the agent has them', async () => {
  const { server, town, came, sent } = await townWithPhone();
  await town.agent('builder', ['sleep', '1000']);
  const token = environmentOf(town.life('builder')?.agent.pid ?? 0)['TOWN_TOKEN'] ?? '';
  const words = ['--subject', 'which database?', '--body', 'two fit', '--needs-response'];
  expect((await town.as(token, 'mail', 'send', 'overseer', ...words)).code).toBe(0);
  const letter = await came(/which database\?/);
  expect(letter.message).toContain('| two fit');
  expect(labels(letter)).toEqual(['seen']);
  const line = /^(q\d+ \w+ reply) <your text>$/m.exec(letter.message)?.[1] ?? '';
  server.publish('answers', line);
  await came(/reply needs a text behind it/);
  server.publish('answers', `${line} The one in staging.\nNot the other.`);
  await came(/answered with "reply", on record; your answer is in the mailbox of builder/);
  const mail = await town.data<{ subject: string; body: string }[]>('mail', 'inbox', '--for', 'builder');
  expect(mail).toMatchObject([{ subject: 'Re: which database?', body: 'The one in staging.\nNot the other.' }]);
  server.publish('answers', `${line} Another one.`);
  await came(/over: it was answered before, with reply/);
  expect(await town.data('mail', 'inbox', '--for', 'builder')).toHaveLength(1);
  expect(await town.data('questions')).toEqual([]);
  await vi.waitFor(async () => {
    expect((await town.run('timeline')).stdout).toMatch(
      /the operator by ntfy chose "reply" in the letter \S+: mail from builder: which database\?/,
    );
  }, WAIT);
  expect(sent()).not.toContain('Another one');
}, 180_000);

// Rules: A-4.
test('two letters within a moment come each with its own number and answer', async () => {
  const { server, town, came } = await townWithPhone();
  await town.agent('builder', ['sleep', '1000']);
  const token = environmentOf(town.life('builder')?.agent.pid ?? 0)['TOWN_TOKEN'] ?? '';
  for (const subject of ['which database?', 'which port?'])
    await town.as(token, 'mail', 'send', 'overseer', '--subject', subject, '--body', 'two fit', '--needs-response');
  const lines = await Promise.all(
    [/which database\?/, /which port\?/].map(async (subject) => {
      const { message } = await came(subject);
      return /^(q\d+ \w+ reply) <your text>$/m.exec(message)?.[1] ?? '';
    }),
  );
  server.publish('answers', `${lines[1] ?? ''} 5432`);
  server.publish('answers', `${lines[0] ?? ''} postgres`);
  const bodies = async (): Promise<string[]> =>
    (await town.data<{ subject: string; body: string }[]>('mail', 'inbox', '--for', 'builder'))
      .map(({ subject, body }) => `${subject} ${body}`)
      .toSorted();
  await vi.waitFor(async () => {
    expect(await bodies()).toEqual(['Re: which database? postgres', 'Re: which port? 5432']);
  }, WAIT);
}, 180_000);

// Rules, P-15.
test('a case is decided from the phone, once, except by what it does not show; a gate that was opened at the terminal is over', async () => {
  const { server, town, came } = await townWithPhone();
  const fields = ['triage_type=dirty_polecat', 'agent_bead_id=shop/polecats/nux'];
  const metadata = fields.flatMap((one) => ['--metadata', one]);
  putPolecat(town, 'nux');
  const about = ['--type', 'triage_request', '--description', 'three files changed'];
  await town.run('bead', 'create', 'a case', ...about, ...metadata);
  await town.run('triage', 'run');
  const asked = await came(/three files changed/);
  // What COMMIT_AND_PUSH publishes stands in no message.
  expect(labels(asked)).toEqual(['CONTINUE', 'DISCARD', 'ESCALATE']);
  server.publish('answers', `${bodyOf(asked, 'ESCALATE')} have a look`);
  await came(/answered with "ESCALATE", on record/);
  const [decided] = await town.data<{ id: string }[]>('triage', 'list', '--all');
  expect(await town.data('triage', 'show', decided?.id ?? '')).toMatchObject({
    resolution: { choice: 'ESCALATE', note: 'have a look' },
  });
  server.publish('answers', bodyOf(asked, 'CONTINUE'));
  await came(/over: it was answered before, with escalate/);

  // A gate that only a person opens, and without a time, asks at once.
  const { id } = await town.data<{ id: string }>('bead', 'gate', 'create', 'Publish it', '--type', 'human');
  const own = await came(/work waits for you: Publish it/);
  expect(labels(own)).toEqual(['open']);
  expect(own.message).toContain(`town answer ${id} open`);
  server.publish('answers', bodyOf(own, 'open'));
  await came(/answered with "open", on record/);
  await came(/The gate is open/);
  expect(await town.data('bead', 'gate', 'list')).toEqual([]);

  await town.run('bead', 'gate', 'create', 'Release it', '--type', 'human', '--timeout', '1ms');
  await town.run('bead', 'gate', 'check', '--escalate');
  const shut = await came(/Release it/);
  expect(labels(shut)).toEqual(['open']);
  // At the terminal first: the button comes too late, and says so.
  const gate = (await town.data<{ kind: string; number: string }[]>('questions')).find(({ kind }) => kind === 'gate');
  expect((await town.run('answer', gate?.number ?? '', 'open')).code).toBe(0);
  await server.press('open');
  await came(/over: .*it was answered, or its cause is over/);
}, 180_000);

// Rules: A-3.
test('what no entry allows comes without answers', async () => {
  const { town, came } = await townWithPhone('"permission"');
  await town.run('escalate', 'Which one?', '--severity', 'high', '--reason', 'two fit');
  const one = await came(/Which one\?/);
  expect([labels(one), one.message]).toEqual([[], expect.not.stringContaining('To choose')]);
}, 180_000);
