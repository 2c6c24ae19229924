/** How a hearing and a warrant stand, in a word for people. Programs get the states themselves (`--json`). */
import type { DanceState } from '../../../machines/protocol.ts';
import type { WarrantView } from '../../overview/records.ts';

export const HEARING_WORDS: Readonly<Record<DanceState, string>> = {
  idle: 'opens',
  interrogating: 'asked',
  evaluating: 'judged',
  pardoned: 'pardoned',
  executing: 'ending',
  complete: 'over',
  failed: 'failed',
};
export const WARRANT_WORDS: Readonly<Record<WarrantView['state'], string>> = {
  queued: 'waits',
  dancing: 'heard',
  closed: 'closed',
};
