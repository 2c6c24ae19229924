/** `town explain` and `town record` on real panes: sessions of no town, with none running. They look and touch nothing. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Reading } from '../../src/cli/screens/reading.ts';
import type { Incarnation } from '../../machines/protocol.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { withChecksum } from '../../state/files/checksum.ts';
import { NUDGES } from '../../state/sessions/nudges.ts';
import { exits, TestTown, until } from './town.ts';

interface Explained extends Reading {
  readonly session: string;
  readonly pane: string;
  readonly other_panes: readonly string[];
  readonly by: string | null;
  readonly why_pack: string;
  readonly enter: string;
  readonly obstacle: string | null;
  readonly line_mode: boolean | null;
  readonly would: { readonly act: string; readonly once_adopted: boolean };
  readonly size: object;
  readonly rows: readonly string[];
}

const AGENTS = join(import.meta.dirname, '../fixtures/agents');
const PATH = `PATH=${dirname(process.execPath)}:$PATH`;
/** What must not leave the machine with a recording. */
const SECRETS = [
  'sk-ant-api03-AbC1dEf2GhI3jKl4MnO5pQr6',
  'ghp_0123456789abcdefghijABCDEFGHIJ012345',
  'ada@mail.example.com',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  `${userInfo().homedir}/src`,
  '/home/carol',
];

/** A question that an interrupted turn put back. */
const ASKED = [
  '[DOG] HEALTH CHECK: Session asked, respond ALIVE within 60s or face termination. · Warrant reason: quiet · Filed by: me',
  'Attempt: 1/3 · To answer, run: town alive K7-3F – or print one line: ALIVE, a space, and that code without its dash',
].join(' · ');

/** Typed by the town, and no question of anybody. */
const NUDGE = 'Overwrite build/? [y/N]';

