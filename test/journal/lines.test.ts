/** What `town why` and `town timeline` say of a journal line. */
import { expect, test } from 'vitest';
import { sentence } from '../../src/journal/lines.ts';
import { span } from '../../machines/kernel/span.ts';

const line = (kind: string, more: Record<string, unknown>): string =>
  sentence({ at: '2026-01-01T00:00:00.000Z', kind, session: 'builder', ...more });

test.each([
  [0, '0 ms'],
  [464, '464 ms'],
  [2_300, '2.3 s'],
  [200_000, '3 min 20 s'],
  [60_000, '1 min'],
  [18_600_000, '5 h 10 min'],
  [183_600_000, '2 d 3 h'],
])('%d ms is written %s', (ms, text) => expect(span(ms)).toBe(text));

const SAVED = { folder: 'rescue/d', ref: null, repos: 1, files: 0 };
const SHOWN = '; what its pane showed is in rescue/d';
const NO_WORKTREE = 'its folder is in no git worktree, so none of its files were saved';
const BY_FORCE = { verdict: 'executed', forced: true };
test.each([
  ['intent', { processes: [1] }, 'its end was decided: 1 process was listed'],
  ['intent', { processes: [1, 2] }, 'its end was decided: 2 processes were listed'],
  ['signal.ordered', { signal: 'TERM', pids: [1] }, 'TERM was ordered for 1 process'],
  ['signalled', { alive: 0, newcomers: 0 }, 'none of its processes were still there afterwards'],
  ['signalled', { alive: 1, newcomers: 2 }, '1 of its processes was still there afterwards, and 2 new ones'],
  ['session.backing_off', { waitMs: 464, note: 'ended; again' }, 'it waited 464 ms for its next start: ended; again'],
  ['answer.given', { code: 'K73F' }, 'the code K73F was answered with `town alive`'],
  ['dance.closed', { ...BY_FORCE, reason: 'x', survivors: [1] }, 'it was executed by force: x; 1 process survived'],
  ['dance.closed', { ...BY_FORCE, ownWish: true, reason: 'ended as it asked' }, 'it ended as it asked'],
  ['rescued', { ...SAVED, ref: 'refs/d', files: 3 }, `3 files of its work were saved under refs/d${SHOWN}`],
  ['rescued', SAVED, `there was no uncommitted work to save${SHOWN}`],
  ['dance.closed', { ...BY_FORCE, rescue: { ...SAVED, repos: 0 } }, `it was executed by force; ${NO_WORKTREE}${SHOWN}`],
  ['dance.closed', { verdict: 'already_dead', forced: true, reason: 'gone' }, 'the hearing ended: already dead: gone'],
  ['nudge.not_typed', { obstacle: { kind: 'person', what: 'a key' } }, 'the nudge was not typed: a key'],
  ['dance.executing.looking', { forced: true }, 'a last look was taken'],
  ['tmux', { server: 'gone' }, 'the tmux server was gone'],
  ['look', { sight: { kind: 'dialog', what: 'go\u001b[31m?\u0007' } }, 'a question to a person was on its screen: go?'],
])('%s is told: %o', (kind, more, text) => expect(line(kind, more)).toBe(text));
