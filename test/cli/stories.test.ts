/** `town timeline`, `town report` and `town completion`, with the town down: only files are there. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { putReportLook } from '../../state/alerts/report-look.ts';
import { realDisk } from '../../state/files/disk.ts';
import { FILES, FOLDERS } from '../../state/files/layout.ts';
import { noteSteps } from '../../state/process/wall-steps.ts';
import { Onlooker } from '../../src/overview/onlooker.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { keepWork } from '../../state/rigs/work.ts';
import { MAIN, prints, TestTown } from './town.ts';

let town: TestTown;
beforeEach(() => (town = new TestTown()));

const MINUTE = 60_000;
/** Lines so many minutes old, in the file of each one's day. */
function journal(lines: readonly (readonly [minutes: number, line: Readonly<Record<string, unknown>>])[]): void {
  const days = new Map<string, string>();
  for (const [minutes, line] of lines) {
    const at = new Date(Date.now() - minutes * MINUTE).toISOString();
    const day = at.slice(0, 10);
    days.set(day, `${days.get(day) ?? ''}${JSON.stringify({ at, ...line })}\n`);
  }
  for (const [day, text] of days) town.write(`journal/${day}.jsonl`, text);
}
const bare = (stdout: string): string[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => line.slice('14:03:22   2 min ago  '.length));

const LINES = [
  [700, { kind: 'town.started', pid: 7, epoch: 1 }],
  [600, { kind: 'warrant.filed', session: 'builder', warrant: 'w-1', requester: 'mayor', reason: 'silent' }],
  [60, { kind: 'dance.interrogating.asking', session: 'builder', dance: 'dog-1', attempt: 1 }],
  [59, { kind: 'question.typed', session: 'builder', dance: 'dog-1' }],
  [
    58,
    {
      kind: 'look',
      session: 'builder',
      dance: 'dog-1',
      sight: { kind: 'answered', by: 'code', quote: 'ALIVE K73F' },
    },
  ],
  [57, { kind: 'dance.closed', session: 'builder', dance: 'dog-1', verdict: 'pardoned', reason: 'answered: code' }],
  [50, { kind: 'death.noticed', pane: '%3', exit: { kind: 'signal', signal: 'SIGKILL' } }],
  [30, { kind: 'town.stopped', pid: 7, epoch: 1 }],
] as const;

describe('timeline', () => {
  test('is the journal, one line an event, newest last', async () => {
    journal(LINES);
    const { stdout, code } = await town.run('timeline');
    expect(code).toBe(0);
    expect(bare(stdout)).toEqual([
      'town: the town started (pid 7, epoch 1)',
      'builder: mayor filed warrant w-1: silent',
      'builder: question 1 was to be asked',
      'builder: the question was typed into its pane',
      'builder: it answered by code: ALIVE K73F',
      'builder: the hearing ended: pardoned: answered: code',
      'pane %3: its process was ended by SIGKILL',
      'town: the town stopped, as it was ordered to',
    ]);
  });

  test('of one session and of late', async () => {
    journal(LINES);
    const late = await town.data<{ kind: string; session: string | null }[]>('timeline', '--since', '58.5m');
    expect(late.map(({ kind }) => kind)).toEqual(['look', 'dance.closed', 'death.noticed', 'town.stopped']);
    const own = await town.data<unknown[]>('timeline', '--session', 'builder', '--since', '2h');
    expect(own).toHaveLength(4);
    expect(await town.data('timeline', '--session', 'nobody')).toEqual([]);
  });
});

