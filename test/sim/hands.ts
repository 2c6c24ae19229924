/**
 * The hands of one simulated town process: the world behind the ports. Listing and signalling are the shipped hands over
 * simulated processes; the rest is what a real hand would find, at the instant of the act.
 * 1. Each act has a crash point before it and one after it, before its outcome.
 * 2. An order that failed may have got through.
 */
import {
  orderName,
  type Exit,
  type Incarnation,
  type NudgeObstacle,
  type OrderId,
  type OutcomeBody,
} from '../../machines/protocol.ts';
import type { Hands, OrderOf, Perform } from '../../src/ports/ports.ts';
import { listTreeHand } from '../../src/proc/listTree.ts';
import { SignalRefused } from '../../src/proc/processes.ts';
import { signalHand } from '../../src/proc/signal.ts';
import { paths } from '../../state/files/layout.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { warrantText } from '../../state/hearings/warrants.ts';
import { GONE_EVERY_MS, SIM_POLICY } from './policy.ts';
import type { TownProcess } from './town.ts';
import { scan, sessionsRead, start } from './hands-sessions.ts';
import { keyOf, procOf, type Life } from './agent-plans.ts';

const danceOf = ({ dance = '' }: OrderId): string => dance;
/** Hands of those that tell people, which nothing is planted in. */
const SHIPPED = ['endAlert', 'endOthers', 'confirmAlert', 'readAlerts', 'checkAlerts', 'notify', 'mail'] as const;
const MARK = { line: 0, width: 200, alternate: false, cpuRate: null };

