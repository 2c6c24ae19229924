/** Who waits for a person, as the scan tells it: what it costs, and when it counts. tmux and processes are written down here. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Incarnation } from '../../machines/protocol.ts';
import type { SaidState } from '../../machines/sessions/agent-state.ts';
import { Memory } from '../../src/hearings/memory.ts';
import { Asking } from '../../src/overview/asking.ts';
import { HANDS } from '../../src/ports/policy.ts';
import { Packs } from '../../src/screen/packs.ts';
import { readRecorded } from '../../src/screen/picture.ts';
import type { Picture } from '../../src/screen/screen.ts';
import type { Heard } from '../../src/sources/port.ts';
import { incarnation } from '../world/drive.ts';

const SECOND = 1_000;
const LIFE = incarnation(1);
const OTHER = incarnation(2);
const CLAUDE = { comm: 'claude', argv: ['claude'], exe: null, ppid: 1, tty: null, interactiveShell: false };

const screenOf = (name: string, size = '120x40'): Picture =>
  readRecorded(readFileSync(join(import.meta.dirname, `../screen/recorded/claude/${name}-${size}.txt`), 'utf8'))
    .picture;
const [DIALOG, IDLE, BUSY] = ['permission', 'fresh', 'thinking'].map((name) => screenOf(name));
const LIMIT = screenOf('limit-plan');
const REMARK = "How's progress? Need help?";
/** An empty composer, with these words in it. */
function holding(words: string): Picture {
  const empty = screenOf('fresh');
  const at = empty.rows.findIndex((row) => /^\S*❯/u.test(row));
  return { ...empty, rows: empty.rows.with(at, `❯\u00a0${words}`), cursor: { x: 2 + words.length, y: at } };
}
const UNKNOWN: Picture = { ...screenOf('fresh'), rows: ['Updating …'], cursor: { x: 0, y: 3 } };

/** A server with two panes; whatever is put into one is printed at that moment. */
class Server {
  now = 1_000 * SECOND;
  /** Calls of the tmux program. */
  programs = 0;
  isSilent = false;
  readonly #shown = new Map<string, { picture: Picture; activity: number; changes: number }>();

