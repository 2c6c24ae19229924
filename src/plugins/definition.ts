/**
 * Plugins as a person wrote them: plugins/<name>/plugin.toml. A file that is unreadable, incomplete or writable by
 * other users is refused with a sentence, and delays no other plugin.
 */
import { Cron } from 'croner';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import type { Ms } from '../../machines/protocol.ts';
import type { Gate } from '../../machines/patrols/plugins.ts';
import type { Disk } from '../../state/files/disk.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import { refusedAt } from '../../state/files/trusted-roots.ts';
import { parseDuration } from '../config/duration.ts';
import { nearest } from '../terminal/nearest.ts';
import { refusalText, UNREAD } from '../terminal/refusal.ts';
import { PLUGINS } from './policy.ts';

export interface Plugin {
  readonly name: string;
  readonly command: readonly string[];
  readonly gate: Gate;
  readonly timeoutMs: Ms;
  readonly description: string;
}
export interface RefusedPlugin {
  readonly name: string;
  readonly why: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const words = z.union([
  z.array(z.string()).min(1, 'it names no program'),
  z
    .string()
    .trim()
    .min(1, 'it is empty')
    .transform((text) => ['sh', '-c', text]),
]);
const duration = z.string().transform((text, context): number => {
  const ms = parseDuration(text);
  if (ms !== null && ms > 0 && ms <= PLUGINS.maxTimeoutMs) return ms;
  context.addIssue({ code: 'custom', message: `${JSON.stringify(text)} is no time up to 24h; write 30m` });
  return z.NEVER;
});
const schedule = z.string().superRefine((text, context) => {
  try {
    if (new Cron(text, { paused: true }).nextRun() === null) throw new Error('it never comes');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    context.addIssue({ code: 'custom', message: `${JSON.stringify(text)} is no schedule (${why}); write "0 3 * * *"` });
  }
});
const gate = z.discriminatedUnion('type', [
  z
    .strictObject({ type: z.literal('cooldown'), duration })
    .transform(({ duration: everyMs }): Gate => ({ type: 'cooldown', everyMs })),
  z.strictObject({ type: z.literal('cron'), schedule }),
  z
    .strictObject({ type: z.literal('condition'), check: words, every: duration.default(PLUGINS.checkEveryMs) })
    .transform(({ check, every: everyMs }): Gate => ({ type: 'condition', check, everyMs })),
]);
const file = z.strictObject({
  command: words,
  gate,
  timeout: duration.default(PLUGINS.timeoutMs),
  description: z.string().default(''),
});

/** What is right at a place, as one would type it. */
const RIGHT: Readonly<Record<string, string>> = {
  command: 'command = ["program", "word"] or "a line for sh"',
  gate: '[gate] and below it type = "cooldown" and duration = "1h"',
  'gate.type': 'type = "cooldown", "cron" or "condition"',
  'gate.duration': 'duration = "1h"',
  'gate.schedule': 'schedule = "0 3 * * *"',
  'gate.check': 'check = "test -f ready"',
  'gate.every': 'every = "5m"',
  timeout: 'timeout = "5m"',
  description: 'description = "what it is for"',
};
const SHOWN = 80;
const shown = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
};

const meant = (word: string, known: readonly string[]): string => {
  const near = nearest(word, known);
  return near === null ? `there are ${known.join(', ')}` : `did you mean ${near}?`;
};

const gateShape = (type: unknown): object => {
  const tables = gate.options.map((one) => (one instanceof z.ZodPipe ? one.in : one));
  return tables.find(({ shape }) => shape.type.value === type)?.shape ?? {};
};

/** A mistake in one sentence: the place, the value there, what to write. */
function mistake(issue: z.core.$ZodIssue, raw: unknown): string {
  const at = issue.path.reduce<unknown>(
    (node, step) => (node as Record<PropertyKey, unknown> | undefined)?.[step],
    raw,
  );
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const known = Object.keys(issue.path.length === 0 ? file.shape : gateShape((at as { type?: unknown }).type));
    return `${[...issue.path, key].join('.')} is no key here; ${meant(key, known)}`;
  }
  const place = issue.path.slice(0, 2).join('.');
  if (issue.code === 'custom') return `${place}: ${issue.message}`;
  if (at === undefined) return `${place} is missing; write ${RIGHT[place] ?? 'it'}`;
  return `${place} cannot be ${shown(at)}; write ${RIGHT[place] ?? 'another'}`;
}

/** By name. `root` is absolute. */
export async function readPlugins(
  disk: Disk,
  root: string,
): Promise<{ readonly plugins: readonly Plugin[]; readonly refused: readonly RefusedPlugin[] }> {
  const names = (await disk.list(FOLDERS.plugins)).filter((name) => !name.startsWith('.')).slice(0, PLUGINS.maxPlugins);
  const plugins: Plugin[] = [];
  const refused: RefusedPlugin[] = [];
  for (const name of names) {
    try {
      const plugin = await readPlugin(disk, root, name);
      if (plugin !== null) plugins.push(plugin);
    } catch (error) {
      const why = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
      refused.push({ name, why: why.slice(0, MAX_WHY) });
    }
  }
  return { plugins, refused };
}
const MAX_WHY = 500;

/** null = there is no plugin.toml. Throws why it is refused. */
export async function readPlugin(disk: Disk, root: string, name: string): Promise<Plugin | null> {
  const path = `${FOLDERS.plugins}/${name}/plugin.toml`;
  if (!NAME.test(name))
    throw new Error(`${shown(name)} is no name for a plugin: letters, digits, _ and -; rename its folder`);
  if ((await disk.stat(path)) === null) return null;
  const fault = refusedAt(join(root, path));
  if (fault !== null) throw new Error(refusalText(fault, UNREAD));
  const raw = parse((await disk.read(path, PLUGINS.maxBytes)) ?? '');
  const parsed = file.safeParse(raw);
  if (!parsed.success) throw new Error(parsed.error.issues.map((issue) => mistake(issue, raw)).join('. '));
  const { timeout: timeoutMs, ...rest } = parsed.data;
  return { name, timeoutMs, ...rest };
}

/** The first time of a schedule after this one; null = there is none. */
export const nextOf = (schedule: string, after: number): number | null =>
  new Cron(schedule, { paused: true }).nextRun(new Date(after))?.getTime() ?? null;
