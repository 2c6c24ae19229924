/**
 * The packs that are there: those shipped beside this file, and a person's own in `<root>/packs/`, which win by name.
 * The parts that tell programs apart are read once, at their first use; a whole pack only when an agent needs it. A
 * person's pack is left out with a report if it is unreadable, writable by others, or too slow on some row. The shipped
 * one judges then, so that each agent still has a pack.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { PACKS } from '../../state/files/layout.ts';
import { refusedAt } from '../../state/files/trusted-roots.ts';
import { IS_BUILT, mustBeThere, shippedFile } from '../package.ts';
import { refusalText, UNREAD } from '../terminal/refusal.ts';
import { isPartAmong, kindAmong, type Identity } from './agents.ts';
import { mistakesIn } from './mistakes.ts';
import { UNKNOWN_PICTURE } from './picture.ts';
import { PACK, type Pack } from './pack.ts';
import { READING } from './policy.ts';
import { readScreen } from './read.ts';
import type { Program } from './screen.ts';
import { servicesOf, type Service } from './services.ts';
import { LimitedPattern, TimeLimit } from './time-limit.ts';

const SHIPPED = shippedFile('screen/packs');
const EXTENSION = '.toml';
export const GENERIC = 'generic';

/** What people call a program whose pack has another name. */
const ALSO_CALLED = new Map([['cursor', 'cursor-agent']]);

export interface PackFile {
  readonly file: string;
  readonly whose: 'shipped' | 'yours';
}

/** Where a person's own packs lie. */
export const packsFolder = (root: string): string => join(root, PACKS);

/** A pack that does not count, in one sentence per mistake. */
export class PackError extends Error {
  override readonly name = 'PackError';
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.mistakes = mistakes;
  }
}

export interface PacksOptions {
  /** A person's packs; null = none are looked for. */
  readonly folder?: string | null;
  /** Told once of each pack that is left out. */
  readonly refused?: (why: string) => void;
}

export class Packs {
  readonly #files: ReadonlyMap<string, string>;
  readonly #refused: (why: string) => void;
  readonly #packs = new Map<string, Pack>();
  /** The file that each pack was read from. */
  readonly #read = new Map<string, string>();
  readonly #told = new Set<string>();
  /** Files whose patterns took too long. */
  readonly #slow = new Set<string>();
  #identities: readonly Identity[] | null = null;
  #services: readonly Service[] | null = null;

  constructor({ folder = null, refused = () => undefined }: PacksOptions = {}) {
    this.#files = new Map([...shippedFiles(), ...(folder === null ? [] : filesIn(folder))]);
    this.#refused = refused;
  }

  /** Reads all that may ever be asked for: the files may be gone when it is. */
  load(): void {
    for (const name of this.names()) this.named(name);
    this.services();
  }

  /** Of every pack, `generic` included. */
  names(): string[] {
    return [...this.#files.keys()].sort();
  }

  /** The name of the pack that a person means by this word; null = none. */
  called(word: string): string | null {
    const names = [word, ALSO_CALLED.get(word) ?? word];
    return names.find((name) => this.#files.has(name)) ?? null;
  }

  /** The file of this pack: a person's own, unless it cannot be read and a shipped one judges in its place; null = there is none. */
  fileOf(name: string): PackFile | null {
    const file = this.#read.get(name) ?? (this.#open(name) === null ? undefined : this.#read.get(name));
    return file === undefined ? null : { file, whose: file.startsWith(SHIPPED) ? 'shipped' : 'yours' };
  }

  /** The pack of this name; the generic one where there is none. */
  named(name: string): Pack {
    const known = this.#packs.get(name);
    if (known !== undefined) return known;
    const pack = this.#open(name) ?? this.named(GENERIC);
    this.#packs.set(name, pack);
    return pack;
  }

  /** The kind of agent that this process is; null = none that is known, or a daemon of one. */
  kindOf(program: Program): string | null {
    return kindAmong(this.identities(), program);
  }

  /** Whether it is a part of an agent's own program, and nothing that the agent runs. */
  isPart(program: Program): boolean {
    return isPartAmong(this.identities(), program);
  }

  /** The words of a usage limit at the end of a screen, whose program may have ended; null = none. */
  limitOn(rows: readonly string[]): string | null {
    // Rows come joined, and a limit shows at the beginning of one.
    const said = rows.filter((row) => !PANE_DEAD.test(row)).map((row) => row.slice(0, READING.maxRowChars));
    for (const { limits } of this.identities()) {
      const screen = readScreen(limits, { ...UNKNOWN_PICTURE, rows: said });
      if (screen.state === 'limited') return screen.what;
    }
    return null;
  }

  /** What tells each program from the others. */
  identities(): readonly Identity[] {
    this.#identities ??= this.names().flatMap((name) => {
      const pack = this.#open(name);
      return pack === null ? [] : [identityOf(pack)];
    });
    return this.#identities;
  }

