/** Ids by their beginning, their number or their session, and a bare `town`: as a person types them, with the town down. */
import { beforeEach, describe, expect, test } from 'vitest';
import { realDisk } from '../../state/files/disk.ts';
import { episode, putAlerts } from '../state/make.ts';
import { withServer } from '../tmux/server.ts';
import { MAIN, TestTown, until } from './town.ts';

const OLD = 'dog-1763905393123';
const OPEN = 'dog-1763905400456';
const CLOSED = { stage: 'closed', verdict: 'pardoned', reason: 'answered: code', closedAt: 9_000 } as const;

let town: TestTown;
beforeEach(() => {
  town = new TestTown();
  town.session('builder');
  town.session('other');
  town.dance(OLD, 'other', CLOSED);
  town.dance(OPEN, 'builder');
});

describe('a hearing and its warrant', () => {
  test.each([OPEN, 'dog-17639054', '456', 'builder', 'buil', `w-${OPEN}`])('%s is one of the two', async (word) => {
    expect(await town.data('dog', 'show', word)).toMatchObject({ id: OPEN });
    expect((await town.run('why', word)).stdout).toContain('builder');
  });

  test('what a session showed is found by a beginning of its name too: that only looks', async () => {
    for (const word of ['buil', 'builder'])
      expect(await town.data('session', 'logs', word)).toMatchObject({ name: 'builder' });
  });

  test('stand in their lists with the number that finds them, also what is over', async () => {
    for (const list of [
      ['dog', 'dances', '--all'],
      ['warrant', 'list', '--all'],
    ]) {
      const { stdout } = await town.run(...list);
      expect(stdout).toMatch(/^# /);
      expect(stdout).toMatch(new RegExp(`^456 .*${OPEN}`, 'm'));
      expect(stdout).toMatch(new RegExp(`^123 .*${OLD}`, 'm'));
    }
    expect(await town.data('warrant', 'show', '123')).toMatchObject({ id: `w-${OLD}`, state: 'closed' });
    expect(await town.data('warrant', 'show', 'other')).toMatchObject({ id: `w-${OLD}` });
    expect((await town.run('warrant', 'cancel', 'other')).stderr).toContain(`warrant w-${OLD} is closed (pardoned)`);
  });

  test('more than one is named and nothing is done', async () => {
    const { code, stdout, stderr } = await town.run('dog', 'show', 'dog-17');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`may be any hearing of ${OLD} (other), ${OPEN} (builder); write more of it`);
    expect((await town.run('warrant', 'cancel', 'w')).code).toBe(2);
  });
});

test('an alert by its number, its session or its name, in a list that says what to type', async () => {
  const disk = realDisk(town.root, 1);
  await disk.mkdir('alerts');
  await putAlerts(
    disk,
    episode('needs-input/builder', { session: 'builder', since: 1_763_905_393_123 }),
    episode('usage-limit/other', { session: 'other', since: 1_763_905_400_456 }),
    episode('crash-loop/other', { session: 'other', since: 1_763_905_400_789 }),
  );
  const { stdout } = await town.run('alerts', 'list');
  expect(stdout.split('\n').slice(0, 4)).toEqual([
    expect.stringMatching(/^384 {2}medium for [\w ]+: look at it$/),
    '     town session attach builder  ·  town ack 384',
    expect.stringMatching(/^919 {2}medium/),
    '     news: there is nothing to type',
  ]);
  const status = (await town.run('status')).stdout;
  expect(status).toMatch(/^ {2}\? medium: look at it\n {6}town session attach builder {2}· {2}town ack 384$/m);
  expect(status).toMatch(/^ {2}- medium: look at it$/m);
  expect((await town.run('alert', 'ack', 'other')).stderr).toContain('usage-limit/other, crash-loop/other');
  for (const word of ['384', 'crash', 'usage-limit/other'])
    expect((await town.run('alerts', 'ack', word)).code).toBe(0);
  expect((await town.data<{ acked: unknown }[]>('alerts', 'list')).filter(({ acked }) => acked === null)).toEqual([]);
});

test('a message by the number in the inbox', async () => {
  const { id } = await town.data<{ id: string }>('mail', 'send', 'overseer', '--subject', 'which database?');
  const [, , row = ''] = (await town.run('mail', 'inbox')).stdout.split(/(?<=\n)/).concat('');
  const number = (await town.run('mail', 'inbox')).stdout.split('\n')[1]?.split(' ')[0] ?? row;
  expect(await town.data('mail', 'read', number)).toMatchObject({ id });
  expect(await town.data('mail', 'archive', id.slice(0, -2))).toMatchObject({ id, box: 'archive' });
});

test('a session is read about by a beginning of its name; what acts on one wants the whole, except at a terminal', async () => {
  expect((await town.run('why', 'bui')).stdout).toContain('now: builder is running');
  expect((await town.run('timeline', '--session', 'bui')).code).toBe(0);
  for (const words of [
    ['warrant', 'file', 'bui', '--reason', 'x'],
    ['session', 'kill', 'bui', '--force'],
    ['nudge', 'bui', 'hello'],
    ['deacon', 'health-check', 'bui'],
  ])
    expect(await town.run(...words)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no session bui was ever seen here; did you mean builder\?/) as string,
    });
  expect(town.names('deacon/dogs/warrants')).toEqual([]);

  await using server = await withServer();
  const environment = Object.entries(town.env()).flatMap(([k, v]) => ['-e', `${k}=${v}`]);
  const typed = ['sh', '-c', `'${process.execPath}' '${MAIN}' --root '${town.root}' warrant file bui --reason x; cat`];
  await server.tmux('new-session', '-d', '-x', '200', '-s', 'person', ...environment, ...typed);
  await until(async () =>
    (await server.tmux('capture-pane', '-p', '-J', '-t', 'person')).includes('against builder is filed'),
  );
});

describe('a bare `town`', () => {
  test('says how to begin where no town is', async () => {
    const { code, stdout } = await town.bare([]);
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^There is no town at \S+\/town yet\.\nBegin with/)]);
  });

  test('says in one sentence how a town stands, and how to go on; for programs it is `status`', async () => {
    await town.run('mail', 'send', 'overseer', '--subject', 'which database?');
    const { code, stdout } = await town.run();
    expect([code, stdout.split('\n').length]).toEqual([3, 3]);
    expect(stdout).toMatch(
      /^The town of \S+ is down; 0 of 2 agents alive, 1 question for you\.\nGo on with: town up · /,
    );
    const json = await town.run('--json');
    expect([json.code, (JSON.parse(json.stdout) as { schema: string }).schema]).toEqual([3, 'status/1']);
  });
});
