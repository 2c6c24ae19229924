/** Faults that are planted in the hands, the store or the patrols of a simulated town, for tests of the oracles. By scene. */
export type HearingsPlant =
  | 'looks without seeing'
  | 'last look skipped'
  | 'rescue not done'
  | 'signals more than the list'
  | 'signals the untouchable'
  | 'asks without typing'
  | 'saves nothing'
  | 'saves after acting'
  | 'tells twice'
  | 'alerts no person'
  | 'writes no letter'
  | 'kills though superseded'
  | 'starts beside the living'
  | 'unknown is silence'
  | 'person is silence'
  | 'spares no agent'
  | 'loses a warrant'
  | 'voids what it heard'
  | 'starts what was stopped'
  | 'starts into a dead login';

export type ChainPlant =
  | 'never looks'
  | 'hears of no hearing'
  | 'sees no pause'
  | 'takes the living for dead'
  | 'ticks twice'
  | 'notifies twice'
  | 'leaves letters'
  | 'forgets who asked for its end';

export type OfficePlant =
  | 'loses ends'
  | 'tells each time'
  | 'ends what stands'
  | 'forgets what others told'
  | 'notifies no person';

export type EarsPlant =
  | 'types into a dialog'
  | 'hears no program'
  | 'sees no dialog'
  | 'forgets its pages'
  | 'forgets its letters'
  | 'forgets its sends'
  | 'begins anew'
  | 'mistakes the end of a limit'
  | 'starts into a dead login';

export type RigsPlant =
  | 'destroys unseen'
  | 'leaves records'
  | 'tells no mayor'
  | 'writes twice'
  | 'reads no letter'
  | 'asks about triage';

export type Plant = HearingsPlant | ChainPlant | OfficePlant | EarsPlant | RigsPlant;

/** A seed in which it is known to show, and what an oracle must say about it. */
export interface Shows {
  readonly seed: number;
  readonly says: RegExp;
}
const at = (seed: number, says: RegExp): Shows => ({ seed, says });

const HEARINGS: Readonly<Record<HearingsPlant, Shows>> = {
  'looks without seeing': at(23, /the last look could see/),
  'last look skipped': at(29, /the last look could see: answered/),
  'rescue not done': at(0, /before the work was saved/),
  'signals more than the list': at(2, /not in the durable list/),
  'signals the untouchable': at(54, /not to be ended by this town/),
  'asks without typing': at(0, /killed after 0 questions/),
  'saves nothing': at(0, /without a durable intent/),
  'saves after acting': at(0, /without a durable intent/),
  'tells twice': at(0, /was told executed, then pardoned/),
  'alerts no person': at(3, /and no person was alerted before/),
  'writes no letter': at(0, /and 0 letters say so/),
  'kills though superseded': at(119, /by a superseded town/),
  'starts beside the living': at(2, /beside a living one/),
  'unknown is silence': at(86, /question \d got \d+ ms/),
  'person is silence': at(23, /could see: (person|dialog)/),
  'spares no agent': at(61, /signalled though its answer was seen/),
  'loses a warrant': at(216, /was lost in the crash/),
  'voids what it heard': at(0, /nothing in the world bears that out/),
  'starts into a dead login': at(85, /into a login that was known to be dead/),
  'starts what was stopped': at(441, /it was stopped by an operator, and was started again/),
};
const CHAIN: Readonly<Record<ChainPlant, Shows>> = {
  'never looks': at(10, /no Deacon from/),
  'hears of no hearing': at(9, /is typed to at \d+, though/),
  'sees no pause': at(28, /is signalled at \d+, though paused/),
  'takes the living for dead': at(0, /is started at \d+ beside/),
  'ticks twice': at(0, /no tick since the last one/),
  'notifies twice': at(0, /: alert at \d+ and again/),
  'leaves letters': at(1, /mail\/deacon\/.* is there in the end/),
  'forgets who asked for its end': at(1, /asked to stay ended/),
};
const ALERTS: Readonly<Record<OfficePlant, Shows>> = {
  'loses ends': at(0, /open in the end/),
  'tells each time': at(0, /: alert at \d+ and again/),
  'ends what stands': at(0, /while its cause stands/),
  'forgets what others told': at(286, /no alert between|open in the end/),
  'notifies no person': at(0, /no alert between/),
};
const RIGS: Readonly<Record<RigsPlant, Shows>> = {
  'destroys unseen': at(1, /nowhere else/),
  'leaves records': at(1, /in the end, and no command goes on with it/),
  'tells no mayor': at(1, /SWARM_COMPLETE .* was never said/),
  'writes twice': at(1, /was said twice|was handled \d times/),
  'reads no letter': at(7, /no person ever heard/),
  'asks about triage': at(1, /is triage about triage/),
};
const EARS: Readonly<Record<EarsPlant, Shows>> = {
  'types into a dialog': at(9, /was typed to at \d+, though it showed/),
  'hears no program': at(9, /was paged at \d+, though/),
  'sees no dialog': at(10, /no person heard of it/),
  'forgets its pages': at(3, /was paged at \d+ and again at/),
  'forgets its letters': at(25, /was told of twice/),
  'forgets its sends': at(7, /was never typed/),
  'begins anew': at(0, /was begun anew/),
  'mistakes the end of a limit': at(21, /was told to go on at \d+, before/),
  'starts into a dead login': at(25, /into a login that was known to be dead/),
};
/** By scene. */
export const SEEN = { hearings: HEARINGS, chain: CHAIN, alerts: ALERTS, ears: EARS, rigs: RIGS } as const;
