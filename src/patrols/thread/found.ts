/** What the Deacon's round found and did, as the running town gets it. */
import { hasChanged } from '../../../machines/patrols/changes.ts';
import type { Deed, Patrolled } from '../../../machines/protocol/patrols.ts';
import type { TownWork } from '../deacon/round.ts';

export const PAUSED: Patrolled = { observed: {}, deeds: [], stranded: [], isActive: false, isPaused: true };

export function ofTown({ observed, done, triage }: TownWork): Patrolled {
  const deeds = done.map((one): Deed => ({ step: STEP[one.act], ...one }));
  return {
    observed: { ...observed, model_calls: triage.modelCalls, needs_triage: triage.began === null ? 0 : 1 },
    deeds,
    stranded: [],
    isActive: hasChanged(deeds) || triage.isActive,
    isPaused: false,
  };
}
const STEP = {
  triage: 'spawn-triggers',
  escalate: 'gates',
  open: 'gates',
  land: 'convoys',
  climb: 'escalations',
  unhook: 'stale-hooks',
  end: 'escalations',
  pass: 'escalations',
  orphan: 'orphan-cleanup',
  compact: 'compaction',
  plugin: 'plugins',
  stop: 'health-scan',
  forget: 'health-scan',
  tell: 'climb',
  close: 'climb',
} as const;
