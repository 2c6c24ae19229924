/** What of the town's actors is told as long as it lasts. */
import { LEVELS } from '../../machines/alert-kinds.ts';
import type { Kept } from './street.ts';

export const keepers: Kept = { levels: LEVELS };
