/** Steps of hearings, as the journal sees them. */
import { STAGES, type Dance } from '../../machines/protocol/hearings.ts';
import type { OrderId, SavedRecord, Observation } from '../../machines/protocol.ts';
import type { StepSeen } from '../../src/journal/chronicle.ts';
import { closed, dance, saved, warrant } from '../state/make.ts';
import { outcomes, news, records, target, orders, order } from './step-seen.ts';

const OPEN = dance();
const { id } = OPEN;
const its = (verb: string, turn?: number): OrderId => ({ dance: id, attempt: 1, verb, turn });
export const PROC = { pid: 4242, started: 'boot:99' };
const observation = (one: Observation, at: number): StepSeen =>
  outcomes(its('look', at), { type: 'LOOKED', observation: one, tail: '' });
const rescue = { folder: `rescue/${id}`, ref: `refs/town/rescue/${id}`, repos: 1, files: 3 };
const ended = (more: Partial<Dance> = {}): SavedRecord =>
  saved(closed(id, { rescue, survivors: [PROC], killing: true, ...more }));

const SIGHTS: readonly Observation[] = [
  { kind: 'answered', by: 'code', quote: 'ALIVE K73F' },
  ...(['evidence', 'inconclusive', 'limited', 'error', 'dialog', 'person', 'paneless'] as const).map(
    (kind): Observation => ({
      kind,
      what: `words of ${kind}`,
    }),
  ),
  ...([{ kind: 'gone', paneStays: true }, { kind: 'replaced' }, { kind: 'unknown', why: 'tmux is silent' }] as const),
  { kind: 'silent' },
];

export const hearings: readonly StepSeen[] = [
  news(
    { type: 'WARRANT_FILED', warrant: warrant('w-1', { via: 'operator' }) },
    { type: 'WARRANT_FILED', warrant: warrant('w-2', { force: true, requester: 'overseer' }) },
    { type: 'WARRANT_FILED', warrant: warrant('w-1') },
  ),
  outcomes({ issuer: 'kennel', verb: 'warrants' }, { type: 'WARRANTS_READ', warrants: [warrant('w-3')] }),
  outcomes(
    { issuer: 'kennel', verb: 'records' },
    {
      type: 'RECORDS_READ',
      dances: [OPEN],
      warrants: [warrant('w-4')],
      heard: [],
      lastDanceMs: 5,
      untold: [closed('dog-5')],
    },
  ),
  ...STAGES.filter((stage) => stage !== 'closed').map((stage) =>
    records(
      saved(dance(id, { stage, ...(stage === 'complete' && { verdict: 'already_dead', reason: 'it was gone' }) })),
    ),
  ),
  records(saved(dance(id, { stage: 'executing.looking', crashes: 1, warrants: [warrant('w-5', { force: true })] }))),
  outcomes(
    its('ask'),
    { type: 'ASKED', mark: { line: 0, width: 80, alternate: false, cpuRate: null }, tail: '' },
    { type: 'NOT_ASKED', obstacle: { kind: 'busy', what: 'copy mode' } },
    { type: 'NOT_ASKED', obstacle: { kind: 'unknown', why: 'tmux is silent' } },
    { type: 'NOT_ASKED', obstacle: { kind: 'replaced' } },
  ),
  ...SIGHTS.map(observation),
  news({ type: 'ALIVE_ANSWERED', code: 'K73F', uuid: target.uuid }),
  outcomes(
    its('kill', 1),
    { type: 'TREE_LISTED', tree: [PROC] },
    { type: 'TREE_LISTED', tree: [PROC, { ...PROC, pid: 7 }], excluded: [{ ...PROC, pid: 9, program: 'codex' }] },
    { type: 'RESCUED', rescue },
    { type: 'RESCUED', rescue: { folder: rescue.folder, ref: null } },
    { type: 'SIGNALLED', alive: [], newcomers: [] },
    { type: 'SIGNALLED', alive: [PROC], newcomers: [PROC, PROC] },
    { type: 'NOT_SIGNALLED', why: 'the look was too old' },
    { type: 'ORDER_FAILED', why: 'it took too long' },
  ),
  orders(
    order(its('term'), { type: 'signal', target, signal: 'TERM', tree: [PROC], graceMs: 1, lookedAt: 0 }),
    order(its('clear'), { type: 'clear', target, tree: [PROC] }),
  ),
  ...(['executed', 'pardoned', 'void', 'failed', 'escalated', 'already_dead'] as const).flatMap((verdict, at) => [
    records(saved(dance(id, { attempt: at + 2 }))),
    records(ended({ verdict, attempt: at + 2, evidenceOnly: verdict === 'pardoned' })),
  ]),
  records(saved(dance(id, { attempt: 20 }))),
  records(ended({ attempt: 20, warrants: [warrant('w-6', { force: true })], rescue: null, survivors: [] })),
  records(saved(dance(id, { attempt: 21 }))),
  records(ended({ attempt: 21, warrants: [warrant('stop-6', { force: true })], reason: 'stopped by you' })),
  records(saved(dance(id, { attempt: 22 }))),
  records(
    ended({
      attempt: 22,
      warrants: [warrant('end-6', { force: true, requester: 'gt-nux' })],
      reason: 'ended as it asked',
    }),
  ),
];
