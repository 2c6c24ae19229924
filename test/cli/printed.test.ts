/**
 * No foreign text steers the terminal of its reader: every command, on a root in which every text that may be hostile is,
 * beside a tmux with such a session, with such arguments and variables, for people and for programs.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Command } from 'commander';
import { STATE } from '../../state/files/policy.ts';
import { build } from '../../src/cli/program.ts';
import { KIND_NAMES } from '../../src/journal/lines.ts';
import { decodeDance, danceText } from '../../state/hearings/dances.ts';
import type { Decoded } from '../../state/files/decode.ts';
import { FILES, nameOf, paths } from '../../state/files/layout.ts';
import { noteText, noteFileOf, pauseText } from '../../state/watchdog/records.ts';
import { withChecksum } from '../../state/files/checksum.ts';
import { decodeSession, sessionText } from '../../state/sessions/records.ts';
import { decodeWarrant, warrantText } from '../../state/hearings/warrants.ts';
import { closed, dance, session, warrant } from '../state/make.ts';
import type { Call } from './programs/every.ts';
import { MAIN, TestTown } from './town.ts';

const STEERS = /[\0-\x08\v-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
/** What the town means itself on a terminal; foreign text here holds none of it. */
const COLOURS = /\u001b\[(?:1|2|22|31|32|33|39)m/g;

const SEQUENCES = ['\u001b[35m', '\u001b[2J', '\u001b]0;title\u0007', '\u001bPq\u001b\\', '\u009b2J', '\u001b', '\r'];
const SIGNS = [...Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)), '\u202e', '\u2066', '\u202a']
  .filter((sign) => sign.search(STEERS) === 0)
  .filter((sign) => sign !== '\0');
const EACH = `\u001b[35m\u009b2J\u202e\u2066\r\u007f\u0008`;
/** No NUL and no slash: it is also an argument and a folder's name. */
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...SEQUENCES), fc.constantFrom(...SIGNS), fc.constantFrom('word', ' ', 'é', '漢')), {
    maxLength: 8,
  })
  .map((parts) => `x${EACH}${parts.join('')}y`);

type Path = readonly (string | number)[];
const leavesOf = (value: unknown, path: Path = []): Path[] =>
  typeof value === 'string'
    ? [path]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) =>
          leavesOf(inner, [...path, Array.isArray(value) ? Number(key) : key]),
        )
      : [];

function put(value: unknown, [key, ...rest]: Path, change: (text: string) => string): unknown {
  if (key === undefined) return change(value as string);
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[key] = put(copy[key], rest, change);
  return copy;
}

/** With hostile text behind every text that may have it there; `ids` stay, since callers type them. */
function poisoned<T>(value: T, text: string, ids: readonly string[], reads: (value: T) => Decoded<unknown>): T {
  expect(reads(value)).toMatchObject({ ok: true });
  return leavesOf(value)
    .filter((path) => !ids.includes(path.join('.')))
    .reduce<T>((kept, path) => {
      const next = put(kept, path, (before) => before + text) as T;
      return reads(next).ok ? next : kept;
    }, value);
}

