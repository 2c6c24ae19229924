/** Bad input and hostile files: one sentence, an exit code, and nothing written. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { TestTown } from './town.ts';

let town: TestTown;
beforeAll(() => {
  town = new TestTown('[town]\nprotected = ["mayor", "hq-*"]\n');
  town.session('builder');
  town.session('mayor');
  town.session('unborn', { incarnation: null, state: 'starting' });
  town.dance('dog-1', 'builder');
});

const WARRANTS = 'deacon/dogs/warrants';
const ANSWERS = 'deacon/dogs/answers';

describe('bad input is one sentence, an exit code, and nothing written', () => {
  // Rules: D-15.
  test.each([
    [['nope'], /unknown command 'nope'/, 2],
    [['nope', '--help'], /unknown command 'nope'; see `town --help`$/, 2],
    [['mail', 'nope', '--help'], /unknown command 'nope'; see `town mail --help`$/, 2],
    [['session', 'strat', '-h'], /did you mean `town session start <name>`\?/, 2],
    [['rules', 'test', 'no-such-file'], /"no-such-file" cannot be read \(there is no such file\)/, 2],
    [['statsu'], /unknown command 'statsu'; did you mean `town status`\? See `town --help`$/, 2],
    [['kill', 'builder'], /did you mean `town session kill <name>`/, 2],
    [['agents'], /did you mean `town session list` or `town polecat list`\?/, 2],
    [['sessions'], /did you mean `town session list`\?/, 2],
    [['beads'], /did you mean `town bead list`\?/, 2],
    [['satrt'], /did you mean `town up` or `town session start <name>`\?/, 2],
    [['session', 'strat'], /did you mean `town session start <name>`\?/, 2],
    [['--set', 'dance.pool_size=3', 'up'], /did you mean `town up --set` or `town restart --set`\?/, 2],
    [['session', 'ls'], /did you mean `town session list`/, 2],
    [['session', 'kil', 'builder'], /did you mean `town session kill <name>`\?/, 2],
    [['warrant', 'list', '-a'], /unknown option '-a'; did you mean `--all`\?/, 2],
    [['daemon', 'logs', '--tail', '3'], /did you mean `--lines`\?/, 2],
    ...['ps', 'ls', 'stop', 'logs', 'start', 'list-sessions'].map((word): [string[], RegExp, number] => [
      [word, 'builder'],
      new RegExp(`unknown command '${word}'; did you mean \`town `),
      2,
    ]),
    ...['restart', 'status'].map((word): [string[], RegExp, number] => [
      [word, 'builder'],
      new RegExp(`too many arguments for '${word}'.*; did you mean \`town session ${word} <name>\`\\? See `),
      2,
    ]),
    [['dog'], /a command is missing after `town dog` \(pool, dances, show\); see `town dog --help`/, 2],
    [['mail', 'list'], /unknown command 'list'; did you mean `town mail inbox`\? See `town mail --help`/, 2],
    [['why', 'builder', '--since', '0d'], /--since "0d" is no duration: a number above 0/, 2],
    [['bead', 'list', '--limit', '9999999'], /Write a whole number from 1 to 999999; see `town bead list --help`$/, 2],
    [['status', '--colour'], /unknown option '--colour'; see `town status --help`/, 2],
    [['warrant', 'file', 'builder'], /--reason <text>' not specified/, 2],
    [['warrant', 'file', 'builder', '--reason', ''], /its reason is empty; write --reason/, 2],
    [['warrant', 'file', 'builder', '--reason', '   '], /its reason is empty/, 2],
    [['warrant', 'file', 'builder', '--reason', 'x', '--by', ' '], /its requester is empty/, 2],
    [['warrant', 'file', 'builder', '--reason', '\u200b\u2060\ufeff'], /its reason is empty/, 2],
    [['warrant', 'file', 'builder', '--reason', 'x', '--by', '\u202e\u3164'], /its requester is empty/, 2],
    [['session', 'kill', 'builder', '--reason', '\u0301\u00ad'], /its reason is empty/, 2],
    [['nudge', 'builder', '\u200d\u2800'], /no words for builder/, 2],
    [
      ['warrant', 'file', 'builder', '--reason', 'x'.repeat(100_000)],
      /its reason has 100000 characters, the limit is/,
      2,
    ],
    [
      ['warrant', 'file', 'nobody', '--reason', 'x'],
      /no session nobody was ever seen here; see `town session list`/,
      2,
    ],
    [['warrant', 'file', 'unborn', '--reason', 'x'], /unborn has not lived yet/, 2],
    [['warrant', 'file', 'mayor', '--reason', 'x'], /mayor is protected by "mayor" in \[town\] protected/, 5],
    [['warrant', 'file', 'hq-deacon', '--reason', 'x'], /hq-deacon is protected by "hq-\*"/, 5],
    [['session', 'kill', 'mayor'], /mayor is protected/, 5],
    [['warrant', 'show', 'w-none'], /there is no warrant "w-none"; see `town warrant list --all`/, 2],
    [['warrant', 'cancel', 'w-none'], /there is no warrant "w-none"/, 2],
    [['warrant', 'cancel', 'w-dog-1'], /the town is not running/, 3],
    [['dog', 'show', 'dog-none'], /there is no hearing "dog-none"/, 2],
    [['alive', 'hello'], /"hello" is no code; it looks like K7-3F/, 2],
    [['alive', '../../x'], /is no code/, 2],
    [['alive', 'Z9Z9'], /no open hearing asks for the code Z9-Z9/, 1],
    [['alive', 'K7-3F'], /K7-3F belongs to an earlier question of builder/, 1],
    [['session', 'start', 'a'], /no command for a; write it after --/, 2],
    [['session', 'start', 'a', '--restart', 'always', '--', 'x'], /--restart "always" is unknown; write permanent/, 2],
    [['session', 'start', 'a', '--dir', '/no/such', '--', 'x'], /--dir "\/no\/such" does not exist/, 2],
    [['session', 'start', 'a', '--dir', '/proc/version', '--', 'x'], /--dir "\/proc\/version" is no folder/, 2],
    [['session', 'start', 'a', '--dir', '/proc/version/x', '--', 'x'], /x" cannot be entered \(ENOTDIR\)/, 2],
    [['session', 'start', 'a', '--dir', 'x'.repeat(300), '--', 'x'], /x…" cannot be entered \(ENAMETOOLONG\)/, 2],
    [['session', 'start', 'a', '--tag', 'a b', '--', 'x'], /"a b" is no tag/, 2],
    [['session', 'start', 'a', '--', 'x'], /the town is not running at .*; start it with `town up`/, 3],
    [['session', 'adopt', 'a'], /the town is not running/, 3],
    [['session', 'status', 'nobody'], /no session "nobody" was ever seen here/, 2],
    [['why', 'nobody'], /nothing is known of a session nobody/, 2],
    [['mail', 'send', 'nobody', '--subject', 'x'], /There is no address "nobody"/, 2],
    [['mail', 'send', '../x', '--subject', 'x'], /There is no address/, 2],
    [['mail', 'send', 'overseer', '--subject', ' '], /the subject " " must be one line/, 2],
    [['mail', 'send', 'overseer', '--subject', 'a\nb'], /must be one line/, 2],
    [['mail', 'send', 'overseer', '--subject', 'x', '--from', 'nobody'], /There is no address "nobody"/, 2],
    [['mail', 'read', 'm-none'], /There is no message "m-none" for overseer/, 2],
    [
      ['alerts', 'ack', 'none'],
      /there is no open alert, unread letter or escalation "none"; see `town status` or `town escalation list`/,
      2,
    ],
    [
      ['config', 'show', '--set', 'dance.pool_size=21'],
      /--set: dance\.pool_size = 21: must be a whole number from 1 to 20/,
      2,
    ],
    [
      ['up', '--set', 'dance.pool=3'],
      /--set "dance\.pool=3": no key is called that; did you mean dance\.pool_size\?/,
      2,
    ],
    [['daemon', 'logs'], /there is no .*daemon\.log yet/, 1],
    [['daemon', 'logs', '--lines', '-3'], /--lines/, 2],
    [['status'], /^$/, 3],
  ])('%j', async (words, sentence, code) => {
    const before = [WARRANTS, ANSWERS, 'mail', 'sessions'].map((folder) => town.names(folder));
    const ran = await town.run(...words);
    expect(ran.stderr.trim()).toMatch(sentence);
    expect(ran.stderr).not.toMatch(/\n\s+at /);
    expect(ran.code).toBe(code);
    expect([WARRANTS, ANSWERS, 'mail', 'sessions'].map((folder) => town.names(folder))).toEqual(before);
  });

  // Rules: I-9.
  test.each(['$1', '=x', '@3', '-dash', 'a b', 'a\nb', 'a.b', 'a:b', '', 'ä', '..', 'a/b/c', 'x'.repeat(65)])(
    'the name %j is refused wherever a session is named',
    async (name) => {
      for (const words of [
        ['warrant', 'file', '--reason', 'x', '--', name],
        ['session', 'start', '--', name, 'true'],
        ['session', 'adopt', '--', name],
        ['session', 'kill', '--', name],
        ['why', '--', name],
      ]) {
        const { code, stderr } = await town.run(...words);
        expect(stderr).toMatch(/is no session name: letters, digits, _ and -, at most 64/);
        expect(stderr.trim().split('\n')).toHaveLength(1);
        expect(code).toBe(2);
      }
      expect(town.names(WARRANTS)).toEqual([]);
    },
  );
});

describe('something else in the place of a folder is one sentence, at once, and the root stays as it was', () => {
  const up = ['up', 'restart', 'daemon run'];
  test.each<[string, string, (path: string) => void, RegExp, readonly string[]]>([
    ['journal', 'a pipe', (path) => void execFileSync('mkfifo', [path]), /a pipe, a socket or a device/, up],
    ['deacon/dogs', 'a file', (path) => writeFileSync(path, 'x'), /a file/, up],
    ['mail', 'a link to nowhere', (path) => symlinkSync('/no/such', path), /a link that leads to no folder/, up],
    ['daemon', 'a file', (path) => writeFileSync(path, 'x'), /a file/, [...up, 'down', 'down --purge']],
  ])('%s is %s', async (folder, _what, block, is, commands) => {
    const other = new TestTown();
    mkdirSync(dirname(join(other.root, folder)), { recursive: true });
    block(join(other.root, folder));
    const before = readdirSync(other.root, { recursive: true });
    for (const command of commands) {
      const { code, stderr } = await other.run(...command.split(' '));
      expect(stderr).toMatch(
        new RegExp(`^town: \\S+/${folder} is ${is.source} where a folder .*; move it away and try again\n$`),
      );
      expect([command, code, readdirSync(other.root, { recursive: true })]).toEqual([command, 2, before]);
    }
  });
});

describe('errors for programs', () => {
  // Rules: F-4.
  test('are one object with a code, on stderr, and stdout stays empty', async () => {
    const { code, stdout, stderr } = await town.run('warrant', 'file', 'nobody', '--reason', 'x', '--json');
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toMatchObject({ schema: 'error/1', error: { code: 'unknown_session', exit: 2 } });
    expect(code).toBe(2);
  });

  test.each([
    [['demo', '--speed', '1000'], 2, 'bad_usage'],
    [['daemon', 'run'], 5, 'refused'],
  ])('%j, too', async (words, exit, code) => {
    const stopped = new TestTown();
    expect((await stopped.run('down')).code).toBe(0);
    const ran = await stopped.run(...words, '--json');
    expect([ran.code, ran.stdout, JSON.parse(ran.stderr)]).toMatchObject([exit, '', { error: { code, exit } }]);
    const plain = await stopped.run(...words);
    expect([plain.code, plain.stderr.trim().split('\n')]).toMatchObject([exit, { length: 1 }]);
  });

  test('a configuration tells every mistake, one line each', async () => {
    const bad = new TestTown('[dance]\npool_size = 21\nterm_grace = 5\n[dnce]\nx = 1\n');
    const plain = await bad.run('config', 'check');
    expect(plain.code).toBe(2);
    expect(plain.stderr.trim().split('\n')).toHaveLength(3);
    const { stderr } = await bad.run('config', 'check', '--json');
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'bad_config', lines: { length: 3 } } });
  });
});

describe('hostile files', () => {
  test('are named, left where they are, and hide nothing else', async () => {
    const own = new TestTown();
    own.session('builder');
    own.dance('dog-2', 'builder');
    const folder = join(own.root, WARRANTS);
    mkdirSync(folder, { recursive: true });
    closeSync(openSync(join(folder, 'huge.json'), 'w'));
    truncateSync(join(folder, 'huge.json'), 100_000_000);
    execFileSync('mkfifo', [join(folder, 'pipe.json')]);
    symlinkSync('/dev/zero', join(folder, 'zero.json'));
    writeFileSync(join(folder, 'broken.json'), '{"id":');
    writeFileSync(join(folder, 'newer.json'), '{"schema":"warrant/9"}');
    writeFileSync(join(folder, 'good.json'), JSON.stringify({ target: 'builder', reason: 'r', requester: 'me' }));
    const { stdout, stderr, code } = await own.run('warrant', 'list', '--json');
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { data: { id: string }[] }).data.map(({ id }) => id).sort()).toEqual([
      'good',
      'w-dog-2',
    ]);
    for (const name of ['huge', 'pipe', 'zero', 'broken', 'newer'])
      expect(stderr).toContain(`${name}.json is left out`);
    expect(own.names(WARRANTS)).toHaveLength(6);
  });

  test('a root that cannot be written is told in one sentence', async () => {
    const own = new TestTown();
    own.session('builder');
    writeFileSync(join(own.root, 'deacon'), '');
    const { stderr, code } = await own.run('warrant', 'file', 'builder', '--reason', 'x');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/ENOTDIR|EEXIST/);
    expect(code).toBe(1);
  });
});
