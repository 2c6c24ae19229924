/** What the commands print for people, of a root full of long words, on terminals of any width: every line fits, no word is cut. */
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { episodeIn } from '../../machines/protocol/episode.ts';
import { columnsOf } from '../../src/terminal/columns.ts';
import { page } from '../../src/terminal/print.ts';
import { ALERTS } from '../../state/alerts/episodes.ts';
import { FILES, nameOf } from '../../state/files/layout.ts';
import { noteText } from '../../state/watchdog/records.ts';
import { inside } from './inside.ts';
import { TestTown } from './town.ts';

let town: TestTown;
beforeEach(() => (town = new TestTown()));

/** Lines of a command on a terminal so wide; null = in a pipe. */
const shown = async (command: string, room: number | null): Promise<string[]> =>
  (await inside(town.root, command, room)).stdout.split('\n');

const LONG =
  'no output for an hour and no one knows why, 会議室の建築者は何も言わない since the small hours of this day';

function fill(): void {
  town.session('builder', { note: LONG });
  town.session('a-session-with-a-rather-long-name', {
    spec: { ...town.session('x').spec, name: 'a-session-with-a-rather-long-name' },
  });
  town.dance('dog-1790000000001', 'builder', { reason: LONG });
  const ended = { stage: 'closed', verdict: 'executed', reason: LONG, closedAt: 9_000 } as const;
  town.dance('dog-1790000000002', 'builder', { ...ended, tailAfter: LONG });
  const at = new Date(Date.now() - 60_000).toISOString();
  const about = { at, session: 'builder', dance: 'dog-1790000000002' };
  const lines = [
    { ...about, kind: 'warrant.filed', warrant: 'w-1790000000002', requester: 'mayor', reason: LONG },
    { ...about, kind: 'dance.closed', verdict: 'executed', reason: LONG },
    { at, kind: 'town.started', pid: 7, epoch: 1 },
  ];
  town.write(`journal/${at.slice(0, 10)}.jsonl`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const alert = { severity: 'high', session: 'builder', text: LONG, since: 1_000, told_at: 1_000, count: 3 } as const;
  const episode = { episode: episodeIn('crash-loop/builder'), ...alert, ended_at: null, recovery: null };
  town.write(`alerts/${nameOf(episode.episode)}.json`, ALERTS.text(episode));
  const memory = { uuid: null, wakes: 0, spared: false, undelivered: 0 };
  const triage = { at: 1_000, action: 'NOTHING', reason: LONG, heartbeatAgeMs: null, session: 'actor' } as const;
  town.write(FILES.bootStatus, noteText('bootStatus', { ...triage, result: LONG, memory }));
  const letter = { id: 'm-1790000000003-aaaaaaaa', from: 'builder', to: 'overseer', subject: LONG, body: LONG };
  const marks = { sent_at: at, via: 'agent', urgent: false, needs_response: true };
  town.write(
    'mail/overseer/new/m-1790000000003-aaaaaaaa.json',
    JSON.stringify({ schema: 'mail/1', ...letter, ...marks }),
  );
}

const COMMANDS = [
  'status',
  'report --since 9999d',
  'timeline',
  'alerts list',
  'boot status',
  'deacon status',
  'doctor',
  'dog dances --all',
  'dog show dog-1790000000001',
  'dog show dog-1790000000002',
  'dog pool status',
  'why builder',
  'why builder --all',
  'session list',
  'session status builder',
  'warrant list --all',
  'mail inbox',
  'mail read 000003',
  'config show',
  'rules list',
];
const wordsOf = (lines: readonly string[]): string[] => lines.join(' ').split(/\s+/).filter(Boolean);

test.each(COMMANDS)('`town %s` at 40, 80 and 200 columns', async (command) => {
  fill();
  const whole = new Set(wordsOf(await shown(command, null)));
  expect(whole.size).toBeGreaterThan(5);
  for (const room of [40, 80, 200]) {
    const lines = await shown(command, room);
    const wide = lines.filter((line) => columnsOf(line) > room && /\S\s+\S/.test(line.replace(/^\s*[|?-] /, '')));
    expect({ room, wide }).toEqual({ room, wide: [] });
    // Times go on meanwhile, and signs of wide letters may stand on two lines.
    const cut = wordsOf(lines).filter((word) => !whole.has(word) && !/[\d\u2e80-\u9fff]|^(ms|s|min|h)\W?$/.test(word));
    expect({ room, cut }).toEqual({ room, cut: [] });
  }
});

test('times that lines begin with are shorter where there is little room', async () => {
  fill();
  expect((await shown('timeline', 40))[0]).toMatch(/^\d\d:\d\d:\d\d {2}builder: /);
  expect((await shown('timeline', 80))[0]).toMatch(/^\d\d:\d\d:\d\d +\S+ \S+ ago {2}builder: /);
});

const word = fc.stringMatching(/^[a-z.,:`-]{1,18}$/);
const gap = fc.constantFrom(' ', ' ', ' ', '  ', '    ');
const line = fc.array(fc.tuple(gap, word), { maxLength: 40 }).chain((words) =>
  fc.constantFrom(0, 2, 6).map(
    (at) =>
      ' '.repeat(at) +
      words
        .map((pair) => pair.join(''))
        .join('')
        .trimStart(),
  ),
);

test.each([40, 80, 200])(
  'any page at %i columns: lines fit, words are whole and in their order, what fits stays',
  (room) => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        const text = lines.join('\n');
        const drawn = page(text, room).split('\n');
        expect(drawn.filter((one) => columnsOf(one) > room)).toEqual([]);
        expect(wordsOf(drawn)).toEqual(wordsOf(lines));
        for (const one of lines) if (columnsOf(one) <= room) expect(drawn).toContain(one);
        expect(page(text, null)).toBe(text);
      }),
      { numRuns: 300 },
    );
  },
);
