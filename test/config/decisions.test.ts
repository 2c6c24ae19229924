/** A number that decides nothing is a defect: every key and every constant has a probe, and its decision changes with it. */
import { expect, test } from 'vitest';
import { constants } from '../../src/config/constants.ts';
import { KEYS } from '../../src/config/keys.ts';
import { PURE } from './probes/all.ts';
import { live } from './probes/live.ts';
import { prove } from './probes/probe.ts';

/** It was a key, and there is no page yet that it could switch off. */
const EXPECTED = 'dashboard.enabled';

test('every key and constant has a probe, and every probe one of them', () => {
  const read = [...KEYS, ...constants().values()].map(({ path }) => path).filter((path) => path !== EXPECTED);
  expect(Object.keys({ ...PURE, ...live }).sort()).toEqual(read.sort());
});

prove(PURE);