let town: TestTown;
/** A session that runs a small agent. */
const start = (name: string, command: string, columns = 100, rows = 20): void =>
  void town.tmux('new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, '-s', name, `${PATH} exec ${command}`);
const explained = (name: string, isSo: (seen: Explained) => boolean): Promise<Explained> =>
  until(() => town.data<Explained>('explain', name), isSo);

beforeAll(() => {
  town = new TestTown('[town]\nprotected = ["mayor"]\n');
  start('dialog', `${AGENTS}/claude dialog`);
  start('draft', `${AGENTS}/claude bare "${SECRETS.join(' ')}"`);
  start('asked', `${AGENTS}/claude bare '${ASKED}'`);
  start('idle one.x', `${AGENTS}/claude bare`);
  start('waiting', `${AGENTS}/waiting`);
});

describe('explain', () => {
  test('draws a dialog with the row that tells it, its options, and what Enter and a question would do', async () => {
    const seen = await explained('dialog', ({ state }) => state === 'blocked');
    expect(seen).toMatchObject({
      session: 'dialog',
      agent: 'claude',
      by: 'process',
      may_type: false,
      size: { width: 100, height: 20 },
      enter: 'would choose "Yes"',
      would: { act: 'tell', once_adopted: true },
      other_panes: [],
    });
    expect(seen.why_pack).toMatch(/^process \d+ runs it: node \S+\/agents\/claude dialog; its title names no agent$/);
    expect(seen.options.map(({ label, keys }) => [label, keys])).toEqual([
      ['Yes', ['1']],
      ['No', ['2']],
    ]);
    const { code, stdout, stderr } = await town.run('explain', 'dialog');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^> +7 {3}Do you want to proceed\?$/m);
    expect(stdout).toMatch(/^ +8 {3}❯ 1\. Yes$/m);
    expect(stdout).toMatch(/^> tells the state /m);
    expect(stdout).toMatch(/^may type {2}no: a dialog .*\nrule {6}claude\/\S+, row 7$/m);
    expect(stdout).toMatch(/^pack {6}Claude Code \(shipped\)\n {10}process \d+ runs it: /m);
  });

  test('shows the composer, the cursor and a half-typed line, and that Enter would send it', async () => {
    await explained('draft', ({ state }) => state === 'draft');
    const { stdout } = await town.run('explain', 'draft');
    expect(stdout).toMatch(/^\| +3 {3}─+\n\| +4 {3}❯.sk-ant/mu);
    expect(stdout).toMatch(/^\| +\d+ _ /m);
    expect(stdout).toMatch(/^state {5}draft$/m);
    expect(stdout).toMatch(/^Enter {5}would send the half-typed line$/m);
    expect(stdout).toMatch(/^question {2}would wait: a half-typed line, once `town session adopt` made it ours$/m);
  });

  test('knows an old question of the town for no half-typed line', async () => {
    await explained('asked', ({ composer }) => composer !== null && composer.draft !== '');
    const { stdout } = await town.run('explain', 'asked');
    expect(stdout).toMatch(/^may type {2}no: an old question of the town stands there, which it takes out first$/m);
    expect(stdout).toMatch(/^Enter {5}would send the old question of the town$/m);
    expect(stdout).toMatch(
      /^question {2}would be typed: if a warrant comes; its old question is taken out first, once /m,
    );
  });

  test('knows a session by any name, or a beginning of it, and says what was meant', async () => {
    const idle = await explained('idle one_x', ({ state }) => state === 'idle');
    expect(idle).toMatchObject({
      may_type: true,
      composer: { draft: '' },
      enter: expect.stringMatching(/nothing/) as string,
    });
    expect(await town.data('explain', 'dialo')).toMatchObject({ session: 'dialog' });
    const wrong = await town.run('explain', 'diolag');
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toMatch(
      /^town: no session "diolag" is in tmux \(\S+\); did you mean "dialog"\?; see `town watch --all`\n$/,
    );
    exits(await town.run('explain', 'dialog', '--pane', '%999'), 2, /"dialog" has no pane "%999"; it has %\d+/);
  });

  test('of several panes takes the one with the agent, or the one that is named', async () => {
    await explained('dialog', ({ state }) => state === 'blocked');
    const agent = town.tmux('display-message', '-p', '-t', '=dialog:', '#{pane_id}').trim();
    const other = town.tmux('split-window', '-d', '-P', '-F', '#{pane_id}', '-t', '=dialog:', 'cat').trim();
    expect(await town.data('explain', 'dialog')).toMatchObject({ pane: agent, agent: 'claude', other_panes: [other] });
    expect(await town.data('explain', 'dialog', '--pane', other)).toMatchObject({
      pane: other,
      agent: 'generic',
      by: null,
    });
    expect((await town.run('explain', 'dialog')).stdout).toContain(`--pane shows ${other}`);
    town.tmux('kill-pane', '-t', other);
  });

  test('of a program that no pack knows says so, with the question that a person has to answer', async () => {
    const seen = await explained('waiting', ({ state }) => state === 'blocked');
    expect(seen).toMatchObject({ agent: 'generic', may_type: false, by: null, would: { act: 'nothing' } });
    expect(seen.why_pack).toMatch(/^no process here is an agent that a pack knows/);
  });

  test('what the town itself typed is no question of the program’s, as its hands have it', async () => {
    const words = `printf '%s\\n' '${NUDGE}'; exec sleep 100000`;
    town.tmux('new-session', '-d', '-x', '80', '-y', '24', '-s', 'nudged', words);
    expect(await explained('nudged', ({ state }) => state !== 'unknown')).toMatchObject({ state: 'blocked' });
    const [server, pane, pid] = town
      .tmux('display-message', '-p', '-t', '=nudged:', '#{pid} #{pane_id} #{pane_pid}')
      .split(' ');
    const processes = createProcesses();
    const life = {
      uuid: 'u-nudged',
      session: 'nudged',
      sessionId: '$9',
      paneId: pane ?? '',
      origin: 'started' as const,
      server: processes.proc(Number(server)),
      agent: processes.proc(Number(pid)),
    };
    town.session('nudged', { incarnation: life as Incarnation });
    const remark = { at: 1, from: 'mayor', checked_at: null, texts: [NUDGE] };
    town.write(
      NUDGES.place('nudged'),
      withChecksum({ schema: 'nudge/1', session: 'nudged', uuid: 'of another life', ...remark }),
    );
    expect(await town.data('explain', 'nudged')).toMatchObject({ ours: true, state: 'blocked' });
    town.write(
      NUDGES.place('nudged'),
      withChecksum({ schema: 'nudge/1', session: 'nudged', uuid: life.uuid, ...remark }),
    );
    expect(await town.data('explain', 'nudged')).toMatchObject({ state: 'unknown', may_type: true });
    town.write(NUDGES.place('nudged'), '');
    const question = [NUDGE.slice(0, 9), NUDGE.slice(9)];
    const { attempts } = town.dance('d-nudged', 'nudged', { target: life as Incarnation });
    expect(await town.data('explain', 'nudged')).toMatchObject({ state: 'blocked' });
    const asked = attempts.map((attempt) => ({ ...attempt, question }));
    town.dance('d-nudged', 'nudged', { target: life as Incarnation, attempts: asked });
    expect(await town.data('explain', 'nudged')).toMatchObject({ state: 'unknown', may_type: true });
  });

  test('a shell in front would run what is typed', async () => {
    town.tmux('new-session', '-d', '-x', '80', '-y', '24', '-s', 'shell', 'PS1="> " bash --norc --noprofile');
    const seen = await explained('shell', ({ obstacle }) => obstacle !== null);
    expect(seen).toMatchObject({ may_type: false, why_not: 'a shell is in front, and would run it' });
    expect(seen.enter).toBe('would not reach an agent: a shell in front');
  });

  test('touches nothing', async () => {
    const state = (): string =>
      town.tmux('list-panes', '-a', '-F', '#{session_name} #{pane_id} #{pane_pid}') +
      // Programs of other tests may still print into theirs.
      town.tmux('list-panes', '-t', '=dialog:', '-F', '#{history_size} #{cursor_x}') +
      town.tmux('show-options', '-g') +
      town.tmux('show-options', '-t', '=dialog:') +
      town.tmux('list-clients');
    const before = state();
    await town.run('explain', 'dialog');
    await town.run('record', 'dialog');
    expect(state()).toBe(before);
  });
});

