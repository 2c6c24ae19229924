/** A town.toml as it is read: which source wins, what it becomes, and each mistake in a sentence. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { loadSettings, type LoadOptions } from '../../src/config/load.ts';
import type { Settings } from '../../src/config/settings.ts';
import { tempFolder } from '../world/over.ts';
import { refusal } from './refusal.ts';

let root = '';
beforeEach(() => (root = tempFolder('town-config')));

const toml = (text: string): void => writeFileSync(join(root, 'town.toml'), text);
const load = (options: LoadOptions = {}): Settings => loadSettings({ root, env: {}, ...options });

describe('precedence', () => {
  const pool = (options: LoadOptions): number => load(options).policy.dance.poolSize;

  test('flag > environment > file > default', () => {
    const env = { TOWN_DANCE_POOL_SIZE: '7', GT_DOG_POOL_SIZE: '8' };
    expect(pool({})).toBe(5);
    toml('[dance]\npool_size = 6');
    expect(pool({})).toBe(6);
    expect(pool({ env: { GT_DOG_POOL_SIZE: '8' } })).toBe(8);
    expect(pool({ env })).toBe(7);
    expect(pool({ env, set: ['dance.pool_size=9'] })).toBe(9);
    expect(pool({ env: { GT_DOG_POOL_SIZE: '' } })).toBe(6);
  });

  test('the settings say where a value came from', () => {
    toml('[dance]\npool_size = 6\nterm_grace = "6s"');
    const { sources, file } = load({ env: { GT_DOG_POOL_SIZE: '8' } });
    expect(sources).toEqual({ 'dance.pool_size': '$GT_DOG_POOL_SIZE', 'dance.term_grace': file });
  });
});

describe('the whole file of a careful person', () => {
  test('lands in the settings, section by section', () => {
    toml(`
[town]
protected = ["mayor", "hq-*"]
[tmux]
socket = "agents"
[patrol]
idle = "3m"
[notify]
command = ["notify-send", "town"]
[rig.shop]
[[agents]]
name = "builder"
command = "npm run agent"
tags = ["worker"]
`);
    const settings = load();
    expect(settings.town.protected).toEqual(['mayor', 'hq-*']);
    expect(settings.tmux.socket).toBe('agents');
    expect(settings.notify.command).toEqual(['notify-send', 'town']);
    expect(settings.policy.watchdog.deacon.idleMs).toBe(180_000);
    expect(settings.rigs).toMatchObject({
      shop: { agent: null, witness: null, refinery: null, max_polecats: 5, merge: 'merge', test_limit: 1_800_000 },
    });
    expect(settings.agents).toEqual([
      {
        name: 'builder',
        command: ['/bin/sh', '-c', 'npm run agent'],
        dir: null,
        tags: ['worker'],
        restart: 'transient',
        env: [],
        max_memory: 0,
      },
    ]);
  });
});

describe('mistakes', () => {
  test.each([
    ['[dance]\npool_size = 0', /dance\.pool_size = 0: must be a whole number from 1 to 20; write .*pool_size = 5/],
    ['[dance]\npool_size = 21', /dance\.pool_size = 21: must be a whole number from 1 to 20/],
    ['[dance]\npool_size = -1', /dance\.pool_size = -1: must/],
    ['[dance]\npool_size = nan', /dance\.pool_size = NaN: must/],
    ['[dance]\npool_size = inf', /dance\.pool_size = Infinity: must/],
    ['[dance]\npool_size = "5"', /dance\.pool_size = "5": must be a whole number/],
    [
      '[dance]\nterm_grace = 5',
      /dance\.term_grace = 5: must be a duration with its unit .* write .*term_grace = "10s"/,
    ],
    ['[dance]\nterm_grace = "5"', /dance\.term_grace = "5": must be a duration with its unit/],
    ['[dance]\nterm_grace = "-5s"', /dance\.term_grace = "-5s": must be a duration/],
    ['[dance]\nterm_grace = "5 parsecs"', /"5 parsecs": must be a duration/],
    ['[dance]\nterm_grace = "NaNs"', /"NaNs": must be a duration/],
    ['[dance]\nwindows = []', /dance\.windows = \[\]: must be a list of 1 to 10 durations/],
    ['[dance]\nwindows = ["60s", "30s"]', /windows = \["60s","30s"\]: must be .* none of them 0 or shorter than/],
    ['[dance]\nwindows = ["0s"]', /windows = \["0s"\]: must be/],
    ['[dance]\nwindows = "60s"', /windows = "60s": must be a list/],
    ['[dance]\nwindows = ["60"]', /windows = \["60"\]: must be a list of 1 to 10 durations with their units/],
    ['[dance]\npardon_on = "mood"', /pardon_on = "mood": must be "evidence" or "answer"/],
    ['[dance]\npool_sise = 5', /dance\.pool_sise: unknown key; the nearest is dance\.pool_size/],
    ['[dance]\npool = 5', /dance\.pool: unknown key; the nearest is dance\.pool_size/],
    ['[dance]\nbell = "ring"', /dance\.bell: unknown key; the nearest is tickle\.bell/],
    ['[tickle]\nnicks = ["shop/nux"]', /tickle\.nicks: "shop\/nux" is no nick; write "shop\/nux=nick"/],
    ['[tickle]\nnicks = ["a=TownWatch"]', /tickle\.nicks: "TownWatch" is the town's own nick/],
    ['[tickle]\nnicks = ["a", "b=A"]', /tickle\.nicks: "b=A" has an agent or a nick that stands there before/],
    ['[[may_answer]]\nfrom = "ntfy"\nkinds = ["mention"]', /"mention" is work .* write from = "irc:<account>"/],
    ['[daemon]\nheartbeat = "3m"', /daemon\.heartbeat is a constant now \(3m, for the reason in machines\/watchdog/],
    ['[dnce]\npool_size = 5', /dnce: unknown key; the nearest is dance;/],
    ['[zzzzzzzz]\na = 5', /zzzzzzzz: unknown section; remove it, or write one of town, tmux/],
    ['dance = 5', /dance = 5: must be a section; write \[dance\]/],
    ['agents = 5', /agents = 5: must be tables; write \[\[agents\]\]/],
    ['[rig]\na = 5', /rig\.a = 5: must be a section; write \[rig\.a\]/],
    [
      '[rig]\nmax_polecats = 3',
      /rig\.max_polecats = 3: belongs to one rig; write \[rig\.<name>\] and max_polecats below/,
    ],
    [
      '[[asks.rule]]\nagent = "a"\npattern = "x"\noption = "always"',
      /asks\.rule\[1\]\.option = "always": its program would not ask again, and so act past every budget .* Write "yes"/,
    ],
    [
      '[[asks.rule]]\nagent = "a"\npattern = "("\noption = "yes"',
      /pattern = "\(": must be a regular .*; write for example pattern = "tool: Bash\\\\nfolder: \/home\/me\/app\\\\nnpm test"/,
    ],
    [
      '[[asks.rule]]\nagent = "a"\npattern = "x"\noption = "trust"',
      /asks\.rule\[1\]\.option = "trust": no question of an agent offers that; write "yes", "no"/,
    ],
    ['[asks]\noffer = ["auto"]', /asks\.offer = \["auto"\]: must be a list of "always"/],
    ['[rig."a b"]\nagent = "x"', /rig\.a b: a name has letters, digits, _ and -/],
    ['[tmux]\nsocket = "a b"', /tmux\.socket = "a b": must be a socket name/],
    ['[[agents]]\nname = "$1"\ncommand = "x"', /agents\[1\]\.name = "\$1": must be a name/],
    [
      '[[agents]]\nname = "a"\ncommand = "x"\nenv = ["K", "TOWN_TOKEN"]',
      /agents\[1\]\.env: "TOWN_TOKEN" is no name of a variable/,
    ],
    ['[[agents]]\nname = "a"', /agents\[1\] has no command/],
    ['[[agents]]\ncommand = "a"', /agents\[1\] has no name/],
    [
      '[[agents]]\nname = "a"\ncommand = "x"\n[[agents]]\nname = "a"\ncommand = "x"',
      /agents\[2\]: the name "a" is taken/,
    ],
    ['[triage]\nmost_runs = 3', /triage\.most_runs: unknown key; the nearest is triage\.max_runs;/],
    ['[sessions]\nmost_starting = 3', /sessions\.max_starting is a constant now \(4, for the reason in machines/],
    [
      '[dance]\nevidence_only_most = 3',
      /dance\.max_evidence_only is a constant now \(2, for the reason in machines\/hearings\/policy\.ts\); remove it/,
    ],
    ['[dance]\nlook_every = "1s"', /dance\.look_every is a constant now \(1s, for the reason in machines\/hearings/],
    ['[process]\nready = "5s"', /process\.ready is a constant now \(10s, for the reason in src\/ports\/policy\.ts\)/],
    ['[process]\nnever = "5s"', /process: unknown key; the nearest is presets; write that, or remove it/],
    ['[supervisor]', /supervisor: unknown section; remove it/],
    ['[patrol]\ngupp_nudge = "3m"', /patrol\.gupp_nudge: unknown key; remove it, or write one of active, idle/],
    ['[triage]\nmax_runs = -1', /triage\.max_runs = -1: must be a whole number from 0 to 10000/],
    ['[triage]\nmax_runs = 10001', /triage\.max_runs = 10001: must be a whole number from 0 to 10000/],
    ['[patrol]\nactive = "20m"', /patrol\.active = "20m" is more than patrol\.idle = "5m"/],
    ['[dance', /line 1, column \d+: .*; mend that line/],
    ['a = 1\na = 2', /line 2/],
    ['[__proto__]\na = 1', /__proto__: unknown section/],
    ['[constructor]\na = 1', /constructor: unknown section/],
    ['[dance]\ntoString = 1', /dance\.toString: unknown key/],
  ])('%j', (text, sentence) => {
    toml(text);
    const lines = refusal(load);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(sentence);
    expect(lines[0]).toContain(join(root, 'town.toml'));
    expect(lines[0]).not.toContain('\n');
  });

  test('are told all at once', () => {
    toml('[dance]\npool_size = 21\nterm_grace = 5\nx = 1\n[dnce]\n[boot]\nstale = "20m"');
    expect(refusal(load)).toHaveLength(5);
  });

  test('of the environment and of flags name their source', () => {
    const env = { TOWN_DANCE_POOL_SIZE: 'many', TOWN_DANCE_POOLSIZE: '3', TOWN_SESSION: 'a', TOWN_TOKEN: 'b' };
    const lines = refusal(() => load({ env, set: ['dance.window=1', 'pool_size=2', 'dance.pool_size'] }));
    expect(lines).toHaveLength(5);
    expect(lines.join('\n')).toMatch(/\$TOWN_DANCE_POOLSIZE = "3": unknown key; the nearest key is dance\.pool_size/);
    expect(lines.join('\n')).toMatch(/--set "dance\.window=1": no key .*; did you mean dance\.windows\?/);
    expect(lines.join('\n')).toMatch(/--set "pool_size=2": no key .*; did you mean dance\.pool_size\?/);
    expect(lines.join('\n')).toMatch(/--set "dance\.pool_size": the value is missing; write --set dance\.pool_size=…/);
    expect(lines.join('\n')).toMatch(/\$TOWN_DANCE_POOL_SIZE: dance\.pool_size = "many": must be a whole number/);
  });

  test('a constant that is given by the environment or a flag is named', () => {
    const env = { TOWN_PROCESS_READY: '2m' };
    expect(refusal(() => load({ env, set: ['dance.retry=1s'] }))).toEqual([
      '$TOWN_PROCESS_READY = "2m": process.ready is a constant now (10s, for the reason in src/ports/policy.ts); unset it',
      '--set "dance.retry=1s": dance.retry is a constant now (5s, for the reason in machines/hearings/policy.ts); leave it out',
    ]);
  });

  test('a town.toml that is no regular file or too large is not read', () => {
    const file = join(root, 'town.toml');
    execFileSync('mkfifo', [file]);
    expect(refusal(load)[0]).toMatch(/is no regular file/);
    rmSync(file);
    mkdirSync(file);
    expect(refusal(load)[0]).toMatch(/is no regular file/);
    rmSync(file, { recursive: true });
    toml(`# ${'x'.repeat(2_000_000)}`);
    expect(refusal(load)[0]).toMatch(/has 2000002 bytes, at most 1048576 are read; shorten it/);
    rmSync(file);
    symlinkSync('/dev/zero', file);
    expect(refusal(load)[0]).toMatch(/is no regular file/);
    rmSync(file);
    symlinkSync(join(root, 'nowhere'), file);
    expect(refusal(load)[0]).toMatch(/is a link that leads nowhere; mend it or remove it/);
  });
});

describe('$TOWN_NUMBERS', () => {
  const numbers = (text: string): LoadOptions => {
    writeFileSync(join(root, 'numbers.toml'), text);
    return { env: { TOWN_NUMBERS: join(root, 'numbers.toml') } };
  };

  test('replaces constants, each in its own unit, and the settings say so', () => {
    const settings = load(numbers('[dance]\nlook_every = "100ms"\n[log]\nmax_bytes = 3\n[boot]\nenabled = false'));
    expect(settings.policy.dance.lookEveryMs).toBe(100);
    expect(settings.process.logBytes).toBe(3);
    expect(settings.policy.watchdog.boot.enabled).toBe(false);
    const names = ['dance.look_every', 'log.max_bytes', 'boot.enabled'];
    expect(settings.numbers).toEqual({ file: join(root, 'numbers.toml'), names });
    expect(load().numbers).toBeNull();
    expect(load({ env: { TOWN_NUMBERS: '' } }).numbers).toBeNull();
  });

  test('refuses what is no constant, and values of another kind, all at once', () => {
    const text = 'x = 1\n[dance]\nwindows = ["1s"]\nlook_evry = "1s"\nretry = 5\nmax_rounds = "5"\n[agents.a]\nb = 1';
    const lines = refusal(() => load(numbers(text))).map((line) => line.replace(`${root}/numbers.toml: `, ''));
    expect(lines).toEqual([
      'x is no constant; src/config/constants.ts names them',
      'dance.windows is a key; write it into town.toml',
      'dance.look_evry is no constant; the nearest is dance.look_every',
      expect.stringContaining('dance.retry = 5: must be a duration with its unit'),
      expect.stringContaining('dance.max_rounds = "5": must be a number'),
      'agents.a is no constant; src/config/constants.ts names them',
    ]);
  });

  test('is an absolute path of a file that is there, and counts for the operator only', () => {
    expect(refusal(() => load({ env: { TOWN_NUMBERS: 'n.toml' } }))).toEqual([
      '$TOWN_NUMBERS = "n.toml": must be the absolute path of a TOML file',
    ]);
    expect(refusal(() => load({ env: { TOWN_NUMBERS: join(root, 'n.toml') } }))).toEqual([
      `${join(root, 'n.toml')} is not there; write it, or unset TOWN_NUMBERS`,
    ]);
    const { env } = numbers('');
    expect(refusal(() => load({ env: { ...env, TOWN_TOKEN: 'of an agent' } }))).toEqual([
      '$TOWN_NUMBERS counts for the operator only, and TOWN_TOKEN says that an agent calls; unset TOWN_NUMBERS',
    ]);
  });
});