export function handsOf(town: TownProcess): Hands {
  const { world } = town;
  const { agents } = world;
  const recordOf = (dance: string) => world.disk.durableText(paths.active(dance));
  const lifeOf = (target: Incarnation): Life => {
    const life = agents.lives.get(target.uuid);
    if (!life) throw new Error(`no such life: ${target.uuid}`);
    return life;
  };

  const quickly =
    (shipped: Perform): Perform =>
    (order, signal) =>
      town.quick(() => shipped(order, signal));
  const ttyOf = (): Promise<string | null> => Promise.resolve('/dev/pts/1');
  const refusal = (target: Incarnation): string | null =>
    town.plant === 'signals the untouchable' ? null : agents.refusalOf(lifeOf(target));
  const treeOf = async (target: Incarnation) => {
    const why = refusal(target);
    if (why !== null) throw new SignalRefused(why);
    return [...lifeOf(target).procs].map(procOf);
  };

  const familyOf = async (target: Incarnation) => ({ tree: await treeOf(target), excluded: [] });

  const listTree = listTreeHand({ processes: { familyOf }, ttyOf });
  const signalHandOf = (order: OrderOf<'signal'>) =>
    signalHand({
      processes: {
        treeOf,
        refusal,
        alive: (proc) => agents.hasProcess(keyOf(proc)),
        signal: (proc, signal) => {
          const key = keyOf(proc);
          logSignal(order, signal, key);
          if (town.burn()) throw new Error('the town is gone');
          return agents.signal(key, signal);
        },
      },
      ttyOf,
      drain: () => Promise.resolve(),
      clock: town.clock,
      mayKill: () => (town.plant === 'kills though superseded' ? Promise.resolve(true) : town.mayKill()),
      policy: { lookStaleMs: SIM_POLICY.dance.lookStaleMs, goneEveryMs: GONE_EVERY_MS },
    });
  const logSignal = (order: OrderOf<'signal'>, signal: string, key: string): void => {
    const owner = agents.ownerOf.get(key);
    if (town.isDead || owner?.procs.has(key) !== true) return; // verified and gone: nothing is sent
    const dance = danceOf(order.id);
    world.tell({
      what: 'signalled',
      town: town.number,
      dance,
      life: order.target.uuid,
      signal,
      proc: key,
      of: owner.uuid,
      record: recordOf(dance),
      superseded: town.isSuperseded,
      refused: agents.refusalOf(owner) !== null,
      lookedAt: order.lookedAt,
    });
  };

  const ask = ({ id, target, code }: OrderOf<'ask'>): OutcomeBody => {
    const life = lifeOf(target);
    const truth = agents.truthOf(life, null);
    if (truth === 'hidden') return { type: 'NOT_ASKED', obstacle: { kind: 'unknown', why: 'tmux is silent' } };
    if (truth === 'replaced') return { type: 'NOT_ASKED', obstacle: { kind: 'replaced' } };
    if (truth === 'dead' || truth === 'absent')
      return { type: 'NOT_ASKED', obstacle: gone(truth === 'dead', life.exit) };
    if (truth === 'dialog' || truth === 'person' || truth === 'limited')
      return { type: 'NOT_ASKED', obstacle: { kind: truth, what: 'simulated' } };
    if (truth === 'login') return { type: 'NOT_ASKED', obstacle: { kind: 'dialog', what: 'a login' } };
    if (agents.isHindered(life.session, 'busy'))
      return { type: 'NOT_ASKED', obstacle: { kind: 'busy', what: 'copy mode' } };
    if (town.plant !== 'asks without typing') agents.type(town.number, danceOf(id), life, code);
    return { type: 'ASKED', mark: MARK, tail: 'before' };
  };
  /** As the doors of the shipped one judge the pane. */
  const nudge = ({ id, target, text, from, atRest, isWork, atLimit }: OrderOf<'nudge'>): OutcomeBody => {
    const life = agents.lives.get(target.uuid);
    const refused = (obstacle: NudgeObstacle): OutcomeBody => ({ type: 'NOT_NUDGED', obstacle });
    if (agents.isHidden) return refused({ kind: 'unknown', why: 'tmux is silent' });
    if (life?.alive !== true) return refused({ kind: 'gone', paneStays: true });
    const truth = world.shows(life);
    if (town.plant !== 'types into a dialog') {
      if (truth === 'dialog' || truth === 'person' || (truth === 'limited' && atLimit !== true))
        return refused({ kind: truth, what: 'simulated' });
      if (truth === 'logged_out' || truth === 'login') return refused({ kind: 'dialog', what: 'a login' });
      if (truth === 'working' && atRest === true) return refused({ kind: 'working', what: 'simulated' });
    }
    const waitMs = life.typedAt + world.nudgeEveryMs - town.clock.now();
    if (isWork !== true && waitMs > 0) return refused({ kind: 'recent', what: 'just now', waitMs });
    if (isWork !== true) life.typedAt = town.clock.now();
    world.tell({ what: 'typed', life: target.uuid, from, round: id.round ?? 0, text, truth });
    world.typed(life);
    return { type: 'NUDGED' };
  };
  const look = async (order: OrderOf<'look'>): Promise<OutcomeBody> => {
    const attempt = order.attempts.at(-1);
    const life = lifeOf(order.target);
    const onFile = attempt !== undefined && (await answerFor(attempt.code));
    const truth = onFile ? 'answered' : agents.truthOf(life, attempt?.mark ? attempt.code : null);
    const dance = danceOf(order.id);
    const record = recordOf(dance);
    const isBegun = record?.includes('"killing":true') === true;
    // Signs of life are what came after a question: without one a look at work sees silence.
    const shown = truth === 'evidence' && attempt?.askedAt === null ? 'silent' : truth;
    const saw = seenAs(shown, town, { attempts: order.attempts.length, isBegun });
    const looked = { town: town.number, dance, attempt: order.attempts.length, life: life.uuid, saw, truth, record };
    world.tell({ what: 'looked', ...looked });
    return { type: 'LOOKED', observation: observationOf(saw, life.exit), tail: 'after' };
  };
  const answerFor = async (code: string): Promise<boolean> =>
    (await town.disk.read(paths.answer(code), 10_000)) !== null;

  const clear = async ({ id, target, tree }: OrderOf<'clear'>): Promise<OutcomeBody> => {
    if (!(await town.mayKill()) && town.plant !== 'kills though superseded') throw new Error('superseded');
    const life = lifeOf(target);
    if (life.pane) {
      const agentLives = life.alive && !life.session.plan.immortal;
      const { number, isSuperseded: superseded } = town;
      world.tell({ what: 'cleared', town: number, order: orderName(id), life: life.uuid, agentLives, superseded });
      if (agentLives) agents.die(life, 'clearing', false);
      agents.removePane(life);
    }
    return { type: 'CLEARED', survivors: tree.filter((proc) => life.procs.has(keyOf(proc))) };
  };

  const played: Partial<Hands> = {
    checkpoint: async () => ({ type: 'SAVED' }),
    ask: (order, signal) => town.act(agents.planOf(order.target), signal, () => ask(order)),
    look: (order, signal) => town.act(agents.planOf(order.target), signal, () => look(order)),
    nudge: (order, signal) => town.act(agents.planOf(order.target), signal, () => nudge(order)),
    listTree: (order, signal) =>
      town.act(agents.planOf(order.target), signal, () => {
        if (agents.isHindered(lifeOf(order.target).session, 'hidden')) throw new Error('tmux is silent');
        return listTree(order, signal);
      }),
    rescue: (order, signal) =>
      town.act(agents.planOf(order.target), signal, () => {
        const life = lifeOf(order.target);
        town.rescue(order.dance, life);
        return { type: 'RESCUED', rescue: { folder: `rescue/${order.dance}`, ref: null } };
      }),
    signal: (order, signal) =>
      town.act(agents.planOf(order.target), signal, () => {
        const more = town.plant === 'signals more than the list' ? town.strangers(order.target.uuid) : [];
        return signalHandOf(order)({ ...order, tree: [...order.tree, ...more] }, signal);
      }),
    clear: (order, signal) => town.act(agents.planOf(order.target), signal, () => clear(order)),
    sendVerdict: (order, signal) =>
      town.quick(async () => {
        await town.sendVerdict(order, signal);
        return { type: 'VERDICT_SENT' };
      }),
    readRecords: () => town.quick(() => town.store.readRecords()),
    readWarrants: () => town.quick(async () => ({ type: 'WARRANTS_READ', warrants: await town.store.readWarrants() })),
    readSessions: () => town.quick(async () => sessionsRead(await town.store.readSessions())),
    scan: (order) => scan(town, order),
    listSurvivors: ({ of }) =>
      town.quick(() => {
        const left = of.map(({ life }) => ({ life, procs: [...(agents.lives.get(life.uuid)?.procs ?? [])] }));
        const named = (key: string) => ({ ...procOf(key), program: 'child' });
        return { type: 'SURVIVORS_LISTED', of: left.map(({ life, procs }) => ({ life, survivors: procs.map(named) })) };
      }),
    startSession: (order, signal) => start(town, order, signal),
    adoptSession: async () => ({ type: 'SESSION_NOT_ADOPTED', why: 'nothing to adopt', exit: 2 }),
    alert: (order, signal) =>
      town.quick(async () => {
        await town.alert(order, agents.sessions.get(order.alert.session ?? '')?.plan.failing ?? 0, signal);
        return { type: 'ALERTED' };
      }),
    ...Object.fromEntries(SHIPPED.map((type) => [type, quickly(town.telling[type] as Perform)])),
    fileWarrant: ({ warrant }) =>
      town.quick(async () => {
        await writeFiles(town.disk, [{ path: paths.warrant(warrant.id), text: warrantText(warrant) }]);
        const { id, target, requester, filedAt, force } = warrant;
        const filed = { warrant: id, life: target.uuid, requester, filedAt, force, expired: false, loose: false };
        if (!town.isDead) world.tell({ what: 'filed', ...filed });
        town.inbox.announce({ type: 'CHANGED', what: 'warrants' });
        return { type: 'WARRANT_WRITTEN' };
      }),
    reply: (order) => {
      town.replied(order.to, order.reply.ok);
      return Promise.resolve({ type: 'REPLIED' });
    },
    connect: async (order) => ({ type: 'CONNECTED', what: order.what }),
  };
  // An order of an actor that no history plays fails, as with a hand that is away.
  return played as Hands;
}

