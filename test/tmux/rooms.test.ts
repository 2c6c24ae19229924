/**
 * Exact or nothing (D-9, invariant 9): among sessions of any names, the one that is looked for is found by ids, and no other is
 * touched: neither by a name that begins alike, nor by one that is a pattern, an id or a command to tmux.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Incarnation } from '../../machines/protocol.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { until, yard, type Yard } from './yard.ts';

const processes = createProcesses();
let made: Yard;
beforeAll(async () => {
  made = await yard();
});
afterAll(() => made[Symbol.asyncDispose]());

const TARGET = 'gt-foo';
const near = fc.constantFrom(
  'gt-foobar',
  'gt-fo',
  'gt-',
  'g',
  'gt-foo-2',
  'GT-FOO',
  'xgt-foo',
  'gt-foo ',
  ' gt-foo',
  'gt.foo',
  'gt_foo',
  'gt-f*',
  'gt-fo?',
  '[g]t-foo',
  '*',
  '=gt-foo',
  '=',
  '-t',
  '$0',
  '$1',
  '%0',
  '%1',
  '@1',
  '{last}',
  '!',
  '~',
  '+1',
  'gt-foo;kill-server -',
  '#{session_id}',
  '#(kill-server)',
  'gt-foo:0',
  ':',
  '"',
  "'",
  'gt-foó',
  'ＧＴ-foo',
);
const any = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((name) => !/[\0;]/.test(name));
const crowd = fc.uniqueArray(fc.oneof({ weight: 4, arbitrary: near }, any), { maxLength: 4 });

/** Everybody but our own client, by ids; names do not matter. */
async function others(life: Incarnation | null): Promise<string[]> {
  const rows = await made.server.tmux('list-panes', '-a', '-F', '#{@town_hidden} #{session_id} #{pane_id} #{pane_pid}');
  return rows.split('\n').filter((row) => row.startsWith(' ') && row.split(' ')[2] !== life?.paneId);
}

/** A session of a person's; some names tmux itself refuses. */
const open = (name: string): Promise<string | null> =>
  made.server.tmux('new-session', '-d', '-P', '-F', '#{session_id}', '-s', name, 'sleep', '1000').catch(() => null);

async function emptied(): Promise<void> {
  const rows = await made.server.tmux('list-sessions', '-F', '#{@town_hidden} #{session_id} #{session_name}');
  for (const [, id] of rows.matchAll(/^ (\$\d+) (?!base$)/gm)) await made.server.tmux('kill-session', '-t', id ?? '');
}

/** What became of the life before anybody acts on it. */
const fates = {
  lives: () => Promise.resolve(),
  'is gone': async ({ sessionId, agent }: Incarnation) => {
    await made.server.tmux('kill-session', '-t', sessionId);
    await until(() => !processes.alive(agent));
  },
  'was renamed': ({ sessionId }: Incarnation) => made.server.tmux('rename-session', '-t', sessionId, 'elsewhere'),
  'was renamed, and another has the name': async ({ sessionId }: Incarnation) => {
    await made.server.tmux('rename-session', '-t', sessionId, 'elsewhere');
    await open(TARGET);
  },
  'is gone, and another has the name': async (life: Incarnation) => {
    await fates['is gone'](life);
    await open(TARGET);
  },
} as const;
type Fate = keyof typeof fates;

// Rules: I-9.
test('9: among any names a life is found, watched, adopted and cleared exactly, or not at all', async () => {
  const fate = fc.constantFrom(...(Object.keys(fates) as Fate[]));
  await fc.assert(
    fc.asyncProperty(crowd, crowd, fate, async (before, after, what) => {
      for (const name of before) await open(name);
      const life = await made.begin({ name: TARGET });
      for (const name of after) await open(name);
      await fates[what](life);
      const isGone = what.startsWith('is gone');
      const rest = await others(life);

      const seen = isGone ? (what === 'is gone' ? 'absent' : 'replaced') : 'alive';
      expect((await made.scan(life)).seen).toMatchObject([{ life: seen }]);
      if (what === 'is gone' || what === 'was renamed')
        expect(await made.adopt(TARGET)).toMatchObject({ type: 'SESSION_NOT_ADOPTED', exit: 2 });
      expect(await made.clear(life)).toMatchObject({ type: 'CLEARED' });
      await until(() => !processes.alive(life.agent));
      expect(await others(life)).toEqual(rest);
      expect(await made.server.tmux('list-panes', '-a', '-F', 'N#{pane_id}N')).not.toContain(`N${life.paneId}N`);
      await emptied();
    }),
    {
      numRuns: 12,
      endOnFailure: true,
      examples: [
        [['gt-foobar'], [], 'is gone'],
        [[], ['gt-fo?'], 'was renamed'],
      ],
    },
  );
});
