/** A town with one session that an operator stops, restarts or removes. */
import { POLICY } from '../../machines/policy.ts';
import type { NamedProc, Reply, Request, SessionRecord, Spared, Via } from '../../machines/protocol.ts';
import { Drive, townInput } from '../world/drive.ts';
import type { SimHands } from '../world/hands.ts';
import { Machine } from '../world/machine.ts';
import { life, running as record, spec } from './one.ts';

export const waiting = record({
  state: 'backing_off',
  waitMs: 600_000,
  crashLoop: true,
  streak: 7,
  restartAgesMs: [1, 2],
});
export const apart = { ...life, origin: 'detached', sessionId: '', paneId: '' } as const;
export const ended = record({ state: 'ended', note: 'ended with exit code 0' });

export interface Say {
  start?: 'fails' | 'unknown' | 'missing' | 'never' | undefined;
  left?: readonly NamedProc[];
  clears?: string;
  files?: 'fails' | 'spares' | undefined;
}

/** A town that finds this record. An agent that a warrant is filed against ends by it, as the kennel would see to. */
export function town(found: SessionRecord | null, say: Say = {}, more: Parameters<typeof townInput>[1] = {}) {
  const machine = new Machine();
  let spared: Spared | undefined;
  const said: SimHands = {
    fileWarrant: ({ warrant }, now) => {
      if (say.files === 'fails') return { type: 'ORDER_FAILED', why: 'the disk is full' };
      if (say.files === undefined) return machine.file(warrant, now);
      spared = { stops: [warrant.id], why: 'its work could not be saved' };
      return { type: 'WARRANT_WRITTEN' };
    },
    scan: ({ known }, now) => {
      const found = machine.scan(known, now);
      if (found.type !== 'SESSIONS_SEEN' || spared === undefined) return found;
      return { ...found, seen: found.seen.map((one) => ({ ...one, spared })) };
    },
    startSession: (order, now) => {
      if (say.start === undefined) return machine.start(order, now);
      if (say.start === 'never') return null;
      if (say.start === 'unknown') return { type: 'ORDER_FAILED', why: 'tmux is silent' };
      const missing = say.start === 'missing' && { missing: true };
      return { type: 'SESSION_NOT_STARTED', why: 'no', taken: false, ...missing };
    },
    listSurvivors: ({ of }) => ({
      type: 'SURVIVORS_LISTED',
      of: of.map((one) => ({ ...one, survivors: say.left ?? [] })),
    }),
    clear: () => ({ type: 'CLEARED', survivors: [], ...(say.clears !== undefined && { whyPaneStays: say.clears }) }),
  };
  const drive = new Drive([said, machine.hands], {
    input: townInput(POLICY, { isProtected: () => false, ...more }),
    sessions: found === null ? [] : [found],
  });
  const ask = (request: Request, via: Via = 'operator'): Reply | undefined => {
    const rpc = `r${drive.orders.length}`;
    drive.ask(request, { rpc, via });
    drive.run(10);
    return drive.given('reply').find(({ to }) => to === rpc)?.reply;
  };
  const warrants = (): string[] => drive.given('fileWarrant').map(({ warrant }) => warrant.id);
  return {
    drive,
    machine,
    ask,
    warrants,
    now: () => drive.sessions[0] ?? null,
    stop: (force = false, via?: Via) => ask({ verb: 'stopSession', name: 's1', then: 'end', force }, via),
    restart: (force = false) => ask({ verb: 'stopSession', name: 's1', then: 'restart', force }),
    fresh: () => ask({ verb: 'stopSession', name: 's1', then: 'restart', force: false, fresh: true }),
    start: (via?: Via) => ask({ verb: 'startSession', spec }, via),
    remove: () => ask({ verb: 'removeSession', name: 's1' }),
    /** Of earlier processes too. */
    starts: () => drive.given('startSession').length,
    forgotten: () => drive.trail.includes('s1 forgotten'),
    told: () => drive.alerts,
    over: () => drive.ends.filter((episode) => drive.alerts.includes(episode)),
    mailed: () => drive.given('mail').length,
  };
}
export const code = (reply: Reply | undefined): string => (reply === undefined ? 'none' : reply.ok ? 'ok' : reply.code);
export const LONG = 40 * 60_000;
