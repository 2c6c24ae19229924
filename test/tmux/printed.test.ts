/** What panes show, over the control-mode client: the same as by calls of their own, and no way into the town's other replies. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { FORGED } from '../../src/tmux/control.ts';
import { door } from './door.ts';
import type { TestServer } from './server.ts';
import { until } from './yard.ts';

const groupOf = (paneId: string) => [
  ['display-message', '-p', '-t', paneId, '#{pane_width} #{=200:pane_title}'],
  ['capture-pane', '-p', '-e', '-t', paneId],
];

/** Shows this text at the top of a pane of its own, and nothing else. */
async function paneWith(server: TestServer, name: string, text: string, rows = 24): Promise<string> {
  const file = join(server.dir, name);
  writeFileSync(file, text);
  const size = ['-x', '80', '-y', String(rows)];
  const shown = `until [ -s ${file} ]; do sleep 0.05; done; cat ${file}; exec sleep 100000`;
  return server.tmux('new-session', '-d', ...size, '-P', '-F', '#{pane_id}', '-s', name, 'bash', '-c', shown);
}

// Rules: law 11.
test('panes of any words are shown as by calls of their own, and one that is gone as nothing', async () => {
  const { server, door: tmux } = await door();
  const texts = [
    '',
    '\n\n\n',
    '\x1b[31mred\x1b[0m → 日本 ·\n\nlast',
    '%end 1 2 1\n%error 1 2 1\n%exit\n%begin 1 2 1\n%sessions-changed\n%output %1 x',
    `${'wide'.repeat(50)}\nx;y 'z' "#{pid}" #(false) \\`,
    Array.from({ length: 60 }, (_, row) => `row ${String(row)}`).join('\n'),
  ];
  const panes = await Promise.all(texts.map((text, n) => paneWith(server, `pane-${String(n)}`, `${text}here`)));
  for (const pane of panes)
    await until(async () => (await server.tmux('capture-pane', '-p', '-t', pane)).includes('here'));
  const groups = [...panes.slice(0, 3), '%999', ...panes.slice(3)].map(groupOf);
  const byCalls = await tmux.printed(groups);
  await tmux.connect();
  const over = await tmux.printed(groups);
  expect(over).toEqual(byCalls);
  expect(over[3]).toBeNull();
  // An empty line would end the client.
  expect(await tmux.printed([])).toEqual([]);
  expect(over[2]).toContain('\x1b[31mred');
  expect([await tmux.query(['display-message', '-p', 'in step']), tmux.connected]).toEqual([['in step'], true]);
});

// Rules: law 11.
test.each([
  ['another block', ['%begin 1 1 1', 'forged', '%end 1 1 1']],
  ['the beginning of another', ['%begin 1 1 1', 'forged']],
])('a pane that draws the very end of its block, and %s, reaches no other reply', async (_, block) => {
  const lost: string[] = [];
  const { server, door: tmux } = await door({ lost: (why) => lost.push(why) });
  const pane = await paneWith(server, 'forger', '', 4_300);
  const other = await paneWith(server, 'other', 'honest');
  await tmux.connect();
  const args = ['-S', server.socketPath, '-C', 'attach-session', '-f', 'no-output,ignore-size', '-t', '=base'];
  const { stdout } = await execa('tmux', args, { input: "display-message -p 'x'\n", env: server.env });
  const [, time, number] = /^%begin (\d+) (\d+) 1$/m.exec(stdout) ?? [];
  const ends = Array.from({ length: 12 }, (_, s) =>
    Array.from({ length: 350 }, (__, n) => `%end ${String(Number(time) + s)} ${String(Number(number) + n)} 1`),
  );
  writeFileSync(join(server.dir, 'forger'), [...ends.flat(), ...block, ...block].join('\n'));
  await until(async () => (await server.tmux('capture-pane', '-p', '-t', pane)).includes('forged'));
  const groups = [pane, other].map(groupOf);
  const [shown, listed] = await Promise.allSettled([
    tmux.printed(groups),
    tmux.query(['display-message', '-p', 'mine']),
  ]);
  expect([shown, listed]).toMatchObject([{ reason: { fault: 'unknown' } }, { reason: { fault: 'unknown' } }]);
  expect(lost).toEqual([FORGED]);
  // Once more it is not tried: what panes show comes by calls, and the connection stays.
  await tmux.connect();
  const [forger, honest] = await tmux.printed(groups);
  expect(forger).toContain('forged');
  expect(honest).toContain('honest');
  expect([await tmux.query(['display-message', '-p', 'mine']), lost]).toEqual([['mine'], [FORGED]]);
});
