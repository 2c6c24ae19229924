/**
 * At which port of the loopback a process listens, as the kernel says it (Linux). A socket counts only while the very process holds
 * it, and only in our own network namespace: what answers at that port is then that process, and no other.
 */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { orNull } from '../../state/files/or-null.ts';

/** 127.0.0.1 and ::1, as the kernel writes them; every other address could be reached from outside. */
const LOOPBACK = ['0100007F', '00000000000000000000000001000000'];
const LISTEN = '0A';

export interface Listening {
  readonly port: number;
  readonly host: '127.0.0.1' | '::1';
  /** Whether that process still holds that socket. */
  readonly isHeld: () => boolean;
}

/** null = at none, or it cannot be told. Never throws. */
export function listeningOf(pid: number, root = '/proc'): Listening | null {
  return orNull(() => {
    if (readlinkSync(`${root}/${pid}/ns/net`) !== readlinkSync(`${root}/self/ns/net`)) return null;
    const listening = ['tcp', 'tcp6'].flatMap((table) => listeningIn(table, root, pid));
    for (const fd of readdirSync(`${root}/${pid}/fd`)) {
      const file = `${root}/${pid}/fd/${fd}`;
      const held = orNull(() => readlinkSync(file));
      const found = listening.find(({ inode }) => held === `socket:[${inode}]`);
      if (found === undefined) continue;
      const { port, host } = found;
      return { port, host, isHeld: () => orNull(() => readlinkSync(file)) === held };
    }
    return null;
  });
}

interface Row extends Pick<Listening, 'port' | 'host'> {
  readonly inode: string;
}

function listeningIn(table: string, root: string, pid: number): Row[] {
  const text = orNull(() => readFileSync(`${root}/${pid}/net/${table}`, 'utf8')) ?? '';
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (state !== LISTEN || !LOOPBACK.includes(address)) return [];
    return [{ port: parseInt(port, 16), host: table === 'tcp' ? '127.0.0.1' : '::1', inode } as const];
  });
}