describe('work', () => {
  const polecat = {
    rig: 'shop',
    name: 'nux',
    uuid: 'u-1',
    step: 'running',
    base: 'a'.repeat(40),
    main: null,
    tip: null,
  } as const;
  let id: string;
  beforeEach(async () => {
    await town.rig('shop');
    id = (await town.data<{ id: string }>('bead', 'create', 'sweep', '--rig', 'shop')).id;
    await town.run('bead', 'hook', id, 'shop/polecats/nux');
    const records = new RigRecords({ disk: realDisk(town.root, 0) });
    await records.savePolecat({ ...polecat, bead: id, command: ['true'], at: 1 });
    const did = { kind: 'patrol.did', patrol: 'shop' };
    journal([
      [40, { ...did, act: 'spawn', about: id, text: 'shop/polecats/max works on it' }],
      [30, { ...did, act: 'reopen', about: id, text: 'its agent is gone' }],
      [20, { ...did, act: 'spawn', about: id, text: 'shop/polecats/nux works on it' }],
      [10, { ...did, kind: 'patrol.did_not', act: 'nuke', about: 'max', text: 'dirty', session: 'gt-shop-max' }],
      [5, { ...did, act: 'archive', about: 'm-1', text: 'read' }],
    ]);
  });

  // Rules: V-3.
  test('why tells of a bead, and of a polecat by its address, with what is on its hook', async () => {
    const { stdout } = await town.run('why', id);
    expect(stdout.split('\n').map((line) => line.replace(/^\d+ min ago {2}/, ''))).toEqual([
      `the patrol of shop gave ${id} to a new polecat: shop/polecats/max works on it`,
      `the patrol of shop took ${id} back, for the next one: its agent is gone`,
      `the patrol of shop gave ${id} to a new polecat: shop/polecats/nux works on it`,
      `now: ${id} (sweep) is hooked, of shop/polecats/nux`,
      '',
    ]);
    expect(await town.data('why', id)).toMatchObject({ session: null, state: 'hooked', events: [{}, {}, {}] });
    expect((await town.run('why', 'shop/max')).stdout).toContain(
      'the patrol of shop could not remove the worktree of max: dirty',
    );
    // By its bare name, as `status` prints it, too: also of one that is gone.
    expect((await town.run('why', 'max')).stdout).toBe((await town.run('why', 'shop/max')).stdout);
    town.session('gt-shop-nux');
    expect((await town.run('why', 'nux')).stdout).toContain(`now: ${id} is on its hook (town why ${id})`);
    expect((await town.run('why', 'shop/polecats/nux')).stdout).toContain(`now: ${id} is on its hook (town why ${id})`);
    expect(await town.run('why', 'tw-none')).toMatchObject({ code: 2, stdout: '' });
    expect((await town.run('why', 'shop/$(x)')).code).toBe(2);
  });

  // Rules: V-3, R-4.
  test('why counts attempts as the report does', async () => {
    const begun = ['u-0', 'u-1'].map((uuid, at) => {
      const commit = 'a'.repeat(40);
      return { polecat: 'nux', uuid, branch: 'polecat/nux', base: commit, main: null, start: null, at };
    });
    await keepWork(realDisk(town.root, 0), { rig: 'shop', of: id }, { begun });
    expect((await town.run('why', id)).stdout).toContain('is hooked, of shop/polecats/nux, in attempt 2\n');
    await town.run('bead', 'close', id, '--reason', 'merged');
    expect((await town.run('why', id)).stdout).toMatch(/ is closed, of .*, after 2 attempts: merged\n/);
  });

  // Rules: V-3.
  test('why says when work that failed is given out again', async () => {
    const made = async (...metadata: string[]) => {
      const flags = metadata.flatMap((one) => ['--metadata', one]);
      return (await town.data<{ id: string }>('bead', 'create', 'mend', '--rig', 'shop', ...flags)).id;
    };
    const iso = (inMs: number) => new Date(Date.now() + inMs).toISOString();
    const tried = await made(`last_attempt_at=${iso(-3_600_000)}`);
    const rests = await made(`last_attempt_at=${iso(0)}`, `rest_until=${iso(2.4 * 3_600_000)}`);
    expect((await town.run('why', await made())).stdout).toMatch(/ is open\n$/);
    expect((await town.run('why', tried)).stdout).toContain(
      'is open; the next attempt begins once a patrol has a free polecat for it\n',
    );
    expect((await town.run('why', rests)).stdout).toContain(
      'is open; the next attempt begins in 2 h at the earliest\n',
    );
    const records = new RigRecords({ disk: realDisk(town.root, 0) });
    await records.savePolecat({ ...polecat, bead: rests, command: ['true'], at: 1 });
    town.session('gt-shop-nux');
    expect((await town.run('why', 'shop/polecats/nux')).stdout).toContain(`${rests} (mend) is open; the next attempt`);
  });

  test('timeline has those of a polecat by its address, and report what patrols did about work', async () => {
    expect(await town.data('timeline', '--session', 'shop/max')).toMatchObject([{ kind: 'patrol.did_not' }]);
    const { stdout } = await town.run('report');
    expect(stdout).toMatch(new RegExp(`\nunder way\n  sweep\n +${id} · shop\n`));
    expect(stdout).toContain('what else the patrols did\n  shop: could not remove the worktree of max: dirty\n');
    expect(await town.data<{ worked: unknown[] }>('report')).toMatchObject({
      worked: [{ about: id }, {}, {}, { act: 'nuke' }],
    });
  });
});

