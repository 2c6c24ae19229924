import { expect, test } from 'vitest';
import { macosSource, parseRows } from '../../src/proc/macos.ts';
import { ProcessUnknown, createProcesses } from '../../src/proc/processes.ts';
import { lifeOf } from './yard.ts';

const LIST = [
  '    1     0     1 ??       Ss     0:10.00  2048 Sun Nov 22 01:00:00 2026',
  '  500     1   500 ttys001  Ss     0:00.50  2048 Sun Nov 22 01:34:58 2026',
  '  501   500   500 ttys001  S+  1-02:03:04.50  2048 Sun Nov 22 01:35:02 2026',
  '  502     1   502 ??       Z      0:00.00  2048 Sun Nov 22 01:35:03 2026',
  '  503     1   503 ??       S      0:00.00  2048 Sun Nov 22 01:35:04 2026',
  `  ${process.pid}     1   900 ??       S      0:00.00  2048 Sun Nov 22 01:35:04 2026`,
];
/** A `ps` of macOS as far as the town asks it. */
function ps(names: Record<number, string>, marks: Record<number, string> = {}) {
  return (program: string, args: readonly string[]): string | null => {
    if (program === 'sysctl') return 'BOOT-1';
    const pid = args.includes('-p') ? Number(args.at(-1)) : null;
    if (args.includes('-wwE')) return `${names[pid ?? 0] ?? ''} A=1 ${marks[pid ?? 0] ?? ''} B=2`;
    if (args.includes('comm=') || args.includes('command=')) return names[pid ?? 0] ?? null;
    const lines = LIST.filter((line) => pid === null || Number(line.trim().split(/\s+/)[0]) === pid);
    return lines.length === 0 ? null : lines.join('\n');
  };
}

test('rows of ps', () => {
  const [, shell, agent, zombie] = parseRows(LIST.join('\n'));
  expect(shell).toMatchObject({ pid: 500, ppid: 1, pgid: 500, tty: 'ttys001', zombie: false, cpuMs: 500 });
  expect(agent?.cpuMs).toBe(((26 * 60 + 3) * 60 + 4) * 1000 + 500);
  expect(zombie).toMatchObject({ tty: null, zombie: true, start: String(Date.UTC(2026, 10, 22, 1, 35, 3) / 1000) });
  expect(() => parseRows('  500   what is this')).toThrow(ProcessUnknown);
});

test('a stopped process and one in an uninterruptible wait cannot run', () => {
  const inState = (state: string) => parseRows((LIST[4] ?? '').replace(' S ', ` ${state} `))[0]?.cannotRun;
  expect(['S', 'R+', 'Ss', 'I', 'T', 'T+', 'U', 'Us'].map(inState)).toEqual([
    null,
    null,
    null,
    null,
    'stopped',
    'stopped',
    'disk',
    'disk',
  ]);
});

test('the same second with another command is unknown; another second or boot is gone', () => {
  const before = createProcesses({ source: macosSource(ps({ 501: '/usr/local/bin/claude' })) });
  const agent = before.proc(501);
  if (agent === null) throw new Error('no agent');
  expect(before.alive(agent)).toBe(true);
  const after = createProcesses({ source: macosSource(ps({ 501: '/bin/ls' })) });
  expect(() => after.alive(agent)).toThrow(ProcessUnknown);
  expect(() => after.signal(agent, 'KILL')).toThrow('may be another process');
  expect(after.alive({ ...agent, started: agent.started.replace(/^\d+/, '1') })).toBe(false);
  expect(after.alive({ ...agent, started: agent.started.replace('BOOT-1', 'BOOT-0') })).toBe(false);
  expect(before.proc(502), 'a zombie').toBeNull();
  expect(before.proc(77)).toBeNull();
});

test('the tree by parents, the pane’s terminal and the mark of an orphan', async () => {
  const uuid = '11111111-2222-4333-8444-555555555555';
  const run = ps({ 500: '/bin/bash', 501: 'claude', 503: 'sleep' }, { 503: `TOWN_INCARNATION=${uuid}` });
  const processes = createProcesses({ source: macosSource(run) });
  const agent = processes.proc(500);
  if (agent === null) throw new Error('no agent');
  expect((await processes.treeOf(lifeOf(agent, { uuid }), null)).map((one) => one.pid)).toEqual([500, 503, 501]);
  const inPane = { 503: `TOWN_INCARNATION=${uuid} TMUX=/tmp/a b/s,77,0` };
  const born = createProcesses({ source: macosSource(ps({ 500: '/bin/bash', 501: 'claude', 503: 'sleep' }, inPane)) });
  const ofServer = (pid: number) => lifeOf(agent, { uuid, server: { pid, started: 'none' } });
  expect((await born.treeOf(ofServer(77), null)).map((one) => one.pid)).toEqual([500, 503, 501]);
  expect(
    (await born.treeOf(ofServer(78), null)).map((one) => one.pid),
    'of another server',
  ).toEqual([500, 501]);
  const other = lifeOf(agent, { uuid: uuid.replace('1', '2') });
  expect((await processes.treeOf(other, null)).map((one) => one.pid)).toEqual([500, 501]);
});
