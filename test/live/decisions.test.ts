/** Configuration keys whose decision only a real program shows; test/config holds the walk over all keys. */
import { describe, expect, test } from 'vitest';
import { live } from '../config/probes/live.ts';
import { prove } from '../config/probes/probe.ts';

describe('a key that only a real program reads', () => {
  test('has its own probe here', () => {
    expect(Object.keys(live).length).toBeGreaterThan(0);
  });
  prove(live);
});
