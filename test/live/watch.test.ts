/** `town watch` on real tmux: agents of a person's own, found, judged, and left exactly as they were. */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { SCREEN_STATES } from '../../src/screen/screen.ts';
import { TestTown, until } from '../cli/town.ts';

const SCREENS = join(import.meta.dirname, '../screen/fixtures');
const DIALOG = join(import.meta.dirname, '../../src/demo/agents/claude');

/** How a source tells that an agent is. */
const Word = z.strictObject({
  state: z.string(),
  source: z.string().nullable(),
  since: z.string().nullable(),
  rule: z.string().optional(),
});

/** The whole of `watch/1`: what is not named here does not stand there. */
const Watched = z.array(
  z.strictObject({
    session: z.string(),
    pane: z.string().regex(/^%\d+$/),
    title: z.string(),
    agent: z.string().nullable(),
    by: z.enum(['record', 'process', 'title']).nullable(),
    pid: z.int().nullable(),
    command: z.array(z.string()),
    dir: z.string().nullable(),
    classic: z.boolean(),
    state: z.enum([...SCREEN_STATES, 'dead']),
    words: z.string(),
    ours: z.boolean(),
    managed: z.enum(['started', 'adopted', 'split', 'other town', 'nobody']),
    protected: z.string().nullable(),
    person: z.boolean(),
    /** As in `status/1`; null where it is no agent that a source knows. */
    screen: Word.extend({ disagree: z.array(Word).optional(), not_watched: z.string().optional() }).nullable(),
    conversation: z.strictObject({ id: z.string(), resumed: z.boolean().nullable() }).nullable(),
    would: z.strictObject({
      act: z.enum(['nothing', 'wait', 'tell', 'ask', 'end']),
      why: z.string(),
      once_adopted: z.boolean(),
    }),
  }),
);