function seenAs(
  truth: string,
  { plant }: TownProcess,
  { attempts, isBegun }: { attempts: number; isBegun: boolean },
): string {
  if (plant === 'looks without seeing' && truth !== 'hidden') return 'silent';
  if (plant === 'last look skipped' && attempts === 3 && truth === 'answered') return 'silent';
  if (plant === 'spares no agent' && truth === 'answered' && isBegun) return 'silent';
  if (plant === 'unknown is silence' && truth === 'hidden') return 'silent';
  if (plant === 'person is silence' && (truth === 'person' || truth === 'dialog')) return 'silent';
  return truth;
}

/** A pane that is left tells how its process ended. */
const gone = (paneStays: boolean, exit: Exit | null) =>
  ({ kind: 'gone', paneStays, ...(paneStays && exit !== null && { exit }) }) as const;

function observationOf(saw: string, exit: Exit | null): Extract<OutcomeBody, { type: 'LOOKED' }>['observation'] {
  switch (saw) {
    case 'answered':
      return { kind: 'answered', by: 'code', quote: 'ALIVE' };
    case 'dialog':
    case 'person':
    case 'limited':
      return { kind: saw, what: 'simulated' };
    case 'dead':
    case 'absent':
      return gone(saw === 'dead', exit);
    case 'login':
      return { kind: 'dialog', what: 'a login' };
    case 'replaced':
      return { kind: 'replaced' };
    case 'hidden':
      return { kind: 'unknown', why: 'tmux is silent' };
    case 'evidence':
      return { kind: 'evidence', what: 'new lines' };
    default:
      return { kind: 'silent' };
  }
}