function fill(town: TestTown, text: string): void {
  const at = Date.now();
  const nux = session('gt-nux', { note: 'note', pending: 'p', asked: { uuid: 'u', then: 'end' } });
  const nuxFile = paths.session('gt-nux').split('/').at(-1)!;
  town.write(
    paths.session('gt-nux'),
    sessionText(poisoned(nux, text, ['spec.name'], (one) => decodeSession(sessionText(one), nuxFile))),
  );
  town.write(paths.session(`s${text}`), sessionText(session(`s${text}`, { state: 'ended' })));
  const attempts = dance().attempts;
  const hearings = [
    [paths.active('dog-1'), dance('dog-1', { attempts, excluded: [{ pid: 7, started: 's', program: 'p' }] }), false],
    [
      paths.completed('dog-2'),
      closed('dog-2', { rescue: { folder: 'f', ref: 'r' }, closedAt: at, openedAt: at }),
      true,
    ],
  ] as const;
  for (const [path, value, isClosed] of hearings) {
    const reads = (one: typeof value) => decodeDance(danceText(one), path.split('/').at(-1)!, isClosed);
    town.write(path, danceText(poisoned(value, text, ['id', 'stage', 'target.session'], reads)));
  }
  const reads = (one: ReturnType<typeof warrant>) => decodeWarrant(warrantText(one), STATE);
  town.write(
    paths.warrant('w-9'),
    warrantText(poisoned(warrant('w-9', { filedAt: at }), text, ['id', 'target.session'], reads)),
  );
  town.write('deacon/dogs/warrants/bad.json', `{"target":${JSON.stringify(text)}`);
  const letter = { schema: 'mail/1', id: 'm-1', from: text, to: text, subject: text, body: `a\n${text}`, via: 'agent' };
  const sent = { sent_at: new Date(at).toISOString(), urgent: true, needs_response: false, incarnation: text };
  for (const box of ['overseer', 'gt-nux', 'deacon'])
    town.write(`mail/${box}/new/m-1.json`, withChecksum({ ...letter, ...sent }));
  town.write('mail/overseer/new/m-2.json', withChecksum({ ...letter, ...sent, id: text, sent_at: text }));
  const alert = { schema: 'alert/1', severity: 'high', session: text, life: text, text, since: at, count: 1 };
  for (const episode of ['e', text]) {
    town.write(
      `alerts/${nameOf(episode)}.json`,
      withChecksum({ ...alert, episode, told_at: at, ended_at: null, recovery: text }),
    );
  }
  town.write('alerts/e.ack', withChecksum({ schema: 'ack/1', since: at, by: text, at }));
  town.write(FILES.paused, pauseText({ since: text, by: text, reason: text }));
  const beat = { at, cycle: 3, lastAction: text, healthy: 1, unhealthy: 0, nextDueAt: at, incarnation: text };
  town.write(FILES.heartbeat, noteText('heartbeat', beat));
  const memory = { uuid: text, wakes: 0, spared: false, undelivered: 0 };
  const status = {
    at,
    action: 'NOTHING',
    reason: text,
    heartbeatAgeMs: 5,
    session: text,
    result: text,
    memory,
  } as const;
  const check = { uuid: text, lastPingAt: at, lastAnswerAt: null, failures: 2, code: 'M2X9', result: text };
  for (const note of [
    noteFileOf({ kind: 'note', id: 'bootStatus', value: status }),
    noteFileOf({ kind: 'note', id: 'healthChecks', value: { 'gt-nux': check, [text]: check } }),
  ])
    town.write(note.path, note.text!);
  town.write(FILES.daemonLog, `{"level":30,"msg":${JSON.stringify(text)}}\n${text}\n`);
  town.write(FILES.guardLog, `${text}\n`);
  town.write(FILES.stopped, text);
  const guard = { schema: 'guard/1', pid: 999_999_999, started: text, epoch: 1, town: null, falls: 1 };
  town.write(
    FILES.guard,
    JSON.stringify({ ...guard, lastExit: text, nextTryAt: text, last_exit: text, next_try_at: text }),
  );
  town.write('broken/town.toml', `[town]\nprotected = [${JSON.stringify(text)}]\n${JSON.stringify(text)} = 1\n`);
  town.write('garbage/town.toml', text);
  town.write('packs/mine.toml', `name = ${JSON.stringify(text)}\n`);
  town.write('screen.txt', `${text}\n❯ ${text}\n`);
  town.write(`journal/${new Date(at).toISOString().slice(0, 10)}.jsonl`, journal(at, text));
}

