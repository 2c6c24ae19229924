/** By what a life that the town starts knows whose it is, in its environment; the town finds its processes by the same. */
import { join } from 'node:path';
import type { SessionSpec } from '../../machines/protocol.ts';
import { paths } from '../../state/files/layout.ts';

/** Tags of sessions for which it stands in a file what they are to do. */
const TASKED: ReadonlySet<string> = new Set(['deacon', 'witness', 'polecat']);

const BASE = 'base:';
/** The main branch of the rig that a session works for, among its tags. */
export const baseTag = (branch: string): string => `${BASE}${branch}`;

/** The file that says what a session is to do, in the root; null = no file does. */
export const taskOf = ({ name, tags }: Pick<SessionSpec, 'name' | 'tags'>): string | null =>
  tags.some((tag) => TASKED.has(tag)) ? paths.prompt(name) : null;

/** `root` is absolute. */
export const marksOf = (
  root: string,
  spec: Pick<SessionSpec, 'name' | 'tags'>,
  { uuid, token }: { readonly uuid: string; readonly token: string },
): Readonly<Record<string, string>> => {
  const bases = spec.tags.filter((tag) => tag.startsWith(BASE));
  const task = taskOf(spec);
  return {
    TOWN_ROOT: root,
    TOWN_SESSION: spec.name,
    TOWN_TOKEN: token,
    TOWN_INCARNATION: uuid,
    ...Object.fromEntries(bases.map((tag) => ['TOWN_BASE', tag.slice(BASE.length)])),
    ...(task !== null && { TOWN_PROMPT_FILE: join(root, task) }),
  };
};
