/** Names of the sessions that control-mode clients stand in: each has the pid of its town. */

/** No managed name begins so. */
const HIDDEN = '_townwatch-';
const NAME = /^_townwatch-(\d+)-[0-9a-f]+$/;

/** `mark`: hexadecimal. */
export const hiddenName = (pid: number, mark: string): string => `${HIDDEN}${pid}-${mark}`;

/** The pid of the town whose session has this name; null = it is no such session. */
export function townOf(name: string): number | null {
  const pid = NAME.exec(name)?.[1];
  return pid === undefined ? null : Number(pid);
}
