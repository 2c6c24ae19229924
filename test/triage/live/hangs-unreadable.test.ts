/** A polecat that hangs where the town cannot type: after the deadline a case is open, and its text ends with the end of the screen. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { Shop } from '../../patrols/shop.ts';

const CLAUDE = join(import.meta.dirname, '../../fixtures/agents/claude');

interface Case {
  readonly id: string;
  readonly type: string;
  readonly agent: string;
  readonly context: string;
}

// Rules: P-3, P-4, W-4.
test('a polecat whose screen shows no place for text becomes a case after the deadline, with its screen', async () => {
  const town = new Shop('[patrol]\nactive = "1s"\nidle = "1s"\n[rig.shop]\nmax_polecats = 1\n');
  town.witness('hook_nudge = "2s"\nhook_case = "4s"\nhook_stalled = "240h"\ndeadline = "4s"\nnudge_again = "1s"\n');
  await town.open();
  const id = await town.bead('stand still');
  await town.polecat('nux', id, CLAUDE, 'strange');
  const [found] = await until(
    () => town.data<Case[]>('triage', 'list'),
    (all) => all.length > 0,
  );
  expect(found).toMatchObject({ type: 'stuck_agent', agent: 'shop/polecats/nux' });
  const shown = (await town.run('triage', 'show', found!.id)).stdout;
  const [, context = ''] = shown.split('\n\n', 2);
  expect(context).toMatch(
    /^\S+ is on its hook and does not move: .*; it could not be told so: gt-shop-nux was not nudged: no empty composer /,
  );
  expect(context).toMatch(/\nThe end of its screen:\n(?:.*\n)*.*Something new$/);
  // It is neither typed into nor accused.
  expect(town.tmux('capture-pane', '-p', '-t', '=gt-shop-nux:')).not.toContain('There is work on your hook');
  expect(await town.data('warrant', 'list', '--all')).toEqual([]);
  expect(await town.data('triage', 'list', '--all')).toHaveLength(1);
});
