/**
 * What the configuration names and is not there: folders, programs, rigs, files of secrets, keys that a channel needs; and packs of a
 * person that do not count. Looks only.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { RigRecords } from '../../../state/rigs/records.ts';
import { textOf } from '../../../state/files/disk.ts';
import { secretOf } from '../../channels/secrets.ts';
import { CHANNEL_NAMES, lackedBy, MAIL_ADDRESS, type Secret } from '../../channels/settings.ts';
import { printValue } from '../../config/check.ts';
import { KEYS } from '../../config/keys.ts';
import { at, type Settings } from '../../config/settings.ts';
import { missingCommand } from '../../overview/program.ts';
import { Packs, packsFolder } from '../../screen/packs.ts';
import { agentCommandIn } from '../../sessions/agent-command.ts';
import type { Context } from '../context.ts';

interface Named {
  /** As one finds it in the file. */
  readonly key: string;
  readonly words: readonly string[];
  readonly dir: string;
}

/** One sentence for each, in the order of the file's reference; [] = all is there, or cannot be known now. */
export async function missingThings(context: Context, settings: Settings): Promise<string[]> {
  const records = new RigRecords({ disk: await context.disk() });
  const repos = new Map((await records.rigs()).found.map(({ name, repo }) => [name, repo]));
  const missing: string[] = [];
  for (const { name, dir } of settings.agents) {
    const path = resolve(settings.root, dir ?? '.');
    if (!isFolder(path)) missing.push(`agent ${name}: dir ${path} is no folder; make it, or name another`);
  }
  for (const rig of Object.keys(settings.rigs))
    if (!repos.has(rig)) missing.push(`[rig.${rig}]: there is no rig ${rig}; add it: town rig add ${rig} <path>`);
  for (const one of commandsIn(settings, repos)) {
    const why = isFolder(one.dir) ? await missingCommand(settings, await context.disk(), one) : null;
    if (why !== null) missing.push(`${one.key}: ${why}`);
  }
  return [...missing, ...halfChannels(settings), ...unreadableSecrets(settings), ...wrongPacks(settings)];
}

/** One sentence for each mistake in a person's packs: the town leaves such a pack out. */
export function wrongPacks({ root }: Pick<Settings, 'root'>): string[] {
  const folder = packsFolder(root);
  if (!isFolder(folder)) return [];
  const wrong: string[] = [];
  new Packs({ folder, refused: (why) => wrong.push(...why.split('\n')) }).load();
  return wrong.map((why) => `a pack of yours does not count: ${why}`);
}

/** Sections of channels with a key, but without one that delivery needs. */
function halfChannels({ channels, sources }: Settings): string[] {
  const sections = CHANNEL_NAMES.flatMap((name) => {
    const lacks = Object.keys(sources).some((path) => path.startsWith(`${name}.`)) ? lackedBy(channels, name) : [];
    if (lacks.length === 0) return [];
    const [what, keys] = [lacks, lacks.map((key) => `${name}.${key}`)].map((all) => all.join(' and '));
    const is = lacks.length === 1 ? 'is' : 'are';
    return [`[${name}]: ${what} ${is} not set, so nothing is delivered there; set ${keys}, or leave [${name}] out`];
  });
  const { smtp } = channels;
  const addresses = (['from', 'to'] as const).flatMap((key) =>
    smtp[key] === null || MAIL_ADDRESS.test(smtp[key])
      ? []
      : [`smtp.${key} = ${printValue(smtp[key])}: is not one plain address; write one such as "town@example.org"`],
  );
  return [...sections, ...addresses];
}

const unreadableSecrets = (settings: Settings): string[] =>
  KEYS.filter(({ kind, path }) => kind.isSecret === true && !path.includes('*')).flatMap(({ path, to }) => {
    const written = at(settings, to) as Secret | null;
    if (written === null || typeof written === 'string') return [];
    try {
      if (secretOf(written, path) !== '') return [];
      return [`${path} stands in ${written.file}, whose first line is empty; write the secret there`];
    } catch (error) {
      return [`${textOf(error)}; make it, or name another`];
    }
  });

/** Commands of sessions: those of other keys run once. */
const OF_SESSIONS = /^(?:agent .*|rig\..*\.(?:agent|witness)|(?:deacon|witness)\.command)$/;

/** One sentence for each agent that can be told no conversation, because its command is not understood. */
export async function unclearCommands(context: Context, settings: Settings): Promise<string[]> {
  const { found } = await new RigRecords({ disk: await context.disk() }).rigs();
  const packs = new Packs({ folder: packsFolder(settings.root) });
  const all = commandsIn(settings, new Map(found.map(({ name, repo }) => [name, repo])));
  const told = await Promise.all(
    all
      .filter(({ key }) => OF_SESSIONS.test(key))
      .map(async ({ key, words }) => {
        const { unclear } = await agentCommandIn(packs, words);
        return unclear === undefined ? [] : [`${key}: ${unclear}, so ${INSTEAD}`];
      }),
  );
  return told.flat();
}

const INSTEAD =
  'each life begins a new conversation, without the hooks of the town; write one command that starts the agent (NAME=value may stand before it), and give its folder by dir';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function commandsIn(settings: Settings, repos: ReadonlyMap<string, string>): Named[] {
  const { root } = settings;
  const commands = KEYS.filter(({ kind, path }) => kind.is === 'command' && !path.includes('*'));
  const single = commands.map(({ path, to }) => ({ key: path, words: at(settings, to), dir: root }));
  const agents = settings.agents.map(({ name, command, dir }) => {
    return { key: `agent ${name}`, words: command, dir: resolve(root, dir ?? '.') };
  });
  const rigs = Object.entries(settings.rigs).flatMap(([rig, table]) =>
    Object.entries(table).map(([key, words]: [string, unknown]) => ({
      key: `rig.${rig}.${key}`,
      words,
      dir: repos.get(rig) ?? root,
    })),
  );
  return [...single, ...agents, ...rigs].filter((one): one is Named => Array.isArray(one.words));
}
