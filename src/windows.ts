/** When the windows of the hearings under way end, as the running town counts them: its records are up to a step behind. */
import { windowEndOf, type DogSnapshot } from '../machines/dog-record.ts';
import type { Clock } from './ports.ts';
import type { WindowView } from './socket/protocol.ts';
import type { Street } from './street.ts';

/** Those that are open now. */
export function windowsOf(street: Pick<Street, 'snapshotsOf'>, clock: Pick<Clock, 'now' | 'wall'>): WindowView[] {
  const [now, wall] = [clock.now(), clock.wall()];
  return street.snapshotsOf('dog').flatMap((snapshot) => {
    const dog = snapshot as DogSnapshot;
    const end = windowEndOf(dog, now);
    if (end === null) return [];
    const { id, attempt } = dog.context.dance;
    return [{ dance: id, attempt, ends_at: new Date(wall + (end - now)).toISOString() }];
  });
}
