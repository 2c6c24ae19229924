/**
 * What comes of a simulated town's orders: one outcome, or one function, per kind of order, and layers of them over each
 * other. The first layer that knows an order answers it; null = its outcome never comes.
 */
import type { Mark, Ms, Order, OutcomeBody, Observation } from '../../machines/protocol.ts';
import type { OrderOf } from '../../src/ports/ports.ts';
import type { Drive } from './drive.ts';

/** An outcome, null = none yet, or an outcome after some time. */
export type Answer = OutcomeBody | null | { readonly after: Ms; readonly body: OutcomeBody };
/** The town's own drive goes along, for hands that read what it saved. */
export type Answers = (order: Order, now: Ms, drive: Drive) => Answer;
export type SimHands = { [T in Order['type']]?: Answer | ((order: OrderOf<T>, now: Ms) => Answer) | undefined };

/** The hands of all layers as one; what no layer knows never has an outcome. */
export const layered =
  (...layers: readonly SimHands[]) =>
  (order: Order, now: Ms): Answer => {
    for (const layer of layers) {
      const hand = layer[order.type] as Answer | ((order: Order, now: Ms) => Answer) | undefined;
      if (hand !== undefined) return typeof hand === 'function' ? hand(order, now) : hand;
    }
    return null;
  };

/** What an undisturbed town finds, and does without a word. */
export const QUIET: SimHands = {
  checkpoint: { type: 'SAVED' },
  readRecords: { type: 'RECORDS_READ', dances: [], warrants: [], heard: [], lastDanceMs: 0 },
  readWarrants: { type: 'WARRANTS_READ', warrants: [] },
  readSessions: { type: 'SESSIONS_READ', sessions: [] },
  sendVerdict: { type: 'VERDICT_SENT' },
  alert: { type: 'ALERTED' },
  endAlert: { type: 'ALERTED' },
  endOthers: { type: 'ALERTED' },
  readAlerts: { type: 'ALERTS_READ', episodes: [], acked: {} },
  checkAlerts: { type: 'ALERTS_CHECKED', acked: {}, over: [] },
  notify: { type: 'NOTIFIED' },
  confirmAlert: { type: 'REPLIED' },
  mail: { type: 'MAILED' },
  lookAtMail: { type: 'MAIL_SEEN', letters: [] },
  putAwayMail: { type: 'MAILED' },
  reply: { type: 'REPLIED' },
  connect: ({ what }) => ({ type: 'CONNECTED', what }),
};
export const quiet = layered(QUIET);

const MARK: Mark = { line: 0, width: 200, alternate: false, cpuRate: null };
export const ASKED: OutcomeBody = { type: 'ASKED', mark: MARK, tail: '' };
export const seeing = (observation: Observation): OutcomeBody => ({ type: 'LOOKED', observation, tail: '' });

/** Targets that hear every question and never stir, up to their end. */
export const DEAF: SimHands = {
  ask: ASKED,
  look: seeing({ kind: 'silent' }),
  listTree: { type: 'TREE_LISTED', tree: [{ pid: 1_001, started: '7@boot' }] },
  rescue: ({ dance }) => ({ type: 'RESCUED', rescue: { folder: `rescue/${dance}`, ref: null } }),
  signal: { type: 'SIGNALLED', alive: [], newcomers: [] },
  clear: { type: 'CLEARED', survivors: [] },
};