  show(paneId: string, picture: Picture | undefined): void {
    if (picture === undefined) throw new Error('no such screen');
    const changes = (this.#shown.get(paneId)?.changes ?? 0) + 1;
    this.#shown.set(paneId, { picture, activity: Math.floor(this.now / SECOND), changes });
  }

  readonly tmux = {
    socketPath: '/s',
    query: () => {
      if (this.isSilent) return Promise.reject(new Error('tmux does not answer'));
      const rows = [...this.#shown].map(([id, { activity, changes }]) => `${id} ${activity} ${changes} 0 0 120`);
      return Promise.resolve(rows);
    },
    sequence: (commands: readonly (readonly string[])[]) => {
      this.programs += 1;
      const printed = commands.map((command) => this.#print(command));
      return Promise.resolve({ stdout: printed.join(''), refused: null });
    },
  };

  #print(command: readonly string[]): string {
    const last = command.at(-1) ?? '';
    if (command[0] === 'display-message' && !command.includes('-t')) return `${last}\n`;
    const { picture } = this.#shown.get(command[command.indexOf('-t') + 1] ?? '') ?? {};
    if (picture === undefined) return '';
    if (command[0] === 'capture-pane') return picture.rows.map((row) => `${row}\n`).join('');
    const { cursor, width, alternate, rows, title } = picture;
    const numbers = `${LIFE.server.pid} 0 ${width} ${cursor?.x} ${cursor?.y} ${Number(alternate)} ${rows.length}`;
    const seam = last.split('\n')[1] ?? '';
    return [numbers, seam, title, seam, '', seam, ''].join('\n');
  }
}

function yard(server = new Server()) {
  const takenOut: string[] = [];
  const said = new Map<string, (at: number) => Heard>();
  const processes = { describe: (pid: number) => ({ ...CLAUDE, pid }), children: () => Promise.resolve(new Map()) };
  const asking = new Asking({
    tmux: server.tmux,
    policy: HANDS,
    packs: new Packs(),
    memory: new Memory(HANDS),
    processes: processes as never,
    clock: { now: () => server.now, wall: () => server.now, sleep: () => Promise.resolve() },
    sources: { of: () => Promise.resolve(new Map([...said].map(([uuid, at]) => [uuid, at(server.now)]))) },
    typed: () => Promise.resolve(() => Promise.resolve({ questions: [], remarks: [REMARK] })),
    takeOut: ({ uuid }) => {
      takenOut.push(uuid);
      return Promise.reject(new Error('a person pressed a key there'));
    },
  });
  const lives = [LIFE, OTHER].map((life) => ({ ...life, agent: { ...life.agent, pid: process.pid } }));
  /** As scans do, every two seconds. */
  const pass = async (seconds: number): Promise<void> => {
    for (let spent = 0; spent < seconds; spent += 2) {
      await asking.look(lives);
      server.now += 2 * SECOND;
    }
  };
  /** What the program of a life says of itself from now on, as it said for so long. */
  const says = (
    { uuid }: Incarnation,
    state: SaidState,
    detail: string | null = null,
    seconds: number | null = 0,
  ): void => {
    const since = seconds === null ? null : server.now - seconds * SECOND;
    said.set(uuid, (at) => {
      const [by, source] = ['program', 'claude session file'] as const;
      return { word: { by, source, state, since, at, detail, rule: null }, conversation: null };
    });
  };
  /** The program of the first life works, and says how far it is. */
  const steps = (progress: string, hasTool?: true): void => {
    const word = {
      by: 'program',
      source: 'claude session file',
      state: 'working',
      since: 0,
      detail: null,
      rule: null,
    } as const;
    said.set(LIFE.uuid, (at) => ({ word: { ...word, at }, conversation: null, progress, hasTool }));
  };
  /** The conversation that the program of the first life names from now on. */
  const names = (conversation: string): void => void said.set(LIFE.uuid, () => ({ word: null, conversation }));
  const conversation = () => asking.conversationOf(LIFE.uuid);
  return { server, asking, pass, takenOut, says, steps, names, conversation, of: () => asking.of(LIFE.uuid) };
}

// Rules: M-11.
test('a conversation counts once its program has named it twice, and no other meanwhile', async () => {
  const { pass, names, conversation } = yard();
  await pass(10);
  expect(conversation()).toBeUndefined();
  names('of-its-start');
  await pass(6);
  names('the-one');
  await pass(6);
  expect(conversation()).toBeUndefined();
  await pass(12);
  expect(conversation()).toBe('the-one');
});

// Rules: M-9.
test.each<[string, Picture | undefined, boolean]>([
  ['an empty composer', IDLE, true],
  ['a login that is needed, above an empty composer', screenOf('not-logged-in', '200x50'), true],
  ['a draft', holding('fix the te'), false],
  ['a dialog', DIALOG, false],
  ['a choice of logins', screenOf('login'), false],
  ['work', BUSY, false],
  ['what its pack does not know', UNKNOWN, false],
])('a composer counts as empty where the screen shows %s', async (_, picture, isEmpty) => {
  const { server, asking } = yard();
  server.show(LIFE.paneId, picture);
  const life = { ...LIFE, agent: { ...LIFE.agent, pid: process.pid } };
  expect(await asking.isEmptyNow(life)).toBe(isEmpty);
  expect(await asking.isEmptyNow({ ...life, server: { ...life.server, pid: life.server.pid + 1 } })).toBe(false);
});

describe('a dialog', () => {
  // Rules: P-4.
  test('is told within a minute, and over soon after it is answered', async () => {
    const { server, pass, of } = yard();
    server.show(LIFE.paneId, IDLE);
    expect(of()).toBeUndefined();
    await pass(30);
    expect(of()).toBeNull();
    server.show(LIFE.paneId, DIALOG);
    await pass(10);
    expect(of()).toBe('');
    await pass(30);
    expect(of()).toBe('Do you want to proceed?');
    server.show(LIFE.paneId, IDLE);
    await pass(12);
    expect(of()).toBeNull();
  });

  test('is told while a person types in that very pane: their client is not asked for', async () => {
    const { server, pass, of } = yard();
    const asked: string[] = [];
    const { query } = server.tmux;
    Object.assign(server.tmux, {
      query: (command: readonly string[]) => {
        asked.push(command[0] ?? '');
        return query();
      },
    });
    server.show(LIFE.paneId, IDLE);
    await pass(30);
    server.show(LIFE.paneId, DIALOG);
    await pass(58);
    expect(of()).toBe('Do you want to proceed?');
    expect(new Set(asked)).toEqual(new Set(['list-panes']));
  });

  test('that is animated is told within a minute', async () => {
    const { server, pass, of } = yard();
    server.show(LIFE.paneId, BUSY);
    await pass(20);
    for (let second = 0; second < 58; second += 2) {
      server.show(LIFE.paneId, DIALOG);
      await pass(2);
    }
    expect(of()).toBe('Do you want to proceed?');
  });

  test('that is answered at once is not told', async () => {
    const { server, pass, of } = yard();
    server.show(LIFE.paneId, DIALOG);
    await pass(8);
    server.show(LIFE.paneId, BUSY);
    await pass(40);
    expect(of()).toBeNull();
  });

  test.each<[string, (server: Server) => void]>([
    ['a screen that its pack does not know', (server) => server.show(LIFE.paneId, UNKNOWN)],
    ['a tmux that does not answer', (server) => (server.isSilent = true)],
  ])('stands on behind %s', async (_, happens) => {
    const { server, pass, of } = yard();
    server.show(LIFE.paneId, DIALOG);
    await pass(40);
    happens(server);
    await pass(60);
    expect(of()).toBe('Do you want to proceed?');
  });
});

// Rules: P-4.
test('panes that stand still cost no program; all that change cost one together', async () => {
  const { server, pass } = yard();
  server.show(LIFE.paneId, DIALOG);
  server.show(OTHER.paneId, IDLE);
  await pass(30);
  const before = server.programs;
  expect(before).toBeLessThanOrEqual(2);
  await pass(600);
  expect(server.programs).toBe(before);
  for (let second = 0; second < 60; second += 2) {
    for (const { paneId } of [LIFE, OTHER]) server.show(paneId, BUSY);
    await pass(2);
  }
  expect(server.programs - before).toBeLessThanOrEqual(3);
});

describe('words in a composer', () => {
  // Rules: D-6.
  test('that are the old ones of the town are taken out, at each look until they are gone', async () => {
    const { server, pass, takenOut } = yard();
    server.show(LIFE.paneId, holding(REMARK));
    await pass(30);
    expect(takenOut.length).toBeGreaterThan(3);
    expect(new Set(takenOut)).toEqual(new Set([LIFE.uuid]));
    server.show(LIFE.paneId, IDLE);
    const before = takenOut.length;
    await pass(30);
    expect(takenOut.length).toBe(before);
  });

  test.each(['fix the tests', `${REMARK} No, wait`, REMARK.slice(0, 14)])(
    'that are not ours alone stay: %s',
    async (words) => {
      const { server, pass, takenOut } = yard();
      server.show(LIFE.paneId, holding(words));
      await pass(60);
      expect(takenOut).toEqual([]);
    },
  );
});

// Rules: M-2.
describe('a program that says itself how it is', () => {
  test('is not looked at while it works or asks, however much it draws', async () => {
    const { server, asking, pass, says, of } = yard();
    const [state, question] = ['asks', 'permission prompt'] as const;
    says(LIFE, 'working');
    says(OTHER, state, question);
    for (let second = 0; second < 120; second += 2) {
      for (const { paneId } of [LIFE, OTHER]) server.show(paneId, BUSY);
      await pass(2);
    }
    expect(server.programs).toBe(0);
    expect([of(), asking.of(OTHER.uuid)]).toEqual([null, question]);
  });

  test('asks since it says so, also where the town began later', async () => {
    const { server, pass, says, of } = yard();
    server.show(LIFE.paneId, DIALOG);
    says(LIFE, 'asks', 'permission prompt', 60);
    await pass(2);
    expect(of()).toBe('permission prompt');
  });

  test('asks since it was first heard to, where it does not tell since when', async () => {
    const { pass, says, of } = yard();
    says(LIFE, 'asks', 'an approval', null);
    await pass(6);
    expect(of()).toBe('');
    await pass(60);
    expect(of()).toBe('an approval');
    says(LIFE, 'working');
    await pass(6);
    says(LIFE, 'asks', 'an approval', null);
    await pass(6);
    expect(of()).toBe('');
  });

  test('asks nothing any more as soon as it is at rest, although its dialog was drawn last', async () => {
    const { server, pass, says, of } = yard();
    says(LIFE, 'asks', 'permission prompt', 60);
    await pass(6);
    says(LIFE, 'idle');
    server.show(LIFE.paneId, UNKNOWN);
    await pass(6);
    expect(of()).toBeNull();
  });

  test('and is at rest is looked at once, for what only its screen tells', async () => {
    const { server, asking, pass, says } = yard();
    server.show(LIFE.paneId, LIMIT);
    says(LIFE, 'idle');
    await pass(30);
    expect(asking.seen(LIFE.uuid)?.word).toMatchObject({
      by: 'screen',
      state: 'limited',
      source: 'screen, by pack claude',
    });
    const before = server.programs;
    await pass(600);
    expect(server.programs).toBe(before);
  });
});

// Rules: M-3.
describe('a program that works and tells of no step', () => {
  const STREAM = screenOf('streaming');
  const further = (line: string): Picture => {
    const at = STREAM.rows.findIndex((row) => row.includes('Line '));
    return { ...STREAM, rows: STREAM.rows.with(at, line) };
  };
  const working = () => {
    const all = yard();
    all.server.show(LIFE.paneId, STREAM);
    all.steps('a step');
    /** As the monitor does: what it finds new on the screen. */
    const closely = async () => {
      await all.asking.look([LIFE], true);
      all.server.now += 30 * SECOND;
      return all.asking.seen(LIFE.uuid)?.wrote?.news;
    };
    return { ...all, closely };
  };

  test('is read by a close look alone, and what it streams is news', async () => {
    const { server, asking, pass, closely } = working();
    await pass(60);
    await closely();
    expect(server.programs).toBe(0);
    expect(await closely()).toBe(0);
    server.show(LIFE.paneId, further('Line 7 of a long answer'));
    expect(await closely()).toBe(1);
    expect(await closely()).toBe(1);
    expect(asking.seen(LIFE.uuid)).toMatchObject({ word: null });
    expect(asking.of(LIFE.uuid)).toBeNull();
  });

  test('is not read while it makes steps, nor while a tool runs that has time left', async () => {
    const { server, steps, closely } = working();
    for (const step of ['b', 'c', 'd']) {
      steps(step);
      await closely();
    }
    steps('d', true);
    await closely();
    await closely();
    expect(server.programs).toBe(0);
  });

  test('shows nothing new by the first look at another standstill', async () => {
    const { server, steps, closely } = working();
    await closely();
    expect(await closely()).toBe(0);
    steps('b');
    server.show(LIFE.paneId, further('Line 9 of a long answer'));
    await closely();
    expect(await closely()).toBe(0);
  });
});

// Rules: M-13.
test('a screen that its pack does not know tells why it says nothing, until it is known', async () => {
  const { server, asking, pass } = yard();
  expect(asking.seen(LIFE.uuid)).toBeUndefined();
  server.show(LIFE.paneId, UNKNOWN);
  await pass(30);
  expect(asking.seen(LIFE.uuid)).toMatchObject({ word: null, unheard: 'its pack does not know the screen' });
  server.show(LIFE.paneId, IDLE);
  await pass(30);
  expect(asking.seen(LIFE.uuid)).toMatchObject({ word: { state: 'idle' }, unheard: null });
});
