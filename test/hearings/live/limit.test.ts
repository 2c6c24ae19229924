/** C-6: a usage limit that a dead agent left on its screen is known to the scan, also where a hearing cleared the pane before. */
import { expect, test } from 'vitest';
import type { Exit, Incarnation, SeenSession } from '../../../machines/protocol.ts';
import { Packs } from '../../../src/screen/packs.ts';
import { withLimits } from '../../../src/hearings/limit.ts';
import { scanSessions } from '../../../src/sessions/scan.ts';
import { realDisk } from '../../../state/files/disk.ts';
import type { Store } from '../../../state/store.ts';
import { closed, open, saved } from '../../state/make.ts';
import { table, type Court } from './court.ts';
import { bash } from './questions.ts';
import { courtWith } from './courts.ts';

const WORDS = "You've hit your session limit · resets 3am (UTC)";

async function scanned({ tmux }: Court, store: Store, target: Incarnation): Promise<SeenSession | undefined> {
  const scan = withLimits(
    {
      tmux,
      packs: new Packs(),
      lastWordsOf: async (uuid) => (await store.lives.endOf(uuid))?.lastWords ?? null,
      outputOf: () => [],
    },
    scanSessions({
      freeOf: async () => [],
      tmux,
      processes: table,
      maybeSignalled: async () => false,
      sparedBy: () => null,
      exitOf: async (uuid) => (await store.lives.endOf(uuid))?.exit ?? null,
    }),
  );
  const outcome = await scan({ type: 'scan', id: { name: 'x' }, known: [target] }, new AbortController().signal);
  return outcome.type === 'SESSIONS_SEEN' ? outcome.seen[0] : undefined;
}

// Rules: C-6.
test('the limit is told in the same words by a pane that stands and by the hearing that cleared it, also after a restart', async () => {
  const { court, target } = await courtWith(bash(`read -r; echo "${WORDS}"; sleep 0.5; exit 1`));
  await court.server.tmux('set-option', '-w', '-t', target.paneId, 'remain-on-exit', 'on');
  await court.type(target, '', 'Enter');
  const exit: Exit = { kind: 'code', code: 1 };
  expect(await court.sees(target, [], 'gone')).toEqual({ kind: 'gone', paneStays: true, exit });
  const disk = realDisk(court.server.dir, 0);
  const { store } = await open(disk);
  await store.readRecords();
  expect(await scanned(court, store, target)).toMatchObject({ life: 'dead', exit, limit: WORDS });
  const { tail } = await court.looked(target, []);
  await store.commit([saved(closed(undefined, { target, verdict: 'already_dead', exit, tailAfter: tail }))]);
  await court.server.tmux('kill-pane', '-t', target.paneId);
  const { store: next } = await open(disk);
  const found = scanned(court, next, target);
  await next.readRecords();
  expect(await found).toMatchObject({ life: 'absent', exit, limit: WORDS });
});

// Rules: C-6, law 11.
test.each([
  ['below other words', 'echo "12 tests pass."', undefined],
  ['as its last word', ':', WORDS],
])('an agent that ended by itself and wrote of a limit %s: %s', async (_name, more, limit) => {
  const { court, target } = await courtWith(bash(`read -r; echo "${WORDS}"; ${more}; sleep 0.5; exit 0`));
  await court.server.tmux('set-option', '-w', '-t', target.paneId, 'remain-on-exit', 'on');
  await court.type(target, '', 'Enter');
  await court.sees(target, [], 'gone');
  const { store } = await open(realDisk(court.server.dir, 0));
  const seen = scanned(court, store, target);
  await store.readRecords();
  expect((await seen)?.limit).toBe(limit);
});

test('an end without such words has no limit, and a pane that is gone was never read', async () => {
  const { court, target } = await courtWith(bash('read -r; exit 1'));
  await court.server.tmux('set-option', '-w', '-t', target.paneId, 'remain-on-exit', 'on');
  await court.type(target, '', 'Enter');
  await court.sees(target, [], 'gone');
  const { store } = await open(realDisk(court.server.dir, 0));
  expect(await scanned(court, store, target)).not.toHaveProperty('limit');
  await court.server.tmux('kill-pane', '-t', target.paneId);
  expect(await court.looked(target, [])).toEqual({ observation: { kind: 'gone', paneStays: false }, tail: '' });
});
