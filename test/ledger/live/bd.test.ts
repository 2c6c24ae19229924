/**
 * `town bd` answers as `bd` 1.0.5 does: the commands of the samples, one after the other as they were recorded, each compared field
 * by field. Only ids, times, the machine's own name of a person and durations differ.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestTown } from '../../cli/town.ts';
import { idIn, leveled } from '../bd-answers.ts';

interface Sample {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly exit: number;
  readonly stdout: unknown;
  readonly stderr: string;
}

const SAMPLES = [
  'create-task',
  'create-dep',
  'create-legacy',
  'create-silent',
  'create-second',
  'dep-add',
  'ready',
  'ready-legacy',
  'blocked',
  'update-claim',
  'update-claim-taken',
  'update-status',
  'update-hooked',
  'update-labels',
  'update-metadata',
  'comment-add',
  'comments',
  'show',
  'show-legacy',
  'show-many',
  'show-missing',
  'update-missing',
  'list-hooked',
  'list-all',
  'list-legacy',
  'list-empty',
  'create-mail',
  'list-mail',
  'create-wisp',
  'list-wisp-by-list',
  'mol-wisp-list',
  'show-wisp',
  'close-wisp',
  'agent-create',
  'agent-list',
  'close',
  'close-again',
  'close-suggest',
  'reopen',
  'ping',
  'version',
];

/** It was not kept, but what follows needs its bead. */
const SECOND: Sample = {
  command: ['bd', 'create', 'Second', '-p', '2', '--json'],
  env: { BD_JSON_ENVELOPE: '1' },
  exit: 0,
  stdout: {
    schema_version: 1,
    data: {
      id: 'tt-71z',
      title: 'Second',
      status: 'open',
      priority: 2,
      issue_type: 'task',
      owner: 'fake',
      created_by: 'fake',
      created_at: '2026-11-22T19:26:24.5Z',
      updated_at: '2026-11-22T19:26:24.5Z',
    },
  },
  stderr: '',
};

const town = new TestTown();

const sampleOf = (name: string): Sample =>
  name === 'create-second'
    ? SECOND
    : (JSON.parse(readFileSync(join(import.meta.dirname, '../bd-samples', `${name}.json`), 'utf8')) as Sample);

/** Theirs -> ours. */
const ids = new Map<string, string>();
const withOurIds = (text: string): string =>
  [...ids].reduce((said, [theirs, ours]) => said.replaceAll(theirs, ours), text);

/** `bd` leaves a polecat's name on a bead that it opens; here the next polecat may begin it. */
const withoutAssignee = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (key, value: unknown) => (key === 'assignee' ? undefined : value)));

test.each(SAMPLES)('%s', async (name) => {
  const sample = sampleOf(name);
  const words = ['bd', ...sample.command.slice(1).map(withOurIds)];
  const at = words.indexOf('--');
  const root = ['--root', town.root];
  const argv = at < 0 ? [...words, ...root] : [...words.slice(0, at), ...root, ...words.slice(at)];
  const { code, stdout, stderr } = await town.bare(argv, { env: { ...sample.env, BEADS_ACTOR: 'fake' } });
  const wanted = name === 'reopen' ? withoutAssignee(sample.stdout) : sample.stdout;
  const isText = typeof sample.stdout === 'string';
  const ours: unknown = isText ? stdout : JSON.parse(stdout === '' ? 'null' : stdout);
  const [mine, theirs] = [idIn(ours), idIn(sample.stdout)];
  if (name.startsWith('create') && mine !== undefined && theirs !== undefined) ids.set(theirs, mine);
  expect([code, withOurIds(sample.stderr)]).toEqual([sample.exit, stderr]);
  expect(leveled(ours, withOurIds)).toEqual(leveled(wanted, withOurIds));
});

test('what bd has and the town does not is an unknown command, exit 1, nothing on stdout', async () => {
  for (const [words, says] of [
    [['frobnicate'], /^Error: unknown command/],
    [['list', '--no-such'], /^Error: /],
  ] as const)
    expect(await town.run('bd', ...words)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(says) as string,
    });
});

test('a hook is not taken from its holder, and what waits is not closed', async () => {
  const [id = ''] = (await town.run('bd', 'create', 'taken', '--silent')).stdout.split('\n');
  const hookTo = (agent: string) => town.run('bd', 'update', id, '--status=hooked', `--assignee=${agent}`);
  expect((await hookTo('one')).code).toBe(0);
  const stderr = `Error hooking ${id}: issue already hooked by one\n`;
  expect(await hookTo('other')).toMatchObject({ code: 1, stdout: '', stderr });
  expect((await town.run('bd', 'update', id, '--status=open', '--assignee=')).code).toBe(0);
  expect((await hookTo('other')).code).toBe(0);
  const [later = ''] = (await town.run('bd', 'create', 'later', '--deps', id, '--silent')).stdout.split('\n');
  expect((await town.run('bd', 'close', later)).stderr).toContain(`blocked by open issues [${id}] (use --force`);
  expect((await town.run('bd', 'dep', 'remove', later, id)).code).toBe(0);
  expect((await town.run('bd', 'close', later)).code).toBe(0);
});

test('the verbs of wisps and gates that patrols use', async () => {
  const { stdout } = await town.run('bd', 'mol', 'wisp', 'mol-witness-patrol', '--json');
  const { new_epic_id: id } = JSON.parse(stdout) as { new_epic_id: string };
  expect((await town.run('bd', 'list', '--wisp', '--status=open')).stdout).toContain('mol-witness-patrol');
  const squashed = await town.run('bd', 'mol', 'squash', id, '--summary', 'patrol 1: nothing', '--json');
  const { digest_id: digest } = JSON.parse(squashed.stdout) as { digest_id: string };
  expect((await town.run('bd', 'show', id)).code).toBe(1);
  expect((await town.run('bd', 'show', digest)).stdout).toContain('patrol 1: nothing');
  expect((await town.run('bd', 'gate', 'check', '--type=timer', '--escalate')).stdout).toBe(
    '0 gates, 0 expired, 0 escalated\n',
  );
  expect((await town.run('bd', 'label', 'add', digest, 'seen')).code).toBe(0);
  expect((await town.run('bd', 'list', '--all', '--label=seen')).stdout).toContain(digest);
});
