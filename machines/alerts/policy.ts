/** The numbers of alerts, each with its unit and reason. */
import type { Ms } from '../protocol.ts';

/** What could not be told is told anew after this: a disk that refuses does so for a while, and each try is a line of the journal. */
export const TELL_AGAIN_MS: Ms = 30_000;
