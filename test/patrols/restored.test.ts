/** A patrol's round in a root that came back from a copy: it rests at its own pace, and says why to a caller. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { inTownTime } from '../../src/overview/known-time.ts';
import { PatrolExecutor } from '../../src/patrols/thread/executor.ts';
import { realDisk } from '../../state/files/disk.ts';
import { AFTER_COPY, goOn, noteRestored } from '../../state/process/restored.ts';
import { freshFolder } from '../world/over.ts';

const never = (): never => {
  throw new Error('no town is asked');
};

// Rules: law 1, P-8.
test('no round begins before a person says to go on', async () => {
  const root = freshFolder();
  mkdirSync(join(root, 'daemon'));
  const disk = realDisk(root, 0);
  const executor = new PatrolExecutor({
    settings: loadSettings({ root, env: {} }),
    client: { ask: never, askIfUp: never, overview: never, unrecorded: 'unknown' },
    note: () => undefined,
    inTime: inTownTime,
  });
  const round = (asked: 'operator' | 'agent' | null) =>
    executor.perform({ type: 'patrol', of: 'deacon', handled: {}, lastAt: null, asked, stands: [] });
  await noteRestored(disk);
  expect(await round(null)).toMatchObject({ type: 'PATROLLED', found: { deeds: [], isPaused: true } });
  for (const asked of ['operator', 'agent'] as const)
    expect(await round(asked)).toMatchObject({ type: 'PATROLLED', found: { isPaused: true, why: AFTER_COPY } });
  await goOn(disk);
  expect(await round('operator')).toMatchObject({ type: 'ROUND_OPENED' });
  executor.close();
});
