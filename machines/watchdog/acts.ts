/**
 * What a triage does with its judgement, without a machine: the one order that carries it out, and how it is closed.
 * Wakings count only when they got through; what could not be typed again and again reaches a person.
 */
import { freshMemory, noCommandAlert, NUDGE_TEXT, unreachableAlert, who, WAKE_TEXT } from './matrix.ts';
import type { Judgement, Told } from './matrix.ts';
import { uuidOf } from '../kernel/seeded-random.ts';
import { order, reply, stampOf, type Decision } from '../kernel/decision.ts';
import type { WatchdogPolicy } from './policy.ts';
import { nudgeObstacleText } from '../protocol.ts';
import type {
  Fact,
  Instant,
  Order,
  OrderBody,
  SessionSpec,
  Stamp,
  BootMemory,
  BootStatus,
  DeaconSeen,
} from '../protocol.ts';

export interface BootInput {
  readonly policy: WatchdogPolicy;
  readonly entropy: string;
  /** null = the Deacon is an actor. */
  readonly deacon: SessionSpec | null;
}
export interface Ctx extends BootInput {
  readonly runs: number;
  readonly memory: BootMemory;
  /** What this process told and is not over. */
  readonly alerts: readonly Told[];
  /** It was well since this process began: what an earlier one told is over. */
  readonly wasWell: boolean;
  /** Absent = not ours to write yet. */
  readonly status?: BootStatus;
  readonly running?: { readonly at: number } | null;
  /** A triage was asked for before Boot could run. */
  readonly isDue: boolean;
  /** Another process's Boot may be at work until then. */
  readonly keptUntil: Instant;
  readonly rpcs: readonly string[];
  readonly seen: DeaconSeen | null;
  readonly judgement: Judgement | null;
  readonly wakeAt: Instant | null;
}

/** Boot's name in records (C-3). */
const GT_BOOT = 'gt-boot';
export const orderOf = ({ runs: round }: Ctx, verb: 'observe' | 'act', body: OrderBody): Order =>
  order({ issuer: 'boot', round, verb }, body);

/** The one order that carries out a judgement; null = there is nothing to do. */
export function actionOrder(
  context: Ctx,
  { action, reason }: Judgement,
  seen: DeaconSeen,
  now: Stamp,
): OrderBody | null {
  const { deacon, entropy } = context;
  const announce = (news: (OrderBody & { type: 'announce' })['news']): OrderBody => ({ type: 'announce', news });
  switch (action) {
    case 'NOTHING':
      return null;
    case 'START':
      if (deacon === null || deacon.command.length === 0) return null;
      return announce({ type: 'SESSION_WANTED', spec: deacon, uuid: null, why: `Boot: ${reason}` });
    case 'RESTART':
      return announce({ type: 'DEACON_STUCK', why: `Boot: ${reason}` });
    case 'WAKE':
    case 'NUDGE': {
      const text = action === 'WAKE' ? WAKE_TEXT : NUDGE_TEXT;
      return seen.life === null
        ? announce({ type: 'DEACON_WOKEN', why: text })
        : { type: 'nudge', target: seen.life, text, from: GT_BOOT, raw: false };
    }
    case 'WARRANT': {
      if (seen.life === null) return null;
      const id = `boot-${uuidOf(entropy, `${seen.life.uuid}/${now.wall}`)}`;
      const warrant = { id, target: seen.life, reason, requester: GT_BOOT, filedAt: now.wall, force: false };
      return { type: 'fileWarrant', warrant };
    }
  }
}

/** What came of the action: words for the status, and what Boot remembers. */
function resultOf(context: Ctx, event: Fact): { readonly result: string; readonly memory: BootMemory } {
  const { judgement } = context;
  const memory = judgement?.memory ?? context.memory;
  const isWake = judgement?.action === 'WAKE';
  switch (event.type) {
    case 'NUDGED':
      return {
        result: 'typed',
        memory: { ...memory, wakes: memory.wakes + (isWake ? 1 : 0), spared: false, undelivered: 0 },
      };
    case 'NOT_NUDGED':
      return {
        result: `not typed: ${nudgeObstacleText(event.obstacle)}`,
        memory: event.obstacle.kind === 'recent' ? memory : { ...memory, undelivered: memory.undelivered + 1 },
      };
    case 'ANNOUNCED':
      if (judgement?.action === 'RESTART') return { result: 'told', memory: freshMemory(memory.uuid) };
      return { result: 'told', memory: isWake ? { ...memory, wakes: memory.wakes + 1 } : memory };
    case 'WARRANT_WRITTEN':
      return { result: 'filed', memory: freshMemory(memory.uuid) };
    case 'ORDER_FAILED':
      return { result: `failed: ${event.why}`, memory };
    case 'TICK':
      return { result: 'ended at its deadline', memory };
    default:
      return { result: 'done', memory };
  }
}

/** The end of a triage: its status, its alerts, and the callers' replies. */
export function closing(context: Ctx, event: Fact): Decision<Ctx> {
  const { judgement, seen, policy } = context;
  const session = who(context);
  const { result, memory } = resultOf(context, event);
  const isMuted = memory.undelivered >= policy.deacon.wakes && memory.undelivered > context.memory.undelivered;
  const news = [...alertsOf(context), ...(isMuted ? [unreachableAlert(session, memory.undelivered, result)] : [])];
  const { action, reason } = judgement ?? { action: 'NOTHING', reason: 'the Deacon could not be observed' };
  const heartbeatAgeMs = seen?.heartbeat?.ageMs ?? null;
  const isWell = judgement?.isWell === true;
  const others = isWell ? [] : context.alerts.filter(({ kind }) => news.every((one) => one.kind !== kind));
  const value = { action, reason, heartbeat_age_ms: heartbeatAgeMs, session, result };
  const status = { at: stampOf(event).wall, action, reason, heartbeatAgeMs, session, result, memory };
  return {
    changes: {
      status,
      memory,
      alerts: [...others, ...news],
      wasWell: context.wasWell || isWell,
      running: null,
      wakeAt: null,
      rpcs: [],
      isDue: false,
    },
    orders: context.rpcs.map((rpc) => reply(rpc, { ok: true, value })),
  };
}

/** What the judgement itself tells a person. */
function alertsOf({ judgement, deacon }: Pick<Ctx, 'judgement' | 'deacon'>): readonly Told[] {
  if (judgement === null) return [];
  if (judgement.alert !== null) return [judgement.alert];
  return judgement.action === 'START' && deacon?.command.length === 0 ? [noCommandAlert(deacon.name)] : [];
}
