/**
 * The sentences of stories that real processes play: a town in a root of its own, and what each command printed. Ids, pids,
 * epochs and times are told by the order in which they came, so that a golden text shows which stayed the same.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TestTown, until } from '../../cli/town.ts';
import type { Session, Status } from '../../cli/views.ts';

/** What stands for a number or an id, by its kind and the order in which they came. */
const KINDS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/(?<=\bepoch )\d+/g, 'epoch'],
  [/(?<=\b(?:town|guard|pid|process) )\d+/g, 'process'],
  [/\bm-\d{13}-[0-9a-f]+/g, 'message'],
];

export class Scene {
  readonly town = new TestTown();
  readonly other = new TestTown();
  readonly #told = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor() {
    const tell = ['sh', '-c', `(cat; echo) >> ${join(this.town.home, 'heard')}`];
    this.town.configure(`[notify]\ncommand = ${JSON.stringify(tell)}\n`);
    this.other.configure('', this.town.socket);
  }

  heard(): string {
    return readFileSync(join(this.town.home, 'heard'), 'utf8');
  }

  /** `text` without what is another at each telling. */
  plain(text: string): string {
    const named = KINDS.reduce(
      (line, [pattern, name]) => line.replace(pattern, (id) => this.#labelOf(id, name)),
      text
        .replaceAll(this.town.root, 'ROOT')
        .replaceAll(this.other.root, 'OTHER')
        .replaceAll(this.town.socket, 'SOCKET'),
    );
    return named.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:, (?:now|.* ago))?/g, 'TIME');
  }

  /** What a label stands for; any other word is itself. */
  meant(word: string): string {
    return [...this.#told].find(([, label]) => label === word)?.[0] ?? word;
  }

  #labelOf(id: string, name: string): string {
    const known = this.#told.get(id);
    if (known !== undefined) return known;
    const n = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, n);
    const label = `${name}#${n}`;
    this.#told.set(id, label);
    return label;
  }
}

async function command(scene: Scene, line: string, town = scene.town): Promise<string[]> {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
  const { code, stdout, stderr } = await town.run(...words.slice(1).map((word) => scene.meant(word)));
  // An empty line would be one of the story's own.
  const said = `${stdout}${stderr}`.replaceAll(/\n\s*\n/g, '\n').trim();
  return [...(said === '' ? [] : said.split('\n')), ...(code === 0 ? [] : [`exit ${code ?? 'by a signal'}`])];
}

const standing = ({ pid, guard_pid: guard }: Status): string => `town ${pid}, guard ${guard ?? 'none'}`;

/** Kills one of the two and waits until there is another in its place. */
async function kill({ town }: Scene, what: 'pid' | 'guard_pid'): Promise<string[]> {
  const before = await town.data<Status>('status');
  process.kill(before[what] ?? NaN, 'SIGKILL');
  const isBack = (now: Status): boolean =>
    now.ready && now.guard_pid !== null && ![null, before[what]].includes(now[what]);
  const after = await until(() => town.data<Status>('status'), isBack);
  return [`before: ${standing(before)}`, `after: ${standing(after)}`];
}

async function sessions({ town }: Scene): Promise<string[]> {
  const { code, stdout } = await town.run('session', 'list', '--json');
  const { data } = JSON.parse(stdout) as { data: readonly Session[] };
  const word = (is: boolean | null, yes: string, no: string): string =>
    is === null ? `not known to be ${yes}` : is ? yes : no;
  const lines = data.map(
    ({ name, state, alive, in_tmux, note }) =>
      `${name}: ${state}, ${word(alive, 'alive', 'gone')}, ${word(in_tmux, 'in tmux', 'not in tmux')}${note === '' ? '' : `; ${note}`}`,
  );
  return [...lines, ...(code === 0 ? [] : [`exit ${code ?? 'by a signal'}`])];
}

/** Whether nothing of it runs any more; one that was not waited for yet still has its number. */
const isGone = (pid: number): boolean =>
  /^(?:Z.*)?$/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim());

/** Resolves when its process is gone. */
async function killAgent({ town }: Scene, name: string): Promise<string[]> {
  const found = await town.data<readonly Session[]>('session', 'list');
  const pid = found.find((one) => one.name === name)?.pid ?? NaN;
  process.kill(pid, 'SIGKILL');
  while (!isGone(pid)) await pause(20);
  return [];
}

/** What was done says nothing. */
const quietly = (_: unknown): Promise<string[]> => Promise.resolve([]);
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
    .sort();

const SENTENCES: readonly (readonly [RegExp, (scene: Scene, ...words: string[]) => Promise<string[]>])[] = [
  [/^\$ (town .+)$/, (scene, line) => command(scene, line)],
  [/^\$ in another root: (town .+)$/, (scene, line) => command(scene, line, scene.other)],
  [/^The guard is killed, and another one comes\.$/, (scene) => kill(scene, 'guard_pid')],
  [/^The town is killed, and another one comes\.$/, (scene) => kill(scene, 'pid')],
  [/^What runs is asked for\.$/, sessions],
  [/^The agent of (\S+) is killed\.$/, killAgent],
  [
    /^A person opens the session (\S+) in tmux\.$/,
    ({ town }, name) => quietly(town.tmux('new-session', '-d', '-s', name, 'sleep', '100000')),
  ],
  [
    /^The session (\S+) is renamed to (\S+) by a person\.$/,
    ({ town }, from, to) => quietly(town.tmux('rename-session', '-t', `=${from}`, to)),
  ],
  [/^The files of mail are listed\.$/, ({ town }) => Promise.resolve(filesBelow(join(town.root, 'mail')))],
  [
    /^A person's command was told\.$/,
    async (scene) => {
      const whole = (text: string): boolean => text.trim() !== '' && text.endsWith('\n');
      const lines = (await until(() => scene.heard(), whole)).split('\n').filter((line) => line.trim() !== '');
      const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      return told.map(({ kind, from, subject, text }) => [kind, from, subject, text].map(String).join(' · '));
    },
  ],
];

/** What a sentence does. */
export function actOf(sentence: string): (scene: Scene) => Promise<string[]> {
  for (const [pattern, act] of SENTENCES) {
    const words = pattern.exec(sentence);
    if (words) return (scene) => act(scene, ...words.slice(1));
  }
  throw new Error(`No story knows the sentence "${sentence}"; see test/stories/live/sentences.ts for those there are.`);
}
