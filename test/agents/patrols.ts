/** Real agent programs in a rig, by the commands that docs/repository.md gives: one patrols as its Witness, one works as its polecat. */
import { execa, execaSync } from 'execa';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { playOne, type Part } from './play-one.ts';
import { programOf } from './programs.ts';
import type { Stage } from './stage.ts';
import { realDisk } from '../../state/files/disk.ts';
import { noteOf } from '../../state/patrols/notes.ts';
import { writeConfig } from '../world/config.ts';

const HOUSE = join(import.meta.dirname, '..', '..');
const MAIN = join(HOUSE, 'src', 'main.ts');
const WITHIN_MS = 120_000;
const CYCLES = 3;
const PACE = '[patrol]\nactive = "1s"\nidle = "5s"\nstand_in = "1h"\n[nudge]\nevery = "1s"\n';

/** A table of docs/repository.md with this head, as a person copies it. */
function promised(head: string): string {
  const page = readFileSync(join(HOUSE, 'docs', 'repository.md'), 'utf8');
  const tables = page.split('```toml\n').map((text) => text.slice(0, text.indexOf('```')));
  const table = tables.find((text) => text.startsWith(`[${head}]\n`) && text.includes('TOWN_PROMPT_FILE'));
  if (table === undefined) throw new Error(`docs/repository.md no longer shows how an agent is set up in [${head}]`);
  return table;
}

interface Rig {
  readonly stage: Stage;
  readonly root: string;
  readonly town: <T>(...words: string[]) => Promise<T>;
  /** Asks until it is so; false = it did not come about in time. */
  readonly until: (isSo: () => Promise<boolean>) => Promise<boolean>;
  readonly screen: (session: string) => string;
}

async function rigOn(stage: Stage, table: string): Promise<Rig> {
  const root = join(stage.home, '.town');
  const remote = join(stage.home, '.bench', 'remote.git');
  mkdirSync(root);
  const shim = `#!/bin/sh\nexec ${process.execPath} ${MAIN} --root ${root} "$@"\n`;
  writeFileSync(join(stage.home, 'bin', 'town'), shim, { mode: 0o755 });
  const config = `[tmux]\nsocket = ${JSON.stringify(stage.socket)}\n${PACE}${table}`;
  const numbers = writeConfig(join(root, 'town.toml'), config, join(root, 'numbers.toml'));
  const git = (...words: string[]) => execaSync('git', words, { cwd: stage.dir });
  git('init', '-q', '--bare', '-b', 'main', remote);
  git('remote', 'add', 'origin', remote);
  git('push', '-q', '-u', 'origin', 'main');
  const env = { ...stage.env, ...numbers, PATH: `${join(stage.home, 'bin')}:${process.env['PATH'] ?? ''}` };
  const town = async <T>(...words: string[]): Promise<T> => {
    const all = [MAIN, '--root', root, '--json', ...words];
    const { stdout } = await execa(process.execPath, all, { env, extendEnv: false, cwd: stage.home });
    return (JSON.parse(stdout) as { data: T }).data;
  };
  await town('rig', 'add', 'shop', '--repo', stage.dir);
  stage.endsWith(async () => {
    await town('down', '--purge');
  });
  await town('up');
  return {
    stage,
    root,
    town,
    until: async (isSo) => {
      for (const end = Date.now() + WITHIN_MS; Date.now() < end;) {
        if (await isSo()) return true;
        await pause(1_000);
      }
      return false;
    },
    screen: (session) => stage.tmux('capture-pane', '-p', '-t', `=${session}:`).trim(),
  };
}

/** What is not as promised; null = it does one cycle after another, woken where it rests. */
async function witness(stage: Stage): Promise<string | null> {
  const { root, until, screen } = await rigOn(stage, promised('witness'));
  const disk = realDisk(root, 0);
  /** Of its life, as the town notes each that it asks for. */
  const cycles = async (): Promise<number> =>
    Number((await noteOf(disk, 'shop/witness', 'cycle'))?.text.split(' ')[1] ?? 0);
  if (await until(async () => (await cycles()) >= CYCLES)) return null;
  return `it did ${await cycles()} cycles; its screen: ${screen('gt-shop-witness')}`;
}

const POLECAT = 'gt-shop-mend-the-parser';

interface View {
  readonly name: string;
  readonly pid: number;
  readonly conversation: object | null;
}

/** Whether the polecat lives, with a conversation on record and the town's hooks among the words of its own process. */
function isTold(views: readonly View[]): boolean {
  const view = views.find(({ name }) => name === POLECAT);
  if (view === undefined || view.conversation === null) return false;
  const file = `/proc/${view.pid}/cmdline`;
  const words = existsSync(file) ? readFileSync(file, 'utf8').split('\0') : [];
  return words[0] === 'claude' && words.includes('--session-id') && words.includes('--settings');
}

/** Null = a bead is given to it, it does the work, says so, and is gone; the refinery is told. */
async function polecat(stage: Stage): Promise<string | null> {
  const { town, until, screen } = await rigOn(stage, promised('rig.shop'));
  await town('bead', 'create', 'mend the parser', '--rig', 'shop');
  if (!(await until(async () => isTold(await town('session', 'list')))))
    return `its start named no conversation, or gave it no hooks; its screen: ${screen(POLECAT)}`;
  const letters = () => town<{ subject: string }[]>('mail', 'inbox', 'shop/refinery');
  const isReady = async () => (await letters()).some(({ subject }) => subject === 'MERGE_READY mend-the-parser');
  const isGone = async () => (await town<unknown[]>('polecat', 'list')).length === 0;
  if (await until(async () => (await isReady()) && (await isGone()))) return null;
  return `it was not done; its screen: ${screen(POLECAT)}`;
}

const ROLES = { witness, polecat } as const;

/** How many did not do as promised. */
export async function playPatrols(only: readonly string[] | undefined, say: (line: string) => void): Promise<number> {
  const program = programOf('claude');
  if (only?.includes(program.id) === false) return 0;
  const parts = Object.entries(ROLES).map(([name, play]): Part => ({
    as: `as ${name}`,
    right: 'does as the page says',
    say,
    play,
  }));
  return playOne(program, parts);
}
