/** `town rules …`: needs no town, no root, no tmux and no terminal; any words end in an answer or in one sentence. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { MAIN, TestTown, type Ran } from './town.ts';

let town: TestTown;
beforeAll(() => {
  town = new TestTown();
});

interface Judged {
  readonly agent: string;
  readonly state: string;
  readonly may_type: boolean;
  readonly rule: string;
  readonly options: readonly { readonly label: string; readonly keys: readonly string[]; readonly chosen: boolean }[];
  readonly recorded_state: string | null;
}

const FIXTURES = join(import.meta.dirname, '../screen/fixtures');
const fixture = (name: string): string => join(FIXTURES, `${name}.txt`);
const claude = (path: string, ...words: string[]): string[] => [path, '--agent', 'claude', ...words];
const idle = (...words: string[]): string[] => claude(fixture('claude-idle'), ...words);
/** Without a root: nothing stands where it would be. */
const bare = (words: readonly string[]): Promise<Ran> => town.bare(['--root', join(town.home, 'nowhere'), ...words]);
const judged = async (...words: string[]): Promise<Judged> =>
  (JSON.parse((await bare(['rules', 'test', ...words, '--json'])).stdout) as { data: Judged }).data;

function file(name: string, text: string | Uint8Array): string {
  const path = join(town.home, name);
  writeFileSync(path, text);
  return path;
}

const RULE = '─'.repeat(40);
const EMPTY = `● Done.\n\n${RULE}\n❯\u00a0\n${RULE}\n  ? for shortcuts\n`;

