/** A tmux server with two panes and the look at them, with tmux and processes written down. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

export const SECOND = 1_000;
export const LIFE = incarnation(1);
export const OTHER = incarnation(2);
const CLAUDE = { comm: 'claude', argv: ['claude'], exe: null, ppid: 1, tty: null, interactiveShell: false };

export const screenOf = (name: string, size = '120x40'): Picture =>
  readRecorded(readFileSync(join(import.meta.dirname, `../screen/recorded/claude/${name}-${size}.txt`), 'utf8'))
    .picture;
export const [DIALOG, IDLE, BUSY] = ['permission', 'fresh', 'thinking'].map((name) => screenOf(name));
export const LIMIT = screenOf('limit-plan');
export const REMARK = "How's progress? Need help?";
/** An empty composer, with these words in it. */
export function holding(words: string): Picture {
  const empty = screenOf('fresh');
  const at = empty.rows.findIndex((row) => /^\S*❯/u.test(row));
  return { ...empty, rows: empty.rows.with(at, `❯\u00a0${words}`), cursor: { x: 2 + words.length, y: at } };
}
export const UNKNOWN: Picture = { ...screenOf('fresh'), rows: ['Updating …'], cursor: { x: 0, y: 3 } };

/** A server with two panes; what is put into one is printed at that moment. */
export class Server {
  now = 1_000 * SECOND;
  /** Times that panes were read. */
  readings = 0;
  isSilent = false;
  /** It takes longer to answer than a person waits. */
  isSlow = false;
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
      if (this.isSlow) return new Promise<string[]>(() => undefined);
      const rows = [...this.#shown].map(([id, { activity, changes }]) => `${id} ${activity} ${changes} 0 0 120`);
      return Promise.resolve(rows);
    },
    printed: (groups: readonly (readonly (readonly string[])[])[]) => {
      this.readings += 1;
      return Promise.resolve(groups.map((group) => group.map((command) => this.#print(command)).join('')));
    },
  };

  #print(command: readonly string[]): string {
    const last = command.at(-1) ?? '';
    const { picture } = this.#shown.get(command[command.indexOf('-t') + 1] ?? '') ?? {};
    if (picture === undefined) return '';
    if (command[0] === 'capture-pane') return picture.rows.map((row) => `${row}\n`).join('');
    const { cursor, width, alternate, rows, title } = picture;
    const numbers = `${LIFE.server.pid} 0 ${width} ${cursor?.x} ${cursor?.y} ${Number(alternate)} ${rows.length}`;
    const [seam = ''] = /seam-[\w-]{16}/.exec(last) ?? [];
    return `${[numbers, title, '', ''].join(seam)}\n`;
  }
}

export function yard(server = new Server(), policy = HANDS) {
  const takenOut: string[] = [];
  const said = new Map<string, (at: number) => Heard>();
  const processes = { describe: (pid: number) => ({ ...CLAUDE, pid }), children: () => Promise.resolve(new Map()) };
  const asking = new Asking({
    tmux: server.tmux,
    policy,
    packs: new Packs(),
    memory: new Memory(HANDS),
    processes: processes as never,
    clock: {
      now: () => server.now,
      wall: () => server.now,
      sleep: () => (server.isSlow ? Promise.resolve() : new Promise(() => undefined)),
    },
    sources: { of: () => Promise.resolve(new Map([...said].map(([uuid, at]) => [uuid, at(server.now)]))) },
    typed: () => Promise.resolve(() => Promise.resolve({ questions: [], sentTexts: [REMARK] })),
    takeOut: ({ uuid }) => {
      takenOut.push(uuid);
      return Promise.reject(new Error('a person pressed a key there'));
    },
  });
  let lives = [LIFE, OTHER].map((life) => ({ ...life, agent: { ...life.agent, pid: process.pid } }));
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
    more: Pick<Heard, 'asked' | 'mark'> = {},
  ): void => {
    const since = seconds === null ? null : server.now - seconds * SECOND;
    said.set(uuid, (at) => {
      const [by, source] = ['program', 'claude session file'] as const;
      return { word: { by, source, state, since, at, detail, rule: null }, conversation: null, ...more };
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
  const uuid = (): string => lives[0]?.uuid ?? '';
  const names = (conversation: string): void => void said.set(uuid(), () => ({ word: null, conversation }));
  const conversation = () => asking.conversationOf(uuid());
  /** The first life ends, and another one begins in its session. */
  const restart = (): void => {
    said.delete(uuid());
    lives = lives.map((life, at) => (at === 0 ? { ...life, uuid: `${life.uuid}-again` } : life));
  };
  return { server, asking, pass, takenOut, says, steps, names, conversation, restart, of: () => asking.of(LIFE.uuid) };
}