// Rules: D-15.
test('a command writes no step of the clock, with any clocks of its caller', async () => {
  const disk = realDisk(town.root, 0);
  await disk.mkdir(FOLDERS.daemon);
  await noteSteps({ disk, quarantine: new Onlooker(disk, () => undefined) }, { at: 0, wall: Date.now() });
  const kept = town.read(FILES.wallSteps);
  await town.data('bead', 'create', 'fix it');
  for (const line of [['report'], ['why', 'gt-1'], ['triage', 'run'], ['deacon', 'patrol', '--once']])
    await town.run(...line);
  expect(town.read(FILES.wallSteps)).toBe(kept);
});

describe('report', () => {
  // Rules: V-3.
  test('tells the last 8 hours and what waits, with the town down', async () => {
    journal(LINES);
    town.session('builder');
    town.write(
      'deacon/dogs/warrants/w-2.json',
      JSON.stringify({ id: 'w-2', target: 'builder', reason: 'loops', requester: 'cron' }),
    );
    await town.run('mail', 'send', 'overseer', '--subject', 'which database?', '--from', 'builder');
    const { stdout, stderr, code } = await town.run('report');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('the town is down; start it with `town up`');
    expect(stdout).toContain('asked 1 question in 1 hearing, 1 pardoned, 0 executed, 0 escalated, 0 restarts');
    expect(stdout).toContain('0 model calls');
    expect(stdout).toContain('builder: answered: code ("ALIVE K73F") [dog-1]');
    expect(stdout).toMatch(/\? mail from builder: which database\?\n +town mail read \d{6}\n/);
    expect(stdout).toContain('warrant w-2 against builder: loops');
    expect(stdout).toMatch(/town down: 30 min/);
  });

  test('as Markdown, in which no word of others makes a mark', async () => {
    town.session('builder');
    await town.run('mail', 'send', 'overseer', '--subject', '# *which* <b>`database`</b>?', '--from', 'builder');
    const { stdout } = await town.run('report', '--markdown');
    expect(stdout).toMatch(/^# the last 8 h, since [-: \d]+: the town is down; start it with \\`town up\\`\n\n- /);
    expect(stdout).toMatch(
      /\n- \*\*\? mail from builder: \\# \\\*which\\\* \\<b\\>\\`database\\`\\<\/b\\>\?\*\*\n {2}- `town mail read \d+`\n/,
    );
  });

  // Rules: R-4.
  test('begins where a person at a terminal looked last; what a program or an agent reads is no look', async () => {
    const begins = (env: Readonly<Record<string, string>> = {}): string => {
      const typed = `stty cols 200; ${process.execPath} ${MAIN} report`;
      const options = { env: { ...town.env(), TOWN_ROOT: town.root, ...env }, encoding: 'utf8' } as const;
      return spawnSync('script', ['-qec', typed, '/dev/null'], options).stdout;
    };
    const isRemembered = (): boolean => existsSync(join(town.root, FILES.reportLook));
    town.write(`${FOLDERS.daemon}/daemon.log`, '');
    await town.run('report');
    await town.run('report', '--json');
    begins({ TOWN_TOKEN: 'none' });
    expect(isRemembered()).toBe(false);
    expect(begins()).toMatch(/^the last 8 h, since /);
    expect(isRemembered()).toBe(true);
    // Typed again at once it tells the same.
    expect(begins()).toMatch(/^the last 8 h, since /);
    const at = Date.now() - 3 * 3_600_000;
    await putReportLook(realDisk(town.root, performance.timeOrigin), { from: 1, at });
    expect(begins()).toMatch(/^since your last look 3 h ago, /);
    town.write(FILES.reportLook, 'torn');
    expect(begins()).toMatch(/^the last 8 h, since /);
  });

  test('as JSON, and of a stretch in which nothing happened', async () => {
    journal(LINES);
    const data = await town.data('report', '--since', '1m');
    expect(data).toMatchObject({
      running: false,
      model_calls: 0,
      asked: { hearings: 0, questions: 0, sessions: [] },
      pardoned: [],
      executed: [],
      escalated: [],
      otherwise: [],
      restarted: [],
      crash_loops: [],
      paged: [],
      waiting: { alerts: [], mail: [], warrants: [] },
      under_way: [],
      town_downs: [{ ms: MINUTE, goes_on: true }],
    });
    expect((await town.run('report', '--since', '1m')).stdout).toContain('asked no question');
  });

  test('reaches back a night, and --since as far as it says', async () => {
    const reach = async (...more: string[]): Promise<number> => {
      const { since, until } = await town.data<{ since: string; until: string }>('report', ...more);
      return (Date.parse(until) - Date.parse(since)) / MINUTE;
    };
    expect(await reach()).toBe(8 * 60);
    expect(await reach('--since', '90m')).toBe(90);
  });

  test('what stands in the place of a mailbox is unknown, for status, for report and for a bare `town`', async () => {
    town.write('mail/overseer', 'no folder');
    expect(await town.data('status')).toMatchObject({ mail: null, questions: [{ id: 'mailbox' }] });
    expect(await town.data('report')).toMatchObject({ waiting: { mail: null }, questions: [{ id: 'mailbox' }] });
    expect((await town.run('status')).stdout).toContain('an unknown number of messages for you (`town mail inbox`)');
    expect((await town.run()).stdout).toContain('1 question for you');
    for (const words of [['status'], ['report']]) {
      const { stdout, stderr } = await town.run(...words);
      expect(stdout).toMatch(
        /\? it is unknown what mail waits for you: your mailbox cannot be read\n +town mail inbox\n/,
      );
      expect(stderr).toMatch(/your mail cannot be read: mail\/overseer is no folder; move it away/);
    }
    expect((await town.run('mail', 'inbox')).stderr).toMatch(/mail\/overseer is no folder/);
  });

  test('of a town that never ran', async () => {
    expect(await town.data('report')).toMatchObject({ town_downs: [], lost: [] });
  });
});

test.each([
  [['report', '--since', '8'], /--since "8" is no duration: .*; write --since 8h/],
  [['report', '--since', '0h'], /--since "0h" is no duration/],
  [['report', '--since', '-8h'], /--since "-8h" is no duration/],
  [
    ['report', '--since', '999999999999d'],
    /--since "999999999999d" reaches back more than a century; write --since 8h/,
  ],
  [['timeline', '--since', 'yesterday'], /--since "yesterday" is no duration/],
  [['timeline', '--session', '../x'], /is no session name/],
  [['completion', 'tcsh'], /"tcsh" is no shell that can be completed for; write `town completion bash`, `zsh`, `fish`/],
])('%j is one sentence and exit 2', async (words, text) => {
  const { code, stdout, stderr } = await town.run(...words);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.trim()).toMatch(text);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('completion needs no town', async () => {
  prints(await town.bare(['completion', 'bash']), 0, 'complete -o default -F _town town');
});
