/** A monitored town with one worker that was seen at work. */
import { MonitorTown } from './town.ts';

export function withWorker(...given: ConstructorParameters<typeof MonitorTown>): MonitorTown {
  const town = new MonitorTown(...given);
  town.show(1);
  town.polls(1);
  return town;
}
