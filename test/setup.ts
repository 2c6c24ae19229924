/**
 * Before each test file. What the file opened is closed at its end.
 *
 * Under CI every property is tried on the same random values, so that a red run is the change's doing; at a desk each run
 * draws new ones, and a failure prints fast-check's seed.
 */
import { afterAll } from 'vitest';
import { closeFile } from './world/over.ts';

afterAll(closeFile);

if (process.env['CI'] !== undefined) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ seed: 20_261_101 });
}
