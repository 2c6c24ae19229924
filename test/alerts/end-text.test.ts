/** The end of an episode says what ended. */
import { expect, test } from 'vitest';
import { NOTIFY } from '../../machines/alerts/policy.ts';
import { harmlessText } from '../../src/channels/message.ts';
import { endText } from '../../machines/alerts/end-text.ts';
import { episodeIn, type Episode } from '../../machines/protocol.ts';

const ended = (episode: string, text: string, recovery: string | null, session: string | null = null): string =>
  endText({
    episode: episodeIn(episode),
    severity: 'high',
    session,
    text,
    since: 0,
    count: 1,
    told_at: 0,
    ended_at: 1,
    recovery,
  } satisfies Episode);

// Rules: law 8.
test.each([
  [
    'without a name it repeats the first row of its alert',
    ended('send-failed/12', 'Work 12 that you sent to nux is not typed.\nIt reads: x', 'It was cancelled.', 'nux'),
    'It was cancelled. It was: Work 12 that you sent to nux is not typed.',
  ],
  [
    'also of a part of a rig',
    ended('gate/shop/tw-1', 'Publish it', 'The gate is open.'),
    'The gate is open. It was: Publish it',
  ],
  [
    'with the name of its subject it is enough',
    ended('silent-agent/nux', 'nux was silent', 'nux works.'),
    'nux works.',
  ],
  [
    'or of its session',
    ended('dance-escalated/d-1', 'x', 'nux was heard: pardoned.', 'nux'),
    'nux was heard: pardoned.',
  ],
  [
    'a name within a word, or of one letter, is none',
    ended('silent-agent/it', 'it was silent', 'It waits with a person.', 'a'),
    'It waits with a person. It was: it was silent',
  ],
  [
    'nor is the beginning of a longer name',
    ended('silent-agent/gt-foo', 'gt-foo was silent', 'gt-foo-2 works.'),
    'gt-foo-2 works. It was: gt-foo was silent',
  ],
  [
    'a kind that has only one says it by itself',
    ended('disk', 'x', 'The disk takes records.'),
    'The disk takes records.',
  ],
  ['a long row stays whole', ended('gate/g', 'x'.repeat(999), 'Open.'), `Open. It was: ${'x'.repeat(999)}`],
])('%s', (_, text, expected) => {
  expect(text).toBe(expected);
});

// Rules: A-3.
test.each(Array.from({ length: 40 }, (_, i) => 150 + i))(
  'a token behind %i signs is masked at the end, too',
  (signs) => {
    const text = `${'a word '.repeat(40).slice(0, signs - 1)} ghp_0123456789abcdefghijABCDEFGHIJ012345 is used`;
    expect(harmlessText(ended('gate/g', text, 'Open.'), NOTIFY.maxText)).not.toMatch(/ghp_|0123/);
  },
);
