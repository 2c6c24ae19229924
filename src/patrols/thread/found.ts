/** What a cycle found and did, as the running town gets it. */
import type { Deed, Patrolled } from '../../../machines/protocol/patrols.ts';
import type { CycleReport } from '../witness/cycle.ts';
import type { TownWork } from '../deacon/round.ts';

/** Acts after which things stand differently, and the next cycle has something to do. */
const CHANGES: ReadonlySet<string> = new Set([
  'nuke',
  'spawn',
  'hook',
  'start',
  'reopen',
  'fail',
  'close',
  'archive',
  'shelve',
  'wisp',
  'escalate',
  'unhook',
  'land',
  'open',
  'climb',
  'orphan',
  'stop',
]);
const hasChanged = (deeds: readonly Deed[]): boolean => deeds.some(({ act, done }) => done && CHANGES.has(act));

export const PAUSED: Patrolled = { observed: {}, deeds: [], stranded: [], isActive: false, isPaused: true };

/** That work waits for a configuration is no deed; it is a list of its own. */
export function ofWitness({ observed, steps }: CycleReport): Patrolled {
  const all = steps.flatMap(({ step, acts }) => acts.map((one): Deed => ({ step, ...one })));
  const deeds = all.filter(({ act }) => act !== 'strand');
  const stranded = all.filter(({ act }) => act === 'strand').map(({ about }) => about);
  const isActive = observed.working > 0 || hasChanged(deeds);
  return { observed: { ...observed }, deeds, stranded, isActive, isPaused: false };
}

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
