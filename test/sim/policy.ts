/** The town's numbers in a simulation: windows a tenth as long, looks as often, so that the same shapes need a tenth of the steps. */
import { POLICY, type Policy } from '../../machines/policy.ts';
import { PROCESS, type ProcessPolicy } from '../../src/ports/policy.ts';
import { STATE, type StatePolicy } from '../../state/files/policy.ts';

export const SIM_POLICY: Policy = {
  ...POLICY,
  dance: {
    ...POLICY.dance,
    windowsMs: [6_000, 12_000, 24_000],
    retryMs: 1_000,
    undeliverableMs: 60_000,
    personMs: 30_000,
    termGraceMs: 1_000,
    killGraceMs: 300,
    saveEveryMs: 2_000,
    readWarrantsEveryMs: 4_000,
    overdueMs: 30_000,
  },
  sessions: {
    ...POLICY.sessions,
    backoffMs: 500,
    maxBackoffMs: 20_000,
    stableMs: 30_000,
    scanEveryMs: 4_000,
    unknownAlarmMs: 10_000,
  },
};
export const SIM_STATE: StatePolicy = { ...STATE, slowSaveMs: 2_000 };
export const SIM_PROCESS: ProcessPolicy = { ...PROCESS, orderMs: 8_000, progressEveryMs: 10_000 };
/** How often the simulated hands look whether a signalled process is gone. */
export const GONE_EVERY_MS = 200;
