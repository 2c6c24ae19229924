/**
 * Takes old words of the town out of a composer: a hook that refuses a prompt, or an interrupted turn, puts them back there some
 * time after their Enter. They would keep every later text away, and a person could send them by mistake. What is taken out is
 * ours to its last sign; as with all typing nothing happens under a person's hands, in a dialog, in copy mode.
 */
import type { Incarnation } from '../../machines/protocol.ts';
import { viewForTyping, takeOut, type Delivery } from './deliver.ts';
import { findPane } from './pane.ts';
import type { HearingDeps } from './view.ts';

export type TakeOutPutBack = (target: Incarnation) => Promise<void>;

/** Rejects where something stands in the way: the next look at the pane tries again. */
export const takeOutPutBack =
  (deps: HearingDeps): TakeOutPutBack =>
  (target) =>
    deps.queue.run(target.paneId, async () => {
      const found = await findPane(deps, target);
      if (found.kind !== 'found') return;
      const delivery: Delivery = { target, found, lines: [], typed: 'no', isRaw: false };
      const view = await viewForTyping(deps, delivery);
      const draft = view.screen.composer?.draft ?? '';
      if (draft === '') return;
      deps.memory.wasPutBack(target, draft, deps.clock.now());
      await takeOut(deps, delivery, view, new AbortController().signal);
    });
