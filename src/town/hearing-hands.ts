/** The hands of a hearing: asking, nudging, looking, listing, rescuing, signalling, and the scan, with what they share. */
import { lastRows } from '../../state/sessions/output.ts';
import { readEnvironment } from '../../state/sessions/environment.ts';
import { Nudges } from '../../state/sessions/nudges.ts';
import { orNull } from '../../state/files/or-null.ts';
import { saveRescue } from '../../state/hearings/rescue.ts';
import { coveredBy } from '../config/glob.ts';
import { type DirectHandsDeps, withDetached } from '../sessions/detached/hands.ts';
import { askHand } from '../hearings/ask.ts';
import { CpuSampler } from '../hearings/cpu.ts';
import { drainOf } from '../hearings/drain.ts';
import { withLimits } from '../hearings/limit.ts';
import { type LookDeps, lookHand } from '../hearings/look.ts';
import { Memory } from '../hearings/memory.ts';
import { personAt } from '../hearings/people.ts';
import { withKeysForgotten } from '../hearings/pressed-key.ts';
import { PaneQueue } from '../hearings/queue.ts';
import { answerDialogHand } from '../hearings/answer-dialog.ts';
import { nudgeHand } from '../hearings/nudge.ts';
import type { TypingDeps } from '../hearings/pace.ts';
import type { Hands, OrderOf } from '../ports/ports.ts';
import { listTreeHand } from '../proc/listTree.ts';
import { loadStarter } from '../proc/load.ts';
import { signalHand } from '../proc/signal.ts';
import { listSurvivorsHand } from '../proc/survivors.ts';
import type { OutcomeBody } from '../../machines/protocol.ts';
import { AtRest } from '../overview/at-rest.ts';
import type { KeepPane } from '../sessions/kept-output.ts';
import { createRescuer, rescueHand } from '../rescue/rescue.ts';
import type { HandsPolicy } from '../ports/policy.ts';
import { clearSession, type PersonIn } from '../sessions/clear.ts';
import { heldAfterCopy, seeFree } from '../sessions/obstacle.ts';
import { scanSessions } from '../sessions/scan.ts';
import { heartbeatOf } from '../watchdog/hands.ts';
import type { TownTmux } from '../host/town-tmux.ts';
import type { UnrecordedLives } from '../sessions/unrecorded.ts';
import { paneReader } from '../hearings/pane-text.ts';
import type { HandsNeeds } from '../host/hands-needs.ts';
import { type AgentSources, withAgents } from './agent-sources.ts';

type HearingOrders =
  | 'ask'
  | 'nudge'
  | 'answerDialog'
  | 'look'
  | 'listSurvivors'
  | 'listTree'
  | 'rescue'
  | 'signal'
  | 'clear'
  | 'scan';

export type PaneTools = TypingDeps & Omit<LookDeps, 'isAtRest'> & { readonly cpu: CpuSampler };

/** Words of options that the configuration names, for the terminal or for a channel. */
export const namedOptions = ({ asks, mayAnswer }: HandsNeeds['settings']): readonly string[] => [
  ...asks.offer,
  ...mayAnswer.flatMap(({ options }) => options),
];

/** What all who look at panes and type into them share. */
export function paneToolsOf({ settings, host, store, quarantine }: HandsNeeds, { tmux }: TownTmux): PaneTools {
  const { processes, clock, disk } = host;
  const policy = settings.hands;
  const nudges = new Nudges({ disk, quarantine });
  return {
    tmux,
    processes,
    clock,
    policy,
    nudges,
    isProtected: (name) => coveredBy(name, settings.town.protected) !== null,
    cpu: new CpuSampler(processes, policy),
    memory: new Memory(policy),
    packs: host.packs,
    queue: new PaneQueue(),
    answerFor: async (code, uuid) => (await store.answerFor(code, uuid)) !== null,
    sentTexts: async (target) => (await nudges.of(target))?.texts ?? [],
    heartbeat: heartbeatOf({ disk, quarantine }),
  };
}

