/** A town to which work is sent, in virtual time. */
import { POLICY } from '../../machines/policy.ts';
import type { NudgeObstacle, OutcomeBody } from '../../machines/protocol.ts';
import { Drive, townInput } from '../world/drive.ts';
import type { SimHands } from '../world/hands.ts';

export const WORKS: NudgeObstacle = { kind: 'working', what: 'esc to interrupt' };
export const ASKS: NudgeObstacle = { kind: 'dialog', what: 'Do you want to proceed?' };

/** `standing`: what stands in the way of each session or text; absent = nothing. */
export function town(standing: Record<string, NudgeObstacle> = {}) {
  const typed: string[] = [];
  const remind = ({ session, text }: { readonly session: string; readonly text: string }): OutcomeBody => {
    const obstacle = standing[session] ?? standing[text];
    if (obstacle !== undefined) return { type: 'NOT_NUDGED', obstacle };
    typed.push(`${session}: ${text}`);
    return { type: 'NUDGED' };
  };
  const all: { blind: boolean } = { blind: false };
  const begins = new Set<string>();
  const hands: SimHands = {
    remind,
    seeTurn: ({ session }) => ({ type: 'TURN_SEEN', hasBegun: begins.has(session) }),
    get readNote() {
      return all.blind ? ({ type: 'ORDER_FAILED', why: 'EIO' } as const) : undefined;
    },
  };
  const drive = new Drive([hands], { input: townInput(POLICY, { monitors: true }) });
  const send = (id: string, name: string, text = id) =>
    drive.ask({ verb: 'send', name, send: id, text, from: 'overseer' });
  const cancel = (id: string) => drive.ask({ verb: 'cancelSend', send: id });
  const kept = () => drive.note('sends')?.sends.map(({ id }) => id);
  const alerts = () => drive.alerts.filter((episode) => episode.startsWith('send-'));
  return Object.assign(all, { drive, standing, typed, begins, send, cancel, kept, alerts });
}
