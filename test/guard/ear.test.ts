import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Ear, type ProgressLine } from '../../src/guard/ear.ts';
import { tellerTo } from '../../src/guard/progress-teller.ts';
import { PROCESS, type ProcessPolicy } from '../../src/ports/policy.ts';
import { freshFolder } from '../world/over.ts';
import { newYard, WAIT } from './yard.ts';

const TOWN = { pid: 7, started: '70@boot' };

function earAt(root = freshFolder(), some: Partial<ProcessPolicy> = {}) {
  const lines: ProgressLine[] = [];
  const said: string[] = [];
  const path = join(root, 'daemon', 'guard.sock');
  const heard = (line: ProgressLine): boolean => {
    if (line.pid === TOWN.pid) lines.push(line);
    return line.pid === TOWN.pid;
  };
  const ear = new Ear({ path, limits: { ...PROCESS, ...some }, heard, say: (text) => said.push(text) });
  onTestFinished(() => ear.close());
  return { root, path, ear, lines, said };
}

function tellerAt(root: string, proc = TOWN) {
  const teller = tellerTo(root, proc, { ...PROCESS, progressEveryMs: 20, watchEveryMs: 20 });
  onTestFinished(() => teller.close());
  return teller;
}

function caller(path: string): Socket {
  const socket = connect(path).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket.resume();
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.destroyed ? resolve() : void socket.once('close', () => resolve())));

/** Opens `many` connections to `path`, each again when it is closed, until the test ends. */
function flood(path: string, many: number): () => number {
  let opened = 0;
  let isOver = false;
  const again = (): void => {
    if (isOver) return;
    opened += 1;
    caller(path).once('close', () => setTimeout(again, 20));
  };
  onTestFinished(() => void (isOver = true));
  for (let at = 0; at < many; at += 1) again();
  return () => opened;
}

test('a town is heard by a guard that comes later, by the next one, and where its socket was swept away', async () => {
  const { root, path, ear, lines } = earAt();
  const teller = tellerAt(root);
  teller.tell(3, true);
  expect(ear.isOpen()).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await vi.waitFor(() => expect(lines.at(-1)).toEqual({ ...TOWN, steps: 3, saving: true }), WAIT);
  teller.tell(4, false);
  await vi.waitFor(() => expect(lines.at(-1)).toMatchObject({ steps: 4, saving: false }), WAIT);
  ear.close();
  expect(existsSync(path)).toBe(false);
  const next = earAt(root);
  expect(next.ear.isOpen()).toBe(true);
  await vi.waitFor(() => expect(next.lines.at(-1)).toMatchObject({ steps: 4 }), WAIT);
  rmSync(path);
  expect([next.ear.isOpen(), existsSync(path)]).toEqual([true, true]);
  next.lines.length = 0;
  await vi.waitFor(() => expect(next.lines.at(-1)).toMatchObject({ steps: 4 }), WAIT);
});

test('another town, garbage, silence and too many callers end, and the town is heard all the same', async () => {
  const { root, path, ear, lines } = earAt(freshFolder(), { silentMs: 1_000, maxClients: 5 });
  expect(ear.isOpen()).toBe(true);
  const teller = tellerAt(root);
  teller.tell(1, false);
  await vi.waitFor(() => expect(lines).not.toEqual([]), WAIT);
  const other = tellerAt(root, { pid: 8, started: '80@boot' });
  other.tell(9, false);
  for (const text of ['GET / HTTP/1.1\n', '5\n', 'x'.repeat(1_000), '{}\n', '']) {
    const socket = caller(path);
    socket.write(text);
    await closed(socket);
  }
  const many = Array.from({ length: 50 }, () => caller(path));
  await Promise.all(many.slice(0, 40).map(closed));
  const late = tellerAt(root);
  late.tell(2, false);
  await vi.waitFor(() => expect(lines.at(-1)).toMatchObject({ steps: 2 }), WAIT);
  expect(lines.map(({ pid }) => pid)).not.toContain(8);
});

test('where no socket can be made, the guard says so once and is deaf until it can', () => {
  const { path, ear, said } = earAt();
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, 'mine');
  expect([ear.isOpen(), ear.isOpen()]).toEqual([false, false]);
  expect(said).toEqual([
    expect.stringMatching(/^the guard cannot hear its town, so it ends none that hangs: .*guard\.sock is no socket/),
  ]);
  rmSync(path);
  expect(ear.isOpen()).toBe(true);
});

// Rules: law 1, C-12.
test('callers that fill the sockets of a town and of its guard make no hang, and status is answered', async () => {
  const yard = newYard({ hangMs: 2_000, maxClients: 20 });
  const { pid, guardPid } = await yard.up();
  const opened = ['town', 'guard'].map((name) => flood(join(yard.root, 'daemon', `${name}.sock`), 60));
  process.kill(guardPid!, 'SIGKILL');
  await yard.statusWhen((s) => s.guard_pid !== null && s.guard_pid !== guardPid);
  await vi.waitFor(() => expect(opened.every((count) => count() > 1_000)).toBe(true), WAIT);
  await vi.waitFor(() => expect(yard.guardLog()).toContain(`hears the town of pid ${String(pid)}`), WAIT);
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  expect(await yard.statusWhen(() => true)).toMatchObject({ pid });
  expect(yard.guardLog()).not.toContain('hangs');
});
