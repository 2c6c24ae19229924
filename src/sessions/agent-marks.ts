/** By what a life that the town starts knows whose it is, in its environment; the town finds its processes by the same. */
import { join } from 'node:path';
import type { SessionSpec } from '../../machines/protocol.ts';
import { paths } from '../../state/files/layout.ts';

/** Tags of sessions for which it stands in a file what they are to do. */
const TASKED: ReadonlySet<string> = new Set(['deacon', 'witness', 'polecat']);

const BASE = 'base:';
/** The main branch of the rig that a session works for, among its tags. */
export const baseTag = (branch: string): string => `${BASE}${branch}`;

/** `root` is absolute. */
export const marksOf = (
  root: string,
  { name, tags }: Pick<SessionSpec, 'name' | 'tags'>,
  { uuid, token }: { readonly uuid: string; readonly token: string },
): Readonly<Record<string, string>> => ({
  TOWN_ROOT: root,
  TOWN_SESSION: name,
  TOWN_TOKEN: token,
  TOWN_INCARNATION: uuid,
  ...Object.fromEntries(tags.filter((tag) => tag.startsWith(BASE)).map((tag) => ['TOWN_BASE', tag.slice(BASE.length)])),
  ...(tags.some((tag) => TASKED.has(tag)) && { TOWN_PROMPT_FILE: join(root, paths.prompt(name)) }),
});
