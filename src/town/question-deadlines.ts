/** What is to come, as the running town counts it: ends of windows, starts that wait. Its records are up to a step behind. */
import { windowEndOf, type DogSnapshot } from '../../machines/hearings/dog/record.ts';
import type { SessionsState } from '../../machines/sessions/state.ts';
import type { Clock } from '../ports/ports.ts';
import type { StartView, WindowView } from '../socket/protocol.ts';
import type { ActorTree } from './actor-tree.ts';

/** Those that are open now. */
export function windowsOf(tree: Pick<ActorTree, 'snapshotsOf'>, clock: Pick<Clock, 'now' | 'wall'>): WindowView[] {
  const [now, wall] = [clock.now(), clock.wall()];
  return tree.snapshotsOf('dog').flatMap((snapshot) => {
    const dog = snapshot as DogSnapshot;
    const end = windowEndOf(dog, now);
    if (end === null) return [];
    const { id, attempt } = dog.context.dance;
    return [{ dance: id, attempt, ends_at: new Date(wall + (end - now)).toISOString() }];
  });
}

/** Those that wait for their time. */
export function startsOf(tree: Pick<ActorTree, 'snapshotsOf'>, clock: Pick<Clock, 'now' | 'wall'>): StartView[] {
  const [now, wall] = [clock.now(), clock.wall()];
  return tree.snapshotsOf('sessions').flatMap((snapshot) => {
    const { records, live } = snapshot.context as SessionsState;
    return Object.values(records).flatMap(({ state, spec: { name } }) => {
      const dueAt = live[name]?.dueAt ?? null;
      if (state !== 'backing_off' || dueAt === null) return [];
      return [{ session: name, at: new Date(wall + Math.max(0, dueAt - now)).toISOString() }];
    });
  });
}