/** Every kind that has a sentence, and one that has none, with the same words in each field. */
function journal(at: number, text: string): string {
  const said = { kind: 'dialog', what: text, why: text, by: text, folder: text, verb: text, signal: text };
  const words = ['reason note why text what result action by from to mail subject verdict state code signal pane dance']
    .concat('session severity warrant requester charge id episode attempt server pid epoch previous program ref')
    .flatMap((line) => line.split(' '));
  const fields = { ...Object.fromEntries(words.map((word) => [word, text])), command: [text, text], life: text };
  const more = { sight: said, obstacle: said, request: said, rescue: said, exit: { ...said, kind: 'signal' } };
  return [...KIND_NAMES, text]
    .flatMap((kind) => [
      { at: new Date(at).toISOString(), kind, ...fields, ...more },
      { at: new Date(at).toISOString(), kind, ...fields, ...more, session: 'gt-nux', uuid: 'uuid-gt-nux' },
    ])
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

/** They start a town, or go on for ever. */
const APART = /^(up|restart|demo|daemon run)$/;
const ENDLESS = /^--(follow|http|watch)$/;
/** On a terminal it goes on for ever, unless it is told not to. */
const STAYS = /^watch$/;
/** What an argument of this name may be, besides a session. */
const RECORDS = ['dog-1', 'dog-2', 'w-9', 'm-1', 'e'];
const MEANT: Readonly<Record<string, readonly string[]>> = {
  id: RECORDS,
  number: RECORDS,
  what: RECORDS,
  code: ['K73F'],
  shell: ['bash'],
  file: ['screen.txt'],
};

/** The calls of one command. */
interface Plays {
  /** With each id that it may mean, with all its switches at once, and with hostile words. */
  readonly given: readonly string[][];
  /** With each of its options. */
  readonly optional: readonly string[][];
  readonly plain: readonly string[];
}

function playsOf(at: Command, path: readonly string[], text: string): Plays {
  const named = at.registeredArguments;
  const must = [
    ...at.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long!, text]),
    ...(STAYS.test(path.join(' ')) ? ['--once'] : []),
  ];
  const plain = [...path, ...named.map(() => 'gt-nux'), ...must];
  const meant = named.slice(0, 1).flatMap((one) => ['gt-nux', 'foreign', ...(MEANT[one.name()] ?? []), text]);
  const ids = named.length === 0 ? [[]] : meant.map((id) => [id, ...named.slice(1).map(() => text)]);
  const flags = at.options.filter(
    ({ long }) => !ENDLESS.test(long ?? '') && !['--root', '--json'].includes(long ?? ''),
  );
  const all = flags.filter(({ required }) => !required).map(({ long }) => long!);
  const given = ids.map((words) => [...path, ...words, ...must]);
  return {
    given: [...given, [...plain, ...all], [...path, text], [...path, `--${text}`]],
    optional: flags.map(({ long, required }) => [...plain, long!, ...(required ? [text] : [])]),
    plain,
  };
}

/**
 * Every command: for a person at a terminal also with each of its options, or for a program. All that programs get goes through one
 * place, whichever option it comes from; without --json it differs from a terminal's by its colours alone.
 */
function callsOf(program: Command, text: string, root: string, isTerminal: boolean): Call[] {
  const walk = (at: Command, path: readonly string[]): string[][] => {
    if (APART.test(path.join(' '))) return [[...path, '--help']];
    const { given, optional, plain } = playsOf(at, path, text);
    const own = isTerminal ? [...given, ...optional] : [[...plain], ...given.map((argv) => ['--json', ...argv])];
    return [...own, ...at.commands.flatMap((one) => walk(one, [...path, one.name()]))];
  };
  return walk(program, []).map((argv) => ({ argv: ['--root', root, ...argv], env: {} }));
}

/** A few commands where the root, a variable or the configuration is hostile. */
function callsElsewhere(text: string, root: string): Call[] {
  const calls = [['status'], ['session', 'list'], ['config', 'show'], ['mail', 'inbox'], ['down']];
  return calls.flatMap((argv) =>
    [argv, ['--json', ...argv]].flatMap((words) => [
      { argv: ['--root', join(root, text), ...words], env: {} },
      { argv: words, env: { TOWN_ROOT: text } },
      { argv: ['--root', root, ...words], env: { TOWN_TOKEN: text } },
      { argv: ['--root', root, ...words], env: { TOWN_DANCE_POOL_SIZE: text } },
      { argv: ['--root', root, ...words], env: { [`TOWN_${text}`]: text } },
      { argv: ['--root', join(root, 'broken'), ...words], env: {} },
      { argv: ['--root', join(root, 'garbage'), ...words], env: {} },
    ]),
  );
}