// Rules: F-1.
test('agents below a shell, at a dialog, at work and elsewhere are told apart and not touched', async () => {
  const town = new TestTown('[town]\nprotected = ["mayor*"]\n');
  const tmux = (...words: string[]): string => {
    const ran = spawnSync('tmux', ['-u', '-f', '/dev/null', '-S', town.socket, ...words], {
      env: { ...town.env(), LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    });
    return ran.stdout;
  };
  // Two programs called `claude`: one waits at a dialog, the other shows the screen that it is given.
  const program = (folder: string): string => {
    mkdirSync(join(town.home, folder));
    return join(town.home, folder, 'claude');
  };
  const dialog = program('dialog');
  copyFileSync(DIALOG, dialog);
  chmodSync(dialog, 0o755);
  const shows = program('shows');
  // As in its namesake the cursor stands in the composer.
  const parked = `printf '\\033[%sA\\033[3G' "$(tac "$1" | grep -n -m 1 '❯' | cut -d: -f1)"`;
  writeFileSync(shows, `#!/bin/bash\ncat "$1"\n${parked}\nwhile :; do read -r -t 1000 line; done\n`, { mode: 0o755 });
  const fixture = (name: string): string => join(SCREENS, `${name}.txt`);
  const size = ['-x', '100', '-y', '40'];
  // Without a history: a shell that is hung up would write it into a folder that is being removed.
  const shell = ['env', 'HISTFILE=', 'bash', '--norc', '--noprofile'];
  tmux('new-session', '-d', ...size, '-s', 'asks', ...shell);
  tmux('new-session', '-d', ...size, '-s', 'works', ...shell);
  tmux('new-session', '-d', ...size, '-s', 'mayor', shows, fixture('claude-idle'));
  tmux('new-session', '-d', ...size, '-s', 'shell', ...shell);
  // As over ssh: the title comes through the terminal, and holds what might steer the terminal that prints it.
  const title = 'printf \'\\033]2;✳ #{session_id} $(id) #[fg=red] "x" \\\\n seam\\007\'; exec sleep 100000';
  tmux('new-session', '-d', ...size, '-s', 'far', 'sh', '-c', title);
  tmux('new-session', '-d', ...size, '-s', 'drawn', 'sh', '-c', `cat '${fixture('claude-draft')}'; exec sleep 100000`);
  tmux('send-keys', '-t', '=asks:', '-l', `${dialog}\n`);
  tmux('send-keys', '-t', '=works:', '-l', `${shows} ${fixture('claude-busy')}\n`);
  await town.up();
  const start = ['session', 'start', 'builder', '--dir', town.home, '--', shows, fixture('claude-idle')];
  expect((await town.run(...start)).code).toBe(0);
  tmux('split-window', '-d', '-t', '=builder:', shows, fixture('claude-idle'));

  const names = ['asks', 'works', 'mayor', 'shell', 'far', 'drawn', 'builder'];
  const screens = (): string[] => names.map((name) => tmux('capture-pane', '-p', '-t', `=${name}:`));
  await until(screens, ([asks = '', works = '', mayor = '', shell = '', , drawn = '', builder = '']) => {
    const titled = tmux('list-panes', '-t', '=far:', '-F', '#{pane_title}').startsWith('✳');
    const isUp =
      titled && /[$#]/.test(shell) && asks.includes('Do you want to proceed?') && works.includes('Pondering');
    return isUp && [mayor, drawn, builder].every((screen) => screen.includes('❯'));
  });
  const everything = (): string[] => [
    tmux('show-options', '-g'),
    tmux('show-options', '-s'),
    tmux('show-options', '-g', '-w'),
    tmux('show-hooks', '-g'),
    tmux('ls'),
    tmux('list-clients'),
    tmux('list-buffers'),
    tmux('list-panes', '-a', '-F', '#{pane_id} #{pane_pid} #{pane_title} #{pane_in_mode} #{history_size}'),
    ...names.flatMap((name) => [tmux('show-options', '-t', `=${name}:`), tmux('show-hooks', '-t', `=${name}:`)]),
    ...screens(),
  ];
  const before = everything();
  const ran = await town.run('watch', '--all', '--json');
  const told = (await town.run('watch')).stdout;
  const all = (await town.run('watch', '--all')).stdout;
  expect(everything()).toEqual(before);

  const { schema, data } = JSON.parse(ran.stdout) as { schema: string; data: unknown };
  expect([ran.code, ran.stderr, schema]).toEqual([0, '', 'watch/1']);
  const seen = Watched.parse(data);
  const one = (name: string) => seen.filter(({ session }) => session === name);
  const foreign = { ours: false, managed: 'nobody', agent: 'claude', protected: null, person: false };
  expect(one('asks')).toEqual([
    expect.objectContaining({
      ...foreign,
      by: 'process',
      state: 'blocked',
      words: 'Do you want to proceed?',
      command: ['/bin/bash', dialog],
      would: { act: 'tell', why: 'it asks a person', once_adopted: true },
    }),
  ]);
  expect(one('works')).toEqual([
    expect.objectContaining({
      ...foreign,
      by: 'process',
      state: 'busy',
      words: expect.stringContaining('Pondering') as string,
      would: { act: 'ask', why: 'if a warrant comes', once_adopted: true },
    }),
  ]);
  expect(one('mayor')).toEqual([
    expect.objectContaining({
      ...foreign,
      state: 'idle',
      protected: 'mayor*',
      would: { act: 'nothing', why: 'protected', once_adopted: false },
    }),
  ]);
  expect(one('far')).toEqual([
    expect.objectContaining({
      ...foreign,
      by: 'title',
      command: ['sleep', '100000'],
      title: '✳ #{session_id} $(id) #[fg=red] "x" \\n seam',
    }),
  ]);
  expect(one('drawn')).toEqual([
    expect.objectContaining({
      ...foreign,
      agent: null,
      by: null, // a screen alone shows no program
      would: { act: 'nothing', why: 'no agent', once_adopted: false },
    }),
  ]);
  expect(one('shell')).toEqual([
    expect.objectContaining({
      agent: null,
      by: null,
      managed: 'nobody',
      would: { act: 'nothing', why: 'no agent', once_adopted: false },
    }),
  ]);
  expect(one('builder')).toEqual([
    expect.objectContaining({
      agent: 'claude',
      by: 'record',
      ours: true,
      managed: 'started',
      state: 'idle',
      would: { act: 'ask', why: 'if a warrant comes', once_adopted: false },
    }),
    expect.objectContaining({
      agent: 'claude',
      by: 'process',
      ours: false,
      managed: 'split',
      would: { act: 'nothing', why: 'a person’s pane', once_adopted: false },
    }),
  ]);

  for (const text of [told, all]) {
    expect(text).not.toContain('\u001b');
    expect(text.split('\n').filter((line) => [...line].length > 100)).toEqual([]);
    expect(text).toMatch(/^SESSION {2,}PANE {2,}AGENT {2,}OURS {2,}STATE {2,}WOULD {2,}TITLE$/m);
    expect(text).toMatch(/^asks {2,}%\d+ {2,}claude {2,}no {2,}blocked {2,}tell: it asks a person\b/m);
    expect(text).toMatch(/^builder {2,}%\d+ {2,}claude {2,}started {2,}idle {2,}ask: if a warrant comes\b/m);
    expect(text).toContain('`town session adopt NAME`');
  }
  expect([/^shell\b/m.test(told), /^shell\b/m.test(all)]).toEqual([false, true]);

  // Adoption is what promotes.
  expect((await town.run('session', 'adopt', 'works')).code).toBe(0);
  const after = Watched.parse(await town.data('watch')).filter(({ session }) => session === 'works');
  expect(after).toEqual([
    expect.objectContaining({
      ours: true,
      managed: 'adopted',
      by: 'record',
      state: 'busy',
      would: { act: 'ask', why: 'if a warrant comes', once_adopted: false },
    }),
  ]);
});
