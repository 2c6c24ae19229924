/** What asks a person something and what is news, with what to type: one table, and command lines that exist. */
import { describe, expect, test } from 'vitest';
import { ALERT_KINDS, askedBy } from '../../../machines/alert-kinds.ts';
import { build } from '../../../src/cli/program.ts';
import { placesOf } from '../../../src/cli/shells/words.ts';
import { asking, questionLines } from '../../../src/cli/story/asking.ts';

const paths = placesOf(build(() => Promise.resolve())).map(({ path }) => path.join(' '));

const KINDS = [...new Set(ALERT_KINDS.map(({ kind }) => kind))];

describe.each(KINDS)('%s', (kind) => {
  test('is news, or says what to type', () => {
    const type = askedBy(`${kind}/builder`, 'builder');
    for (const line of type ?? []) {
      const [, ...words] = line.split(' ');
      expect(paths).toContain(words.slice(0, paths.includes(words.slice(0, 2).join(' ')) ? 2 : 1).join(' '));
    }
  });

  test('puts nothing into a line that a shell would take for more than a name', () => {
    for (const odd of ['x; rm -rf ~', '$(id)', '-rf', 'a b', '`id`', 'x\ny'])
      for (const line of askedBy(`${kind}/${odd}`, odd) ?? []) expect(line).not.toMatch(/[;$`\n]|rm -rf| a b| -rf/);
  });
});

test('what ends by itself is news; what is unknown asks', () => {
  const news = KINDS.filter((kind) => askedBy(`${kind}/x`, 'x') === null);
  expect(news).toEqual(['usage-limit', 'account-limited', 'tmux-server-died']);
  expect(askedBy('of-a-newer-town/x', null)).toEqual([]);
});

test('verdicts and other words of the town are news, words of agents are questions; what a person saw comes last', () => {
  const alert = { severity: 'high', session: 'builder', text: 'look', acked: false };
  const of = (episode: string) => ({ episode, type: askedBy(episode, 'builder') });
  const { questions, news } = asking({
    alerts: [
      { ...alert, ...of('crash-loop/builder'), since: '2026-01-01T00:00:00.123Z', acked: true },
      { ...alert, ...of('needs-input/builder'), since: '2026-01-01T00:00:00.456Z', severity: 'medium' },
      { ...alert, ...of('usage-limit/builder'), since: '2026-01-01T00:00:00.789Z', text: 'a limit' },
    ],
    mail: [
      { id: 'dog-1.w-1.pardoned', from: 'town', subject: 'VERDICT: builder pardoned', via: 'town' },
      { id: 'm-1763905393123-a', from: 'builder', subject: 'which database?', via: 'agent' },
      { id: 'm-1763905393124-b', from: 'town', subject: 'a session of this name', via: 'agent' },
    ],
  });
  expect(news).toEqual(['high: a limit', 'mail from town: VERDICT: builder pardoned']);
  expect(questionLines(questions)).toEqual([
    '? medium: look',
    '    town session attach builder  ·  town ack 106',
    '? mail from builder: which database?',
    '    town mail read 393123',
    '? mail from town: a session of this name',
    '    town mail read 393124',
    '? high: look (seen)',
    '    town why builder  ·  town session start builder',
  ]);
});
