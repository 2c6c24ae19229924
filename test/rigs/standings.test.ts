import { expect, test } from 'vitest';
import { standingsIn } from '../../src/rigs/sessions.ts';
import type { SessionView } from '../../src/overview/sessions.ts';

const view = (given: Partial<SessionView>): SessionView => ({
  name: 'gt-shop-nux',
  state: 'running',
  alive: true,
  pid: 7,
  uuid: 'u-1',
  tags: [],
  restart: 'temporary',
  restarts: 0,
  command: ['cat'],
  dir: '/shop',
  in_tmux: true,
  started_at: null,
  crash_loop: false,
  next_start_at: null,
  memory_bytes: null,
  cpu: null,
  asks: null,
  hearing: null,
  survivors: [],
  note: '',
  ...given,
});

test.each([
  { seen: {}, town: 'lives', none: 'lives' },
  { seen: { state: 'foreign', alive: null }, town: 'lives', none: 'lives' },
  { seen: { state: 'ended', alive: false }, town: 'ended', none: 'ended' },
  { seen: { alive: null }, town: 'unknown', none: 'unknown' },
  // Its process is gone, or was looked for too early: the town that runs records which.
  { seen: { alive: false }, town: 'unknown', none: 'ended' },
  { seen: { alive: false, restart: 'permanent' }, town: 'lives', none: 'lives' },
])('a session that is seen as $seen stands as $town to a running town, and as $none where no town runs', (one) => {
  const seen = { sessions: [view(one.seen)], tmux_fault: null };
  expect(standingsIn(seen, 'unknown')('gt-shop-nux')).toBe(one.town);
  expect(standingsIn(seen, 'ended')('gt-shop-nux')).toBe(one.none);
});

test('one that is not among them is none, unless tmux or the records gave no answer', () => {
  expect(standingsIn({ sessions: [], tmux_fault: null })('gt-shop-nux')).toBe('none');
  expect(standingsIn({ sessions: [], tmux_fault: 'no answer' })('gt-shop-nux')).toBe('unknown');
  expect(standingsIn({ sessions: null, tmux_fault: null })('gt-shop-nux')).toBe('unknown');
});
