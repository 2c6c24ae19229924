/** What of a step becomes a line of the journal. */
import { expect, test } from 'vitest';
import type { Warrant } from '../../machines/protocol.ts';
import { Chronicle } from '../../src/journal/chronicle.ts';
import { WALL, warrant } from '../hearings/drive.ts';

const linesOf = (filed: Warrant) =>
  new Chronicle().lines({
    facts: [{ type: 'WARRANT_FILED', warrant: filed, at: 0, wall: WALL }],
    records: [],
    orders: [],
    wall: WALL,
  });

test('a warrant is told with who filed it, where that is known', () => {
  const filed = warrant('w1', undefined, { requester: 'mayor', via: 'operator' });
  expect(linesOf(filed)).toMatchObject([{ kind: 'warrant.filed', requester: 'mayor', via: 'operator' }]);
  expect(linesOf(warrant('w1'))[0]).not.toHaveProperty('via');
});