  /** Programs that serve several agents. */
  services(): readonly Service[] {
    this.#services ??= servicesOf(this.identities());
    return this.#services;
  }

  #open(name: string): Pack | null {
    const file = this.#files.get(name);
    if (file === undefined) return null;
    try {
      return this.#take(name, file);
    } catch (error) {
      if (!(error instanceof PackError)) throw error;
      if (!this.#told.has(file)) this.#refused(error.message);
      this.#told.add(file);
      const shipped = join(SHIPPED, `${name}${EXTENSION}`);
      if (file === shipped) throw error; // part of this program, and wrong
      return shippedFiles().has(name) ? this.#take(name, shipped) : null;
    }
  }

  #take(name: string, file: string): Pack {
    const isShipped = file.startsWith(SHIPPED);
    const fault = isShipped ? null : refusedAt(file);
    if (fault !== null) throw new PackError([refusalText(fault, UNREAD, 'remove it')]);
    if (this.#slow.has(file)) throw new PackError([`${file}: ${TOO_SLOW}`]);
    const pack = readPack(file);
    this.#read.set(name, file);
    return isShipped ? pack : limited(pack, new TimeLimit(() => this.#leaveOut(name, file)));
  }

  /** From now on. */
  #leaveOut(name: string, file: string): void {
    this.#slow.add(file);
    this.#packs.delete(name);
    this.#read.delete(name);
    this.#identities = null;
    this.#services = null;
  }
}

const TOO_SLOW =
  'its patterns take too long on what a screen showed; look for one that can fit the same words in many ways, such as (a+)+ or .*.*, and mend it';

/** A person's pack, with patterns that take a known time at most. */
function limited(pack: Pack, limit: TimeLimit): Pack {
  const some = (patterns: readonly RegExp[]): RegExp[] => patterns.map((one) => new LimitedPattern(one, limit));
  const { processes, titles, folded } = pack;
  const { scripts, files, daemons, keepers, tools } = processes;
  return {
    ...pack,
    limit,
    titles: some(titles),
    folded: some(folded),
    processes: {
      ...processes,
      scripts: some(scripts),
      files: some(files),
      daemons: some(daemons),
      keepers: some(keepers),
      tools: some(tools),
    },
  };
}

/** The row that tmux adds below a program that ended. */
const PANE_DEAD = /^Pane is dead\b/;

const identityOf = (pack: Pack): Identity => ({
  name: pack.name,
  label: pack.label,
  processes: pack.processes,
  titles: pack.titles,
  limits: { ...pack, rule: pack.rule.filter(({ state }) => state === 'limited'), noise: [] },
});

/** Throws if one is missing: without its pack an agent would be judged as an unknown program. */
function shippedFiles(): Map<string, string> {
  // Written by scripts/build.ts; a checkout is only required to have the generic pack.
  const names = IS_BUILT
    ? readFileSync(mustBeThere(join(SHIPPED, 'names')), 'utf8')
        .trim()
        .split('\n')
    : [GENERIC];
  for (const name of names) mustBeThere(join(SHIPPED, `${name}${EXTENSION}`));
  return filesIn(SHIPPED);
}

function filesIn(folder: string): Map<string, string> {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return new Map(); // a person without packs of their own
  }
  const packs = names.filter((name) => name.endsWith(EXTENSION));
  return new Map(packs.map((name) => [name.slice(0, -EXTENSION.length), join(folder, name)]));
}

/** Throws `PackError` with every mistake. */
export function readPack(file: string): Pack {
  if (!file.endsWith(EXTENSION)) throw new PackError([`${file}: a pack is a file that ends in ${EXTENSION}`]);
  const raw = tomlOf(file);
  const read = PACK.safeParse(raw);
  const mistakes = read.success ? [] : mistakesIn(read.error.issues, raw);
  const name = basename(file, EXTENSION);
  const called = (raw as { readonly name?: unknown }).name;
  if (typeof called === 'string' && called !== name)
    mistakes.push(`name: is ${JSON.stringify(called)}; name it as its file, ${name}`);
  if (read.success && mistakes.length === 0) return read.data;
  throw new PackError(mistakes.map((mistake) => `${file}: ${mistake}`));
}

function tomlOf(file: string): object {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const [why = 'it cannot be read'] = (error instanceof Error ? error.message : String(error)).split('\n');
    const where = error instanceof TomlError ? ` line ${error.line}, column ${error.column}` : '';
    throw new PackError([`${file}${where}: ${why.replace('Invalid TOML document: ', '')}; mend it or move it away`]);
  }
}
