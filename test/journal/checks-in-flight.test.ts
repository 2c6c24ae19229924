/** What the journal holds of a health check (C-15), what `town why` says of it, and that it is no hearing. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { NewsBody, OutcomeBody, SessionRecord, Observation } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { digestOf } from '../../src/journal/digest.ts';
import { sentence } from '../../src/journal/lines.ts';
import type { WrittenLine } from '../../state/journal.ts';
import { incarnation, WALL } from '../world/drive.ts';
import { ChainTown, DEACON } from '../watchdog/chain.ts';

const { healthWaitMs } = POLICY.watchdog.deacon;
const LIFE = incarnation(1, { session: 'worker' });
const ASKED: OutcomeBody = { type: 'ASKED', mark: { line: 0, width: 80, alternate: false, cpuRate: null }, tail: '' };
const WORKER: SessionRecord = {
  ...freshSession({ ...DEACON, name: 'worker' }, 'x'),
  state: 'running',
  pending: null,
  incarnation: LIFE,
  startedAt: 1,
};

function townWith(observation: Observation, asked: OutcomeBody = ASKED): ChainTown {
  const town = new ChainTown(null);
  town.sessions.set('worker', WORKER);
  town.instead.ask = asked;
  town.instead.look = { type: 'LOOKED', observation, tail: '' };
  town.run(10);
  return town;
}
let rpcs = 0;
function check(town: ChainTown, ms = healthWaitMs + 1_000): void {
  const request: NewsBody & { type: 'REQUESTED' } = {
    type: 'REQUESTED',
    rpc: `r${(rpcs += 1)}`,
    request: { verb: 'healthCheck', session: 'worker' },
  };
  town.drive.tell(request);
  town.run(ms);
}
/** As `town why worker` would have it, without what it was before. */
const why = (town: ChainTown): WrittenLine[] =>
  town.journal.filter(({ session, kind }) => session === 'worker' && !kind.startsWith('session.'));
const told = (town: ChainTown): string[] => why(town).map(sentence);

const TYPED = ['a caller asked whether it is well', 'a health check was typed into its pane'];

describe('the journal of a health check', () => {
  // Rules: C-15.
  test('that stayed unanswered, again and again', () => {
    const town = townWith({ kind: 'silent' });
    check(town);
    check(town);
    expect(told(town)).toEqual([
      ...TYPED,
      'the health check stayed unanswered: 1 in a row',
      ...TYPED,
      'the health check stayed unanswered: 2 in a row',
    ]);
  });

  test('names its session and the check in every line', () => {
    const town = townWith({ kind: 'answered', by: 'code', quote: 'ALIVE K73F' });
    check(town);
    const ids = why(town).flatMap(({ kind, check: id }) => (kind === 'requested' ? [] : [id]));
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^health-\w{4}$/);
  });

  test('that was answered in the pane, twice in the same way', () => {
    const town = townWith({ kind: 'answered', by: 'code', quote: 'ALIVE K73F' });
    check(town);
    check(town);
    const once = [...TYPED, 'it answered by code: ALIVE K73F', 'the health check was answered: code'];
    expect(told(town)).toEqual([...once, ...once]);
  });

  test('that was answered with `town alive`', () => {
    const town = townWith({ kind: 'silent' });
    check(town, 100);
    const code = town.note('healthChecks')?.['worker']?.code ?? '';
    town.drive.tell({ type: 'ALIVE_ANSWERED', code, uuid: LIFE.uuid });
    expect(told(town).slice(2)).toEqual([
      `the code ${code} was answered with \`town alive\``,
      'the health check was answered: town alive',
    ]);
  });

  test('that was answered before the hand that types was back', () => {
    const town = townWith({ kind: 'silent' });
    town.instead.ask = null;
    check(town, 100);
    const code = town.note('healthChecks')?.['worker']?.code ?? '';
    town.drive.tell({ type: 'ALIVE_ANSWERED', code, uuid: LIFE.uuid });
    town.drive.outcome(town.drive.given('ask').at(-1)!.id, ASKED);
    expect(told(town).slice(-2)).toEqual(['the health check was answered: town alive', TYPED[1]]);
    town.instead.ask = ASKED;
    check(town);
    expect(told(town).at(-1)).toBe('the health check stayed unanswered: 1 in a row');
  });

  test('that found its agent busy, and one that could not be typed', () => {
    const busy = townWith({ kind: 'evidence', what: 'new lines' });
    check(busy);
    expect(told(busy).slice(2)).toEqual([
      'it showed signs of life: new lines',
      'the health check says nothing: busy: new lines',
    ]);
    const blocked = townWith({ kind: 'silent' }, { type: 'NOT_ASKED', obstacle: { kind: 'busy', what: 'copy mode' } });
    check(blocked);
    expect(told(blocked).slice(1)).toEqual(['a health check could not be typed: copy mode']);
  });
});

// Rules: C-15.
test('health checks are no hearings in a report', async () => {
  const town = townWith({ kind: 'silent' });
  for (let i = 0; i < 4; i += 1) check(town);
  async function* lines(): AsyncGenerator<WrittenLine> {
    yield* await Promise.resolve(town.journal);
    yield { at: new Date(WALL).toISOString(), kind: 'question.typed' }; // as older towns wrote it
  }
  const { asked } = await digestOf(lines(), { since: 0, until: WALL + 1e9, isDown: false });
  expect(asked).toEqual({ hearings: 0, questions: 0, sessions: [] });
});
