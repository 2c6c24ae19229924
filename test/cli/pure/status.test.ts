/** `town status` of any town on terminals of any width: what matters least is left out first, and no word is cut. */
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { asking } from '../../../src/cli/story/asking.ts';
import { ownWord, statusText, type StatusData } from '../../../src/cli/status-text.ts';
import { columnsOf } from '../../../src/terminal/columns.ts';
import { leaving } from '../../../src/terminal/streams.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const { isTTY, columns } = process.stdout;
beforeEach(() => vi.useFakeTimers({ now: NOW }));
afterEach(() => {
  vi.useRealTimers();
  Object.assign(process.stdout, { isTTY, columns });
});

/** As it stands on a terminal so wide; null = in a pipe. */
function shown(data: StatusData, room: number | null): string[] {
  Object.assign(process.stdout, { isTTY: room !== null, columns: room ?? undefined });
  return stripVTControlCharacters(leaving(statusText(data))).split('\n');
}

const word = fc.stringMatching(/^[a-z0-9]{1,18}$/);
const text = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(' '));
/** Longer ones have a line of their own. */
const name = fc.oneof(word, fc.stringMatching(/^[a-z][a-z-]{1,70}$/));
const maybe = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(one);
const instant = fc.integer({ min: -9e9, max: 9e9 }).map((ms) => new Date(NOW + ms).toISOString());
const hearing = fc.record({
  dance: word,
  question: fc.nat(3),
  questions: fc.constant(3),
  charge: text,
  requester: name,
  stage: fc.constantFrom('idle', 'interrogating.listening', 'evaluating', 'executing.killing'),
  window_ends_at: maybe(instant),
});
const session = fc.record({
  name,
  alive: maybe(fc.boolean()),
  pid: maybe(fc.nat(4_194_304)),
  uuid: maybe(word),
  tags: fc.array(word),
  state: fc.constantFrom('running', 'starting', 'backing_off', 'ended', 'observed', 'foreign'),
  restart: maybe(word),
  restarts: fc.nat(9_999),
  command: fc.array(word),
  dir: maybe(word),
  in_tmux: maybe(fc.boolean()),
  started_at: maybe(instant),
  crash_loop: fc.boolean(),
  next_start_at: maybe(instant),
  memory_bytes: maybe(fc.nat(9e12)),
  cpu: maybe(fc.double({ min: 0, max: 99 })),
  hearing: maybe(hearing),
  survivors: fc.array(word),
  note: fc.oneof(fc.constant(''), text),
});
const alert = fc.record({
  episode: word,
  severity: fc.constantFrom('critical', 'high', 'medium'),
  session: maybe(name),
  text,
  since: instant,
  acked: fc.boolean(),
  type: maybe(fc.array(text, { maxLength: 3 })),
});
const mail = fc.record({ id: word, from: name, subject: text, via: fc.constantFrom('operator', 'agent', 'town') });
const round = fc.record({
  cycle: fc.nat(9),
  ended_at: instant,
  why: maybe(text),
  failures: fc.nat(9),
  done: fc.nat(9),
  undone: fc.nat(9),
  observed: fc.constant({ convoys: 3, gates: 1, triage: 7 }),
  stranded: fc.array(word),
});
const rig = fc.record({
  name: word,
  patrol: maybe(round),
  polecats: fc.array(fc.record({ name: word, bead: maybe(word), step: fc.constant('working') })),
});
const work = fc.record({
  rigs: fc.array(rig, { maxLength: 3 }),
  deacon: maybe(round),
  model_calls: fc.nat(9),
  cycles: fc.nat(9),
  triage_cycles: fc.nat(9),
  triage_share: maybe(fc.double({ min: 0, max: 1 })),
});
const town: fc.Arbitrary<StatusData> = fc
  .record({
    running: fc.boolean(),
    answers: fc.boolean(),
    ready: fc.boolean(),
    degraded: fc.boolean(),
    pid: maybe(fc.nat()),
    guard_pid: maybe(fc.nat()),
    guard_fault: maybe(text),
    silent_why: maybe(text),
    back_why: maybe(text),
    degraded_why: maybe(text),
    waiting: maybe(text),
    epoch: maybe(fc.nat()),
    started_at: maybe(instant),
    root: word.map((one) => `/${one}`),
    tmux_socket: word.map((one) => `/${one}`),
    tmux_fault: maybe(text),
    tmux_holder: maybe(fc.record({ root: maybe(word), pid: maybe(fc.nat()), guard_pid: maybe(fc.nat()) })),
    dances: fc.nat(40),
    sessions: fc.array(session, { maxLength: 12 }),
    work: maybe(work),
    deaf: fc.array(
      fc.record({ session: word, because: fc.constantFrom('it has no pane', 'no pack knows the program') }),
    ),
    alerts: fc.array(alert, { maxLength: 5 }),
    mail: maybe(fc.array(mail, { maxLength: 4 })),
    actors: fc.array(fc.record({ id: word, state: word, restarts: fc.nat(3) }), { maxLength: 3 }),
  })
  .map(({ work: rigs, deaf, ...more }) => {
    const { questions } = asking(more);
    return {
      ...ownWord(null),
      ...more,
      questions,
      not_watched: deaf,
      ...(rigs !== null && { work: rigs }),
    } as unknown as StatusData;
  });

const HEADS = ['NAME', 'STATE', 'AGE', 'CPU', 'MEMORY', 'RESTARTS', 'PID', 'NOTE'];
/** The first goes first. */
const LEAST = ['PID', 'RESTARTS', 'MEMORY', 'CPU', 'AGE'];
const headsOf = (lines: readonly string[]): string[] =>
  lines.find((line) => /^NAME +STATE/.test(line))?.split(/ +/) ?? [];
const wordsOf = (lines: readonly string[]): Set<string> => new Set(lines.join(' ').split(/\s+/));

test.each([40, 80, 200])('at %i columns each line fits, each word is whole, and the least goes first', (room) => {
  fc.assert(
    fc.property(town, (data) => {
      const whole = wordsOf(shown(data, null));
      const lines = shown(data, room);
      expect(lines.filter((line) => columnsOf(line) > room && line.trim().includes(' '))).toEqual([]);
      expect([...wordsOf(lines)].filter((one) => !whole.has(one))).toEqual([]);
      if (data.sessions === null || data.sessions.length === 0) return;
      const heads = headsOf(lines);
      const gone = LEAST.filter((head) => !heads.includes(head));
      expect(gone).toEqual(LEAST.slice(0, gone.length));
      expect(heads).toEqual(HEADS.filter((head) => !gone.includes(head) && (head !== 'NOTE' || heads.includes(head))));
      if (room === 200) expect(gone).toEqual([]);
      const all = wordsOf(lines);
      for (const { name: one } of data.sessions) expect(all).toContain(one);
    }),
    { numRuns: 300 },
  );
});