test('without tmux there it says so: no session, or no answer', async () => {
  const bare = new TestTown();
  exits(await bare.run('explain', 'builder'), 2, /no session "builder" is in tmux/);
  exits(
    await bare.bare(['--root', bare.root, 'record', 'builder'], { env: { PATH: '/nonexistent' } }),
    4,
    /tmux could not be asked/,
  );
});

describe('record', () => {
  test('writes a screen that is judged as it was, without a secret in it', async () => {
    await explained('draft', ({ state }) => state === 'draft');
    const { code, stdout, stderr } = await town.run('record', 'draft');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^town: names, home folders, .* read it before you give it away\n$/),
    ]);
    const [head = '', body = ''] = stdout.split('---\n');
    expect(head).toMatch(
      /^townwatch screen 1\nagent: claude\nsize: 100x20\ncursor: \d+,\d+\nalternate: false\ntitle: .*\nstate: draft\n$/,
    );
    expect(body.trimEnd().split('\n').at(3)).toMatch(/^❯.xx-xxx-/u);
    expect(body.split('\n')).toHaveLength(21);
    for (const secret of [...SECRETS, hostname(), userInfo().username])
      if (secret.length > 3 && secret !== 'root') expect(stdout.replace(/\n/g, '')).not.toContain(secret);
    const path = join(town.home, 'draft.txt');
    writeFileSync(path, stdout);
    const [live, again] = [
      await town.data<Explained>('explain', 'draft'),
      await town.data<Reading>('rules', 'test', path),
    ];
    expect(again).toMatchObject({ ...pick(live), recorded_state: 'draft' });
  });

  test('into a file of its own, never over another; a state that a person gives is what is recorded', async () => {
    const file = join(town.home, 'dialog.txt');
    await explained('dialog', ({ state }) => state === 'blocked');
    const first = await town.run('record', 'dialog', '--out', file, '--state', 'picker');
    expect([first.code, first.stdout]).toEqual([0, `recorded as picker in ${file}\n`]);
    expect(first.stderr).toMatch(/it is read as blocked \(claude\/\S+\), and recorded as picker/);
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^state: picker$/m);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await town.run('record', 'dialog', '--out', file);
    expect([again.code, again.stderr]).toEqual([
      5,
      `town: ${file} is there already and stays as it is; give another --out\n`,
    ]);
    expect(readFileSync(file, 'utf8')).toBe(text);
    const nowhere = await town.run('record', 'dialog', '--out', join(town.home, 'no/such/file'));
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      `town: ${join(town.home, 'no/such/file')} could not be written: its folder is not there; give another --out\n`,
    ]);
    exits(
      await town.run('record', 'dialog', '--state', 'bloked'),
      2,
      /"bloked" is no state of a screen; did you mean blocked\?/,
    );
  });

  test('for programs: one object, with the text where no file was asked for', async () => {
    const data = await town.data<{ readonly text: string }>('record', 'dialog');
    expect(data).toMatchObject({
      session: 'dialog',
      agent: 'claude',
      state: 'blocked',
      read_as: 'blocked',
      file: null,
    });
    expect(data.text).toMatch(/^townwatch screen 1\n/);
  });
});

/** What has to be the same of a screen and of its recording. */
const pick = ({ agent, state, may_type, rule, row }: Reading): object => ({ agent, state, may_type, rule, row });
