/** A real town: nothing listens unless it is told to, and what then is told is the whole town. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createWebSocketReceiver, type StatelyInspectionEvent } from '@statelyai/inspect';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Dance } from '../../machines/protocol.ts';
import { printCode } from '../../machines/hearings/question.ts';
import { TestTown } from '../cli/town.ts';
import { until, view, type Message } from './rig.ts';

const LISTEN = '0A';

/** Ports and addresses on which a process listens, from the system itself: `0100007F:1F90`. */
function listening(pid: number): string[] {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return ''; // Closed meanwhile.
    }
  });
  const inodes = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === LISTEN && inodes.has(inode))
      .map(([, address]) => address!),
  );
}

test('nothing listens unless the inspector is asked for, under any configuration', async () => {
  const town = await new TestTown('[dashboard]\nenabled = true\nport = 0\n').up();
  const status = await town.status();
  expect(status.inspect_port).toBe(null);
  expect([status.pid, status.guard_pid ?? NaN].map(listening)).toEqual([[], []]);
  const again = await town.run('up', '--inspect');
  expect(again.stdout).toContain('`town restart --inspect` opens it');
  const set = await town.run('up', '--set', 'dance.pool_size=2');
  expect(set.stdout).toContain(
    '--set dance.pool_size=2 is not taken: the town runs without it; `town restart --set …` takes it',
  );

  const opened = await town.run('restart', '--inspect');
  const [, url = '', token = ''] = /inspector: (ws:\/\/127\.0\.0\.1:\d+\/([\w-]{43})) /.exec(opened.stdout) ?? [];
  const open = await town.status();
  const port = open.inspect_port!;
  expect(listening(open.pid)).toEqual([`0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`]);
  expect(JSON.parse(readFileSync(join(town.root, 'daemon/daemon.pid'), 'utf8'))).toMatchObject({
    ports: { inspect: port },
  });

  const got: StatelyInspectionEvent[] = [];
  createWebSocketReceiver({ server: url }).subscribe((m) => got.push(m));
  const paths = (): string[] => {
    const actors = got.filter((m) => m.type === '@xstate.actor');
    const pathOf = (id: string | undefined): string => {
      const actor = actors.find(({ sessionId }) => sessionId === id);
      if (actor === undefined) return '';
      return actor.parentId === undefined ? actor.name : `${pathOf(actor.parentId)}/${actor.name}`;
    };
    return actors.map(({ sessionId }) => pathOf(sessionId));
  };
  await until(() => open.actors.every(({ id }) => paths().includes(id)));
  for (const message of got) {
    if (message.type !== '@xstate.actor') continue;
    expect(Object.keys(JSON.parse(message.definition!) as object).length, message.name).toBeGreaterThan(1);
    expect(message.snapshot.status).toBe('active');
  }

  // A caller who asked for it reads the URL again; it stands nowhere else.
  expect(await town.data('up', '--inspect')).toMatchObject({ inspect_port: port, inspect_url: url });
  for (const words of [['up'], ['status'], ['daemon', 'status'], ['daemon', 'logs'], ['timeline'], ['doctor']]) {
    for (const json of [[], ['--json']]) expect((await town.run(...words, ...json)).stdout).not.toContain(token);
  }
  for (const path of readdirSync(town.home, { recursive: true, withFileTypes: true })) {
    if (path.isFile()) expect(readFileSync(join(path.parentPath, path.name), 'utf8'), path.name).not.toContain(token);
  }
  for (const pid of [open.pid, open.guard_pid]) {
    for (const file of ['cmdline', 'environ'])
      expect(readFileSync(`/proc/${pid}/${file}`, 'utf8')).not.toContain(token);
  }
});

/** What a stranger may read: fixed words and numbers. */
const HEALTH = z.strictObject({
  schema: z.literal('health/1'),
  data: z.strictObject({
    well: z.boolean(),
    late: z.array(
      z.strictObject({ what: z.enum(['step', 'scan', 'patrol']), age_ms: z.number(), limit_ms: z.number() }),
    ),
    tmux: z.enum(['answered', 'silent', 'unknown']),
    ages_ms: z.partialRecord(z.enum(['step', 'scan', 'patrol']), z.number().nullable()),
  }),
});

// Rules: V-1.
test('a hearing is seen without its code, its words, what the pane shows, or a token; /healthz tells nothing of it', async () => {
  const town = new TestTown('[dance]\nwindows = ["1h"]\n[sessions]\nscan_every = "100ms"\n');
  const url = (await town.data<{ inspect_url: string }>('up', '--inspect')).inspect_url;
  const { messages, until: seen } = await view(url);
  const program = 'echo SECRET-OF-PANE; exec sleep 1d';
  const started = await town.run('session', 'start', 'gt-foo', '--dir', town.home, '--', 'sh', '-c', program);
  expect(started.code).toBe(0);
  expect((await town.run('warrant', 'file', 'gt-foo', '--reason', 'SECRET-OF-REASON')).code).toBe(0);
  const isAsked = ({ snapshot }: Message): boolean =>
    isDeepStrictEqual(snapshot?.value, { interrogating: 'listening' });
  await seen(isAsked);
  const late = await view(url);
  await late.until(isAsked);

  // A file that is being written stands beside the one it will replace.
  const files = () => town.names('deacon/dogs/active').filter((name) => name.endsWith('.json'));
  const active = (): string => files().reduce((all, name) => all + town.read(`deacon/dogs/active/${name}`), '');
  await until(() => active().includes('SECRET-OF-PANE'));
  const { context: dance } = JSON.parse(active()) as { readonly context: Dance };
  const codes = dance.attempts.map(({ code }) => code).flatMap((code) => [code, printCode(code)]);
  expect(codes).toHaveLength(2);
  const { tokenHash, incarnation } = town.record('gt-foo')!;
  const told = [...messages, ...late.messages].map((message) => JSON.stringify(message)).join('\n');
  for (const shown of ['"session":"gt-foo"', `"id":"${dance.warrants[0]!.id}"`, `"id":"${dance.id}"`])
    expect(told).toContain(shown);
  const page = await fetch(`${url.replace(/^ws/, 'http').replace(/[^/]+$/, '')}healthz`);
  const health = await page.text();
  HEALTH.parse(JSON.parse(health));
  for (const secret of [...codes, 'SECRET-OF', tokenHash!, incarnation!.uuid, town.home]) {
    expect(told.includes(secret), secret).toBe(false);
    expect(health).not.toContain(secret);
  }
});

// Rules: P-17.
test('town health ends with 3 when it is down, 0 when it is well, 4 without tmux', async () => {
  const town = new TestTown('[sessions]\nscan_every = "200ms"\n[health]\nlate_after = 100\n');
  expect((await town.run('health')).code).toBe(3);
  await town.up();
  const well = await town.run('health');
  expect([well.code, well.stdout]).toEqual([0, expect.stringMatching(/^well: last step /)]);
  expect(await town.data('health')).toMatchObject({ running: true, well: true, late: [], degraded: false });
  await town.run('down');

  // Everything that a shell finds but tmux.
  const env = { PATH: town.programs('sh', 'ps', 'git', 'cat') };
  const bare = (...words: string[]) => town.bare(['--root', town.root, ...words], { env });
  await bare('up');
  let ran = await bare('health');
  while (ran.code !== 4) ran = await bare('health');
  expect(ran.stdout).toMatch(/tmux does not answer|tmux is not installed/);
});
