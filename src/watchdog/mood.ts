/** What the Deacon's pane shows, as far as it can be told; it only softens what Boot does, so not knowing is a value. */
import type { Incarnation } from '../../machines/protocol.ts';
import type { PaneMood } from '../../machines/watchdog.ts';
import { findPane } from '../hearing/pane.ts';
import { viewOf, type HearingDeps } from '../hearing/view.ts';

export interface Mood {
  readonly pane: PaneMood;
  readonly what: string;
}

export async function moodOf(deps: HearingDeps, target: Incarnation): Promise<Mood> {
  try {
    const found = await findPane(deps, target);
    if (found.kind !== 'found') return { pane: 'none', what: found.kind };
    const { screen } = await viewOf(deps, target, found, (historySize) => historySize);
    return { pane: screen.state === 'unknown' ? 'unreadable' : screen.state, what: screen.what };
  } catch (error) {
    return { pane: 'unreadable', what: error instanceof Error ? error.message : String(error) };
  }
}
