/** The oracle's own count of what a town could not see, on hand-made logs. */
import { describe, expect, test } from 'vitest';
import { Blindness } from './blindness.ts';
import type { Entry, EntryOf, Log } from './log.ts';

const LIFE = 'life-s0';
const born: Entry = {
  t: 0,
  what: 'born',
  life: LIFE,
  session: 's0',
  by: 'other',
  others: 0,
  restart: 'transient',
  isDoomed: false,
};
const booted = (town: number, t: number): Entry => ({ t, what: 'booted', town });
const ended = (town: number, t: number, how: EntryOf<'ended'>['how']): Entry => ({
  t,
  what: 'ended',
  town,
  how,
  why: 'a test',
});
const frozen = (town: number, t: number, until: number): Entry => ({ t, what: 'frozen', town, until });

/** What could be seen of the first ten seconds. */
const seen = (...log: Log) => new Blindness([born, ...log]).seenMs(LIFE, 0, 10_000);

describe('what a town could see', () => {
  test('all, while it runs', () => {
    expect(seen(booted(1, 0))).toEqual({ seenMs: 10_000, gaps: [] });
  });
  test('nothing between its end and the next one', () => {
    expect(seen(booted(1, 0), ended(1, 4_000, 'exit'), booted(2, 7_000)).seenMs).toBe(7_000);
  });
  test('all, though a successor ended before it began', () => {
    expect(seen(booted(1, 0), ended(2, 4_000, 'exit'), booted(3, 7_000), ended(1, 8_000, 'superseded')).seenMs).toBe(
      10_000,
    );
  });
  test('nothing after a successor that never began took its place', () => {
    expect(seen(booted(1, 0), ended(2, 4_000, 'exit'), ended(1, 6_000, 'superseded'), booted(3, 9_000)).seenMs).toBe(
      7_000,
    );
  });
  test('a stopped town sees nothing, and one gap may be credited', () => {
    expect(seen(booted(1, 0), frozen(1, 2_000, 5_000))).toEqual({ seenMs: 7_000, gaps: [3_000] });
  });
  test('a stopped town that is replaced hides nothing any more', () => {
    expect(seen(booted(1, 0), frozen(1, 2_000, 9_000), booted(2, 3_000)).seenMs).toBe(9_000);
  });
});
