/** The process group that reads a terminal's keys. Linux tells it in /proc, macOS by `ps`. */
import { readFileSync } from 'node:fs';
import { listedEnvironment } from './environment.ts';
import { codeOf } from '../../state/files/disk.ts';
import { ProcessUnknown, isGone } from './source.ts';

/** proc(5): `tpgid` is field 8; the first after the name is field 3. */
const TPGID = 8 - 3;

/** The group's number for the terminal of this process; null = it is gone or has none. Throws `ProcessUnknown`. */
export async function foregroundGroup(pid: number): Promise<number | null> {
  const group = Number(process.platform === 'linux' ? fromProc(pid) : await fromPs(pid));
  if (!Number.isInteger(group)) throw new ProcessUnknown(`the foreground of process ${pid}'s terminal cannot be read`);
  return group > 0 ? group : null;
}

function fromProc(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 1);
    return fields.trim().split(' ')[TPGID] ?? '?';
  } catch (error) {
    if (isGone(error)) return '-1';
    throw new ProcessUnknown(`process ${pid} could not be looked at (${codeOf(error)})`, { cause: error });
  }
}

async function fromPs(pid: number): Promise<string> {
  const { execa } = await import('execa');
  const { stdout, exitCode } = await execa('ps', ['-o', 'tpgid=', '-p', String(pid)], {
    reject: false,
    stdin: 'ignore',
    env: listedEnvironment('tool', process.env),
    extendEnv: false,
  });
  return exitCode === 0 ? stdout : '?';
}
