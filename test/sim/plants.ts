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
  | 'alerts nobody'
  | 'writes no letter'
  | 'kills though superseded'
  | 'starts beside the living'
  | 'unknown is silence'
  | 'person is silence'
  | 'spares nobody'
  | 'loses a warrant'
  | 'voids what it heard'
  | 'starts what was stopped'
  | 'starts into a dead login';

export type ChainPlant =
  | 'nobody looks'
  | 'hears of no hearing'
  | 'sees no pause'
  | 'takes the living for dead'
  | 'ticks twice'
  | 'notifies twice'
  | 'leaves letters'
  | 'forgets who asked for its end';

export type OfficePlant =
  'loses ends' | 'tells each time' | 'ends what stands' | 'forgets what others told' | 'notifies nobody';

export type RigsPlant =
  'destroys unseen' | 'leaves records' | 'tells no mayor' | 'writes twice' | 'reads no letter' | 'asks about triage';

export type Plant = HearingsPlant | ChainPlant | OfficePlant | RigsPlant;