interface HearingParts {
  readonly hearing: PaneTools;
  readonly direct: DirectHandsDeps;
  readonly keep: KeepPane;
  readonly lost: UnrecordedLives;
  readonly agents: AgentSources;
}

/** With those that are free, of the lives that the scan asks for, as the last look saw it; the next look goes on beside it. */
function withFree(atRest: AtRest, order: OrderOf<'scan'>, outcome: OutcomeBody): OutcomeBody {
  const { known, outdated = [] } = order;
  if (outcome.type !== 'SESSIONS_SEEN' || outcome.server !== 'up') return outcome;
  const seen = outcome.seen.map((one) =>
    outdated.includes(one.uuid) && atRest.isFree(one.uuid) ? { ...one, isFree: true as const } : one,
  );
  void atRest.look(known.filter(({ uuid }) => outdated.includes(uuid)));
  return { ...outcome, seen };
}

let isLoaded = false;
/**
 * Loads what only hearings, rescues and kills need, once there is an agent to hear: later the package may be gone or
 * replaced. A town without agents does without it.
 */
function loadForHearings(packs: PaneTools['packs']): void {
  if (isLoaded) return;
  isLoaded = true;
  orNull(() => packs.load());
  void loadStarter().then((isThere) => (isLoaded = isThere));
}

interface ScanNeeds extends Pick<HandsNeeds['host'], 'disk' | 'processes'>, Pick<HandsNeeds, 'store'> {
  readonly townTmux: TownTmux;
  readonly personIn: PersonIn;
  readonly policy: HandsPolicy;
  readonly packs: PaneTools['packs'];
}

/** What became of each life in a pane, and which starts wait no longer. */
function scanHand({ disk, store, processes, townTmux, personIn, policy, packs }: ScanNeeds): Hands['scan'] {
  const { tmux, owner } = townTmux;
  return scanSessions({
    tmux,
    processes,
    maybeSignalled: (uuid) => store.lives.maybeSignalled(uuid),
    sparedBy: (uuid) => store.lives.sparedBy(uuid),
    exitOf: async (uuid) => (await store.lives.endOf(uuid))?.exit ?? null,
    freeOf: seeFree({
      tmux,
      processes,
      owner,
      personIn,
      policy,
      packs,
      environmentOf: (session) => readEnvironment(disk, session),
      heldBack: heldAfterCopy(disk),
    }),
  });
}

/** `scan`, with what each dead life left on its screen or in its output. */
const withLeft = (
  { settings, store }: HandsNeeds,
  tmux: TownTmux['tmux'],
  packs: PaneTools['packs'],
  scan: Hands['scan'],
): Hands['scan'] =>
  withLimits(
    {
      tmux,
      packs,
      lastWordsOf: async (uuid) => (await store.lives.endOf(uuid))?.lastWords ?? null,
      outputOf: (session, maxBytes) => lastRows(settings.root, session, maxBytes),
    },
    scan,
  );

/** `scan`, with the memory of each life that was measured. */
const withMemory =
  (cpu: CpuSampler, scan: Hands['scan']): Hands['scan'] =>
  async (order, signal) => {
    const outcome = await scan(order, signal);
    if (outcome.type !== 'SESSIONS_SEEN') return outcome;
    const seen = outcome.seen.map((one) => {
      const memoryBytes = one.life === 'alive' ? cpu.memoryBytes(one.uuid) : null;
      return memoryBytes === null ? one : { ...one, memoryBytes };
    });
    return { ...outcome, seen };
  };

/** `scan`, with what the sources of agents know of its lives, those without a pane included. */
const scanWithAgents =
  (agents: AgentSources, townTmux: Pick<TownTmux, 'shown'>, scan: Hands['scan']): Hands['scan'] =>
  async (order, signal) =>
    withAgents(agents, townTmux, order.known, await scan(order, signal));

