/** What each patrol claims to stand, its cycles that come to nothing among it; the keeper of the ledger knows who is patrolled at all. */
import type { Claim, Level, Standing } from '../alerts/levels.ts';
import type { Declared } from '../protocol.ts';
import { partOf } from '../protocol/episode.ts';
import { sessionOf } from '../rigs/names.ts';
import type { PatrolRecord, Stands, TownStep } from '../protocol/patrols.ts';
import type { PatrolPolicy, RoundsPolicy } from './policy.ts';
import { STANDS, type StandKind } from './stands.ts';
import { lastingText } from './tried.ts';

const whose = (of: string): string => (of === 'deacon' ? "The Deacon's patrol" : `The patrol of the rig ${of}`);

/** What a patrol's alerts go by. */
interface Patrolling {
  readonly of: string;
  readonly policy: Pick<RoundsPolicy, 'maxFailures'>;
  readonly policies: { readonly patrol: Pick<PatrolPolicy, 'undoneCycles' | 'undoneForMs'> };
  readonly record: PatrolRecord | null;
}

export const PATROL_FAILS: Declared = {
  kind: 'patrol-fails',
  asks: ({ of }) => (of === 'deacon' ? ['town deacon patrol'] : [`town witness patrol ${of}`]),
};

export const PATROL_CANNOT: Declared = {
  kind: 'patrol-cannot',
  asks: ({ of }) => (of === 'deacon' ? ['town deacon patrol'] : [`town witness patrol ${of}`]),
};

export const PATROL_RESTS: Declared = {
  kind: 'patrol-rests',
  asks: ({ of }) =>
    of === 'deacon' ? ['town deacon status'] : [`town session status ${sessionOf({ rig: of, name: 'witness' })}`],
};

type OfStep = Declared & { readonly over: (name: string) => string };

/** What steps of the Deacon's round see stand for a person: a kind of alert for each such step. */
const OF_STEPS = {
  waits: {
    kind: 'never-ready',
    asks: () => ['town bead list --status open'],
    over: () => 'No bead waits any more for what can never be done.',
  },
  plugins: {
    kind: 'plugin-fails',
    asks: ({ of }) => ['town plugin list', `town plugin run ${of}`],
    over: (plugin) => `The plugin ${plugin} works again, or it is gone.`,
  },
} as const satisfies Partial<Record<TownStep, OfStep>>;

const NAMES_DEACON: StandKind = 'deacon-late';
/** What every witness sees is one alert for all (W-6). */
const nameOf = (of: string, kind: string, name: string): string =>
  kind === NAMES_DEACON ? 'deacon' : name === '' ? of : `${of}/${name}`;

/** Made once for each look: a claim is compared by what it is. */
const made = new WeakMap<readonly Stands[], Map<string, Claim>>();

function claimOf(kind: StandKind, { of, record }: Patrolling): Claim | null {
  const claims = record?.claims ?? null;
  if (of === 'deacon' || claims === null) return null;
  const claimed = made.get(claims) ?? new Map<string, Claim>();
  made.set(claims, claimed);
  const known = claimed.get(kind);
  if (known !== undefined) return known;
  const stands = claims
    .filter((one) => one.kind === kind)
    .map(({ name, severity, text }) => ({ name: nameOf(of, kind, name), severity, session: null, text }));
  const claim: Claim =
    kind === NAMES_DEACON ? { stands, over: stands.length === 0 ? ['deacon'] : [] } : { stands, within: of };
  claimed.set(kind, claim);
  return claim;
}

export const STAND_LEVELS = Object.entries(STANDS).map(([kind, { asks, over }]): Level<Patrolling> => ({
  kind,
  asks,
  isForMayor: true,
  claim: (patrolling) => claimOf(kind as StandKind, patrolling),
  ended: () => over,
}));

export const STEP_LEVELS = Object.entries(OF_STEPS).map(([step, { kind, asks, over }]): Level<Patrolling> => ({
  kind,
  asks,
  claim: ({ of, record }) => {
    const seen = record?.stands[step];
    if (of !== 'deacon' || seen === undefined) return null;
    const stands = Object.entries(seen).map(([name, text]): Standing => ({
      name: nameOf(of, kind, name),
      severity: 'medium',
      session: null,
      text,
    }));
    return { stands, within: of };
  },
  ended: (name) => over(name === null ? 'that failed' : partOf(name)),
}));

export const PATROL_LEVELS: readonly Level<Patrolling>[] = [
  ...STAND_LEVELS,
  {
    ...PATROL_FAILS,
    claim: ({ of, policy: { maxFailures }, record }) => {
      if (record === null) return null;
      if (record.failures < maxFailures) return { stands: [], over: [of] };
      const text = `${whose(of)} came to nothing ${maxFailures} times in a row: ${record.why ?? ''}. It is tried again; the other patrols go on.`;
      return { stands: [{ name: of, severity: 'high', session: null, text }] };
    },
    ended: (_, { of }) => `${whose(of)} works again.`,
  },
  {
    ...PATROL_CANNOT,
    claim: ({ of, policies, record }) => {
      if (record === null) return null;
      const text = lastingText(record.tried, policies.patrol);
      if (text === null) return { stands: [], over: [of] };
      return { stands: [{ name: of, severity: 'high', session: null, text: `${whose(of)} ${text}` }] };
    },
    ended: (_, { of }) => `${whose(of)} did what it could not do, or has no reason to do it any more.`,
  },
  {
    ...PATROL_RESTS,
    claim: ({ of, record }) => {
      if (record === null) return null;
      if (record.observed['stands_in'] !== 1) return { stands: [], over: [of] };
      const text = `${whose(of)} is an agent's, which does not do it: the town does it meanwhile, now and then.`;
      return { stands: [{ name: of, severity: 'medium', session: null, text }] };
    },
    ended: (_, { of }) => `${whose(of)} is done as it should be.`,
  },
  ...STEP_LEVELS,
];
