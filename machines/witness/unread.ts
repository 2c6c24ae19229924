/**
 * Records that stand on disk and do not count. What such a record is about is unknown: it is left as it is, and a person gets one alert
 * for each file. All else of the rig is patrolled as before.
 */
import type { UnreadSeen } from '../patrols/observation.ts';
import { stand } from '../patrols/stands.ts';
import type { Acts } from './acts.ts';
import type { WitnessSeen } from './observation.ts';

export function unreadActs({ polecats, handed, rig, refinery }: WitnessSeen): Acts {
  const all: readonly { readonly unread?: UnreadSeen }[] = [...polecats, ...handed, ...rig.work, refinery];
  return all.flatMap(({ unread }) => {
    if (unread === undefined) return [];
    const text = `${unread.why}. Until then the patrol leaves what it is about as it is`;
    return [stand('high', 'record-unread', text, unread.file)];
  });
}
