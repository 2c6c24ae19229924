/** Work that a person sends to a session, as it stands on disk and in outcomes. */
import type { WallMs } from './identity.ts';

/** Words that are typed once, when the agent of their session is at rest. */
export interface Send {
  readonly id: string;
  readonly session: string;
  readonly text: string;
  readonly from: string;
  readonly sentAt: WallMs;
}

export interface SendsRead {
  readonly type: 'SENDS_READ';
  readonly sends: readonly Send[];
}