describe('rules test', () => {
  // Rules: M-2.
  test.each([
    ['claude-idle', 'idle', true],
    ['claude-busy', 'busy', true],
    ['claude-draft', 'draft', false],
    ['claude-dialog-permission', 'blocked', false],
    ['claude-limit', 'limited', false],
    ['claude-idle-quoted-dialog', 'idle', true],
  ])('%s is %s, may type: %s', async (name, state, mayType) => {
    expect(await judged(fixture(name), '--agent', 'claude')).toMatchObject({ state, may_type: mayType });
  });

  test('tells a dialog with its options and their keys, to people and to programs', async () => {
    const words = [fixture('claude-dialog-permission'), '--agent', 'claude'];
    expect((await judged(...words)).options).toMatchObject([
      { label: 'Yes', keys: ['1'], chosen: true },
      { label: expect.stringContaining("don't ask again") as string, keys: ['2'], chosen: false },
      { label: 'No', chosen: false },
    ]);
    const { stdout } = await bare(['rules', 'test', ...words]);
    expect(stdout).toMatch(/^state {5}blocked\nmay type {2}no: a dialog .*\nrule {6}claude\/[\w-]+, row \d+$/m);
    expect(stdout).toMatch(/^options {3}> Yes {2}\[1\]$/m);
  });

  test('of a program that works it says what becomes of what is sent now', async () => {
    const words = [fixture('claude-busy'), '--agent', 'claude'];
    expect(await judged(...words)).toMatchObject({ busy: true, sent_now: 'queues' });
    const { stdout } = await bare(['rules', 'test', ...words]);
    expect(stdout).toContain('may type  yes, and what is sent waits until its turn is over\n');
    expect(await judged(fixture('claude-idle'), '--agent', 'claude')).toMatchObject({ busy: false, sent_now: null });
  });

  test('cursor is what people call cursor-agent', async () => {
    expect(await judged(fixture('claude-idle'), '--agent', 'cursor')).toMatchObject({ agent: 'cursor-agent' });
  });

  test('reads stdin, without a terminal and without tmux in reach', async () => {
    const { stdout, exitCode } = await execa(
      process.execPath,
      [MAIN, 'rules', 'test', '-', '--agent', 'claude', '--json'],
      {
        input: readFileSync(fixture('claude-idle')),
        extendEnv: false,
        cwd: town.home,
        env: { HOME: town.home, PATH: '/nonexistent' },
      },
    );
    expect([exitCode, (JSON.parse(stdout) as { data: Judged }).data.state]).toEqual([0, 'idle']);
  });

  test('a recorded screen tells whose it is and what is known of it; flags outrank it', async () => {
    const head = 'townwatch screen 1\nagent: generic\nsize: 60x6\ncursor: 1,3\nalternate: true\nstate: idle\n---\n';
    const path = file('recorded.txt', head + EMPTY);
    expect(await judged(path)).toMatchObject({
      agent: 'generic',
      state: 'unknown',
      may_type: false,
      rule: 'generic/fullscreen',
      recorded_state: 'idle',
      size: { width: 60, height: 6 },
      cursor: { x: 1, y: 3 },
      alternate: true,
      title: '',
      line_mode: null,
    });
    expect((await bare(['rules', 'test', path])).stdout).toMatch(/^recorded {2}idle, which differs$/m);
    const flags = ['--size', '80x24', '--cursor', '2,3', '--title', '✳ x', '--line-mode'];
    expect(await judged(path, '--agent', 'claude', ...flags)).toMatchObject({
      agent: 'claude',
      state: 'idle',
      may_type: true,
      recorded_state: 'idle',
      size: { width: 80, height: 24 },
      cursor: { x: 2, y: 3 },
      title: '✳ x',
      line_mode: true,
    });
  });

  test('of a capture with its history only the visible rows count, and more line ends behind it are no rows', async () => {
    const history = 'Do you want to proceed?\n❯ 1. Yes\n  2. No\n'.repeat(30);
    const screen = `${EMPTY}\n\n\n`;
    const path = file('history.txt', `${history}${screen}\n`);
    expect(await judged(path, '--agent', 'claude', '--size', '80x9')).toMatchObject({ state: 'idle', may_type: true });
    expect(await judged(path, '--agent', 'generic', '--size', '80x9', '--cursor', '2,3')).toMatchObject({
      state: 'unknown',
    });
  });

  test('escapes that would steer a terminal never reach one', async () => {
    const hostile = '\u001b]0;title\u0007\u001b[2J\u009b31m\u202eevil';
    const path = file('hostile.txt', `${hostile}\n${RULE}\n❯ ${hostile}\n${RULE}\n`);
    for (const json of [[], ['--json']]) {
      const words = ['rules', 'test', path, '--agent', 'claude', '--title', hostile, ...json];
      const { code, stdout, stderr } = await bare(words);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/u);
    }
  });

  test.each<[string, () => readonly string[], RegExp]>([
    [
      'an agent without a pack',
      () => [fixture('claude-idle'), '--agent', 'cluade'],
      /no pack is called "cluade"; did you mean claude\? \(there are .*claude.*generic/,
    ],
    [
      'one whose own pack is refused',
      () => {
        town.write('packs/mine.toml', 'x = 1\n');
        return [fixture('claude-idle'), '--agent', 'mine'];
      },
      /no pack is called "mine" \(there are (?!.*mine)/,
    ],
    ['no agent', () => [fixture('claude-idle')], /does not name its program; write --agent A \(there are .*generic/],
    ['no file', () => claude('/no/such'), /"\/no\/such" cannot be read \(there is no such file\)/],
    ['a folder', () => claude('/'), /"\/" is a folder/],
    ['several MB', () => claude(file('large', 'x'.repeat(3_000_000))), /is no screen: it has more than \d+ bytes/],
    ['no end', () => claude('/dev/zero'), /is no screen: it has more than \d+ bytes/],
    ['NUL bytes', () => claude(file('nul', 'a\u0000b')), /is no text: it has NUL bytes/],
    ['no UTF-8', () => claude(file('latin', Buffer.from([0x61, 0xff, 0x62]))), /is no text: it is no UTF-8/],
    ['a size', () => idle('--size', '80'), /--size "80" is none; write it as --size 120x40/],
    ['no size', () => idle('--size', '0x0'), /--size "0x0" is none/],
    ['a cursor', () => idle('--cursor', '-1,2'), /--cursor "-1,2" is none/],
    ['one outside', () => idle('--size', '80x24', '--cursor', '0,24'), /0,24 is outside of 80x24/],
  ])('%s is one sentence and exit 2', async (_what, words, sentence) => {
    const { code, stdout, stderr } = await bare(['rules', 'test', ...words()]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trim()).toMatch(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

const mine = `name = "claude"
label = "My Claude"
complete = true
[processes]
names = ["claude"]
[[composer]]
top = '^─{8,}'
bottom = '^─{8,}'
prompt = '^❯'
[[rule]]
name = "viewer"
state = "picker"
match = '^Showing'
`;

describe('packs of a person', () => {
  // Rules: M-8.
  test('win over shipped ones, add others, and stand in the list', async () => {
    const own = new TestTown();
    own.write('packs/claude.toml', mine);
    own.write('packs/mine.toml', mine.replace('name = "claude"', 'name = "mine"'));
    expect(await own.data('rules', 'test', fixture('claude-idle'), '--agent', 'claude')).toMatchObject({
      label: 'My Claude',
      state: 'idle',
      pack: { whose: 'yours', file: join(own.root, 'packs/claude.toml') },
    });
    const packs = await own.data<readonly object[]>('rules', 'list');
    expect(packs).toContainEqual(expect.objectContaining({ name: 'mine', whose: 'yours', complete: true }));
    expect(packs).toContainEqual(expect.objectContaining({ name: 'generic', whose: 'shipped', complete: false }));
    expect((await own.run('rules', 'list')).stdout).toMatch(/^claude +My Claude +yours +yes +\//m);
    expect(await own.data('rules', 'check')).toMatchObject({ ok: true, files: { length: 2 } });
  });

  test('that cannot be read are told, and the shipped one judges', async () => {
    const own = new TestTown();
    own.write('packs/claude.toml', 'name = "claude"\n[[[');
    own.write('packs/mine.toml', 'nonsense = 1');
    const ran = await own.run('rules', 'test', fixture('claude-idle'), '--agent', 'claude');
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringMatching(/^state {5}idle\n[^]*Claude Code \(shipped\)/)]);
    expect(ran.stderr).toMatch(/^town: \S+\/packs\/claude\.toml line 2, column \d+: .*\n$/);
    const list = await own.run('rules', 'list');
    expect([list.code, list.stdout]).toEqual([0, expect.not.stringMatching(/^mine/m)]);
    expect(list.stderr.trim().split('\n')).toHaveLength(2);
  });

  // Rules: M-8.
  test('are checked whole: every mistake of every file, one line each, exit 2', async () => {
    const own = new TestTown();
    expect((await own.run('rules', 'check')).stdout).toMatch(/^there is no pack of yours in \S+\/packs;/);
    own.write('packs/torn.toml', 'name = [');
    own.write(
      'packs/mine.toml',
      mine.replace('complete = true', 'complete = "yes"\nttles = 1').replace('state = "picker"', 'state = "idle"'),
    );
    own.write(
      'packs/two.toml',
      `name = "Two"\nlabel = 2\ncomplete = true\n[processes]\n[[rule]]\nname = "r"\nmatch = ['a', '(']`,
    );
    const { code, stdout, stderr } = await own.run('rules', 'check');
    expect([code, stdout]).toEqual([2, '']);
    const lines = stderr.trim().split('\n');
    expect(lines.map((line) => line.replace(/^town: \S+\/packs\//, ''))).toEqual([
      'mine.toml: complete: must be of type boolean, received string',
      expect.stringMatching(/^mine\.toml: rule "viewer": state: must be one of busy, /),
      'mine.toml: the pack: "ttles" is no key here; did you mean titles?',
      'mine.toml: name: is "claude"; name it as its file, mine',
      expect.stringMatching(/^torn\.toml line 1, column \d+: /),
      'two.toml: name: must be a name of small letters, digits and -',
      'two.toml: label: must be of type string, received number',
      'two.toml: rule "r": state: must be one of busy, blocked, login, limited, picker, error, gone',
      expect.stringMatching(/^two\.toml: rule "r": match\[2\]: Invalid regular expression/),
      'two.toml: name: is "Two"; name it as its file, two',
    ]);
    const json = await own.run('rules', 'check', '--json', join(own.root, 'packs/two.toml'));
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'bad_pack', exit: 2, lines: { length: 5 } } });
    expect((await own.run('rules', 'check', '/etc/hostname')).stderr).toMatch(
      /hostname: a pack is a file that ends in \.toml/,
    );
    expect((await own.run('rules', 'check', '/no/such.toml')).stderr).toMatch(/such\.toml: ENOENT/);
  });
});
