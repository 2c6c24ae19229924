/**
 * What the Deacon's pane shows, as far as it can be told; it only softens what Boot does, so not knowing is a value. One that
 * shows work and stands still is not known to work, and nothing is softened for it.
 */
import type { Incarnation, PaneMood } from '../../machines/protocol.ts';
import { stillText, workOn } from '../hearings/at-work.ts';
import { findPane } from '../hearings/pane.ts';
import { viewOf, type HearingDeps } from '../hearings/view.ts';
import type { ScreenState } from '../screen/screen.ts';

export interface PaneState {
  readonly pane: PaneMood;
  readonly what: string;
}

/**
 * A limit waits for a person as a dialog does; a half-typed line only keeps words out, and the typing person sees it.
 */
const MOODS: Readonly<Record<ScreenState, PaneMood>> = {
  busy: 'busy',
  busy_draft: 'busy',
  idle: 'idle',
  draft: 'idle',
  error: 'idle',
  blocked: 'blocked',
  login: 'blocked',
  picker: 'blocked',
  limited: 'blocked',
  unknown: 'unreadable',
  gone: 'unreadable',
};

export async function moodOf(deps: HearingDeps, target: Incarnation): Promise<PaneState> {
  try {
    const found = await findPane(deps, target);
    if (found.kind !== 'found') return { pane: 'none', what: found.kind };
    const view = await viewOf(deps, target, found, { from: (historySize) => historySize });
    const { screen } = view;
    const mood = MOODS[screen.state];
    const work = mood === 'busy' ? await workOn(deps, target, found, view) : 'none';
    if (work === 'still') return { pane: 'unreadable', what: stillText(screen.what) };
    return { pane: mood === 'busy' && work === 'none' ? 'idle' : mood, what: screen.what };
  } catch (error) {
    return { pane: 'unreadable', what: error instanceof Error ? error.message : String(error) };
  }
}