type ScanParts = Pick<HearingParts, 'hearing' | 'lost'> & Pick<ScanNeeds, 'personIn'> & { readonly atRest: AtRest };

/** The scan of lives in panes. */
function hearingScan(
  { settings, host, store }: HandsNeeds,
  townTmux: TownTmux,
  { hearing, lost, personIn, atRest }: ScanParts,
): Hands['scan'] {
  const { processes, clock, disk } = host;
  const policy = settings.hands;
  const scan = scanHand({ disk, store, processes, townTmux, personIn, policy, packs: hearing.packs });
  return async (order, signal) => {
    if (order.known.length > 0) loadForHearings(hearing.packs);
    void hearing.cpu.sample(order.known, clock.now());
    const outcome = withFree(atRest, order, await scan(order, signal));
    return order.seek === true && outcome.type === 'SESSIONS_SEEN' ? { ...outcome, ...(await lost.seek()) } : outcome;
  };
}

/** Saves the work in the folder where an agent runs. */
function rescuerOf({ settings, host, store }: HandsNeeds): ReturnType<typeof createRescuer> {
  const { processes, disk } = host;
  return createRescuer({
    policy: settings.hands,
    cwdOf: (agent) => processes.cwdOf(agent),
    dirOf: async (target) => (await store.session(target.session))?.spec.dir ?? null,
    saveRescue: async (folder, files) => {
      const named = Object.entries(files).map(([name, content]) => ({ name, content }));
      await saveRescue(disk, folder.replace(/^rescue\//, ''), named);
    },
  });
}

/** What a hearing needs, and the scan, which measures what a hearing compares with. */
export function handsOfHearings(
  needs: HandsNeeds,
  townTmux: TownTmux,
  { hearing, direct, keep, lost, agents }: HearingParts,
): Pick<Hands, HearingOrders> {
  const { settings, host, store } = needs;
  const { processes, clock, logger } = host;
  const { tmux, owner } = townTmux;
  const policy = settings.hands;
  const panes = paneReader(tmux);
  const personIn = (sessionIds: readonly string[]) => personAt({ tmux, clock, policy }, sessionIds);
  const recordOf = (session: string) => store.session(session);
  const named = namedOptions(settings);
  const atRest = new AtRest({ ...hearing, tmux, policy, asking: agents.asking, personIn, recordOf });
  const rescuer = rescuerOf(needs);
  const { ttyOf, scrollback } = panes;
  const both = withDetached(direct, {
    listTree: listTreeHand({ processes, ttyOf }),
    rescue: rescueHand({ rescuer, scrollback }),
    signal: signalHand({
      processes,
      clock,
      ttyOf,
      mayKill: townTmux.mayKill,
      drain: drainOf({
        processes,
        clock,
        policy,
        terminalOf: panes.terminalOf,
        log: { info: (text) => logger.info(text), warn: (text) => logger.warn(text) },
      }),
      policy: { ...settings.policy.dance, ...policy },
    }),
    clear: clearSession({ tmux, processes, owner, keep, personIn }),
    scan: hearingScan(needs, townTmux, { hearing, lost, personIn, atRest }),
  });
  const answering = { ...hearing, sources: agents.sources, named };
  return {
    ask: askHand(hearing),
    nudge: nudgeHand({
      ...hearing,
      givesOf: async (life) => (await agents.sources.of([life])).get(life.uuid)?.gives ?? null,
    }),
    answerDialog: answerDialogHand({ ...answering, ended: agents.asking.endQuestion }),
    look: lookHand({ ...hearing, isAtRest: atRest.isFreeNow }),
    listSurvivors: listSurvivorsHand({ processes, kinOf: (uuid) => hearing.cpu.kinOf(uuid) }),
    ...both,
    scan: withKeysForgotten(
      answering,
      agents.asking,
      withMemory(hearing.cpu, withLeft(needs, tmux, hearing.packs, scanWithAgents(agents, townTmux, both.scan))),
    ),
  };
}
