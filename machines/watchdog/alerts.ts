/**
 * Alerts of Boot, the daemon and the Deacon, each as long as its cause. Alerts that this configuration does not look
 * for are over.
 */
import { attach, status } from '../alerts/asks.ts';
import type { Level } from '../alerts/levels.ts';
import type { Declared } from '../protocol.ts';
import type { Ctx as BootState } from './acts.ts';
import type { DaemonState } from './daemon.ts';
import type { DeaconState } from './deacon.ts';
import { who, type Stuck } from './matrix.ts';
import { watchedIn, type Ticked } from './steps.ts';

const UNWATCHED = 'It is not looked for any more: the configuration is another one.';

/** Of Boot: until the Deacon is well again. */
const stuck = (
  kind: Stuck,
  asks: Declared['asks'],
  isToldOf: (deacon: BootState['deacon']) => boolean = () => true,
): Level<BootState> => ({
  kind,
  asks,
  claim: (context) => {
    const { policy, deacon, alerts, wasWell } = context;
    const isWatched = policy.boot.enabled && isToldOf(deacon);
    const name = who(context);
    return {
      stands: alerts.flatMap(({ kind: of, ...words }) => (isWatched && of === kind ? [{ name, ...words }] : [])),
      only: isWatched && !wasWell ? [name] : [],
    };
  },
  ended: (name) => (name === null ? UNWATCHED : 'The Deacon is well again.'),
});

export const BOOT_LEVELS: readonly Level<BootState>[] = [
  stuck('deacon-blocked', attach),
  stuck('deacon-unreachable', () => ['town deacon status', 'town boot status']),
  // An actor needs no command.
  stuck(
    'deacon-no-command',
    () => ['town config show', 'town restart'],
    (deacon) => deacon !== null,
  ),
];

const ticked = (kind: Ticked, asks: Declared['asks']): Level<DaemonState> => ({
  kind,
  asks,
  claim: (context) => {
    const watched = watchedIn(context)[kind];
    const { [kind]: known } = context.standing;
    return {
      stands: watched.flatMap((name) => {
        const one = known?.[name];
        return one === undefined || typeof one === 'string' ? [] : [{ name, ...one }];
      }),
      only: watched.filter((name) => known?.[name] === undefined),
    };
  },
  ended: (name, { standing }) => {
    const why = name === null ? undefined : standing[kind]?.[name];
    return typeof why === 'string' ? why : UNWATCHED;
  },
});

const DEACON_MAIL: Declared = { kind: 'deacon-mail', asks: () => ['town mail inbox deacon'] };

export const DAEMON_LEVELS: readonly Level<DaemonState>[] = [
  ticked('deacon-silent', () => ['town boot status']),
  ticked('deacon-down', status),
  ticked('daemon-step', () => ['town daemon logs']),
  // An agent that is the Deacon reads its letters by itself.
  { ...DEACON_MAIL, claim: ({ deacon }) => deacon && { stands: [], only: [] }, ended: () => UNWATCHED },
];

function strangeText({ count, last }: NonNullable<DeaconState['strange']>): string {
  const many = count === 1 ? 'a message' : `${count} messages`;
  const newest = last === null ? '' : `, the newest from ${last.from}: ${JSON.stringify(last.subject)}`;
  return `The Deacon has ${many} without a rule${newest}. Read them: town mail inbox deacon`;
}

/** Letters that the Deacon has no rule for are one alert with a count, until none lies there any more. */
export const DEACON_LEVELS: readonly Level<Pick<DeaconState, 'strange'>>[] = [
  {
    ...DEACON_MAIL,
    claim: ({ strange }) =>
      strange && {
        stands: strange.count === 0 ? [] : [{ name: '', severity: 'low', session: null, text: strangeText(strange) }],
        only: [],
      },
    ended: () => 'No message lies there any more.',
  },
];