interface Put {
  readonly argv: readonly string[];
  readonly exit: number;
  readonly said: string;
}

/** What each put out. The program runs them one after the other. */
function ran(town: TestTown, calls: readonly Call[], isTerminal: boolean): readonly Put[] {
  const [from, to] = [join(town.home, 'calls.json'), join(town.home, 'put.json')];
  writeFileSync(from, JSON.stringify({ to, isTerminal, calls }));
  const every = join(import.meta.dirname, 'programs/every.ts');
  const env = { ...town.env(), ...(isTerminal && { TERM: 'xterm', FORCE_COLOR: '1' }) };
  const child = spawnSync(process.execPath, [every, from], { cwd: town.root, env, encoding: 'utf8' });
  expect([child.status, child.stderr]).toEqual([0, '']);
  return JSON.parse(readFileSync(to, 'utf8')) as Put[];
}

/** For programs all of it is there, escaped. */
const ESCAPED = ['\\u001b[35m', '\\u009b', '\\u202e', '\\u2066', '\\r', '\\u007f', '\\b'];
/** Commands that get as far as to tell what others wrote: else nothing would be shown by this test. */
const TELLERS = [
  'status',
  'session list',
  'session status gt-nux',
  'mail inbox',
  'mail read m-1',
  'alerts list',
  'report',
  'timeline',
  'why gt-nux',
  'dog show dog-1',
  'dog show dog-2',
  'warrant show w-9',
  'boot status',
  'deacon status',
  'daemon logs',
  'config show',
];

const program = build(() => Promise.resolve());

test(
  'no command prints what steers a terminal, wherever it came from; programs get it escaped',
  { timeout: 900_000 },
  () => {
    fc.assert(
      fc.property(hostile, fc.constant<boolean>(false), (text, isTerminal) => {
        const town = new TestTown();
        fill(town, text);
        const dir = join(town.home, `d${text}`);
        mkdirSync(dir);
        const shows = ['sh', '-c', 'printf "%s" "$0"; exec sleep 1d', text];
        town.tmux('new-session', '-d', '-s', 'foreign', '-c', dir, ...shows);
        const calls = [...callsOf(program, text, town.root, isTerminal), ...callsElsewhere(text, town.root)];
        const put = ran(town, calls, isTerminal);
        for (const { argv, said } of put) {
          const rest = isTerminal ? said.replace(COLOURS, '') : said;
          expect([argv, rest.match(STEERS)]).toEqual([argv, null]);
        }
        const told = put.filter(
          ({ argv, said }) => argv.includes('--json') && ESCAPED.every((one) => said.includes(one)),
        );
        const tellers = told.map(({ argv }) => argv.slice(3).join(' '));
        if (isTerminal) expect(put.some(({ said }) => said.search(COLOURS) >= 0)).toBe(true);
        else expect(tellers).toEqual(expect.arrayContaining(TELLERS));
      }),
      {
        numRuns: 2,
        endOnFailure: true,
        examples: [[`x${EACH}y`, true]],
      },
    );
  },
);

test('nor does an error that no code waited for', async () => {
  const town = new TestTown();
  const fault = `setTimeout(() => { throw new Error(${JSON.stringify(EACH)}); })`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(fault)}`;
  const run = spawnSync(process.execPath, [preload, MAIN, '--root', town.root, 'session', 'list'], {
    env: town.env(),
    encoding: 'utf8',
  });
  expect([run.status, run.stderr.match(STEERS)]).toEqual([1, null]);
  expect(run.stderr).toMatch(/^town: /);
});
