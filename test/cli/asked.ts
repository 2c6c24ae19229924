/** A town that asks a person: one question of each kind, and a hearing that was left to them. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect } from 'vitest';
import { episodeIn } from '../../machines/protocol.ts';
import { ALERTS } from '../../state/alerts/episodes.ts';
import { nameOf } from '../../state/files/layout.ts';
import { putPolecat } from './polecats.ts';
import { TestTown, type Ran } from './town.ts';

export interface Question {
  readonly isAcked: boolean;
  readonly number: string;
  readonly kind: string;
  readonly id: string;
  readonly text: string;
  readonly options: readonly { readonly word: string }[];
}

export let town: TestTown;
/** A town with the session `builder` for each test of the file. */
export function useTown(): void {
  beforeEach(() => {
    town = new TestTown();
    town.session('builder');
  });
}

export const does = ({ code, stderr }: Ran): void => expect([code, stderr]).toEqual([0, '']);
export const questions = (): Promise<Question[]> => town.data<Question[]>('questions');
/** The kinds of those that no one acknowledged. */
export const unseen = async (): Promise<string[]> =>
  (await questions()).flatMap(({ kind, isAcked }) => (isAcked ? [] : [kind]));
export const asBuilder = (...words: string[]) => town.as('token-of-builder', ...words);

export async function oneOf(kind: string): Promise<Question> {
  const [found, ...more] = (await questions()).filter((one) => one.kind === kind);
  expect(more).toEqual([]);
  return found!;
}

const CASE = ['triage_type=stuck_agent', 'agent_bead_id=shop/polecats/nux', 'context=it hangs'];

export const rename = (from: string, to: string): void => renameSync(join(town.root, from), join(town.root, to));

/** An escalation, a letter, a gate and a case; the number of each by its kind. */
export async function fill(): Promise<void> {
  does(await asBuilder('escalate', 'Which database?', '--severity', 'high', '--reason', 'two fit'));
  does(await asBuilder('mail', 'send', 'overseer', '--subject', 'May I push?'));
  does(await town.run('bead', 'gate', 'create', 'Release it', '--type', 'human'));
  putPolecat(town, 'nux');
  const metadata = CASE.flatMap((one) => ['--metadata', one]);
  does(await town.run('bead', 'create', 'a case', '--type', 'triage_request', ...metadata));
}

/** A hearing of the life that `builder` has on record, or of another one, was left to a person. */
export function escalatedHearing(life = town.record('builder')?.incarnation?.uuid ?? ''): void {
  town.dance('d-7', 'builder', { stage: 'closed', verdict: 'escalated', reason: 'unclear', closedAt: 3_000 });
  const about = { severity: 'high', session: 'builder', text: 'The hearing of builder needs a person', life } as const;
  const times = { since: 1_000, told_at: 1_000, count: 1, ended_at: null, recovery: null };
  const record = { episode: episodeIn('dance-escalated/builder'), question: 'request:d-7', ...about, ...times };
  town.write(`alerts/${nameOf(record.episode)}.json`, ALERTS.text(record));
}
export const filed = () =>
  town.names('deacon/dogs/warrants').map((name) => JSON.parse(town.read(`deacon/dogs/warrants/${name}`)) as Filed);
export interface Filed {
  readonly reason: string;
  readonly requester: string;
  readonly force: boolean;
  readonly incarnation: { readonly uuid: string };
}
