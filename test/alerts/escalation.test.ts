/** Escalations, by the owner of episodes: they climb, reach mayor and person once a step, and end. In virtual time. */
import { describe, expect, test } from 'vitest';
import { episodeIn, orderName, type Alert } from '../../machines/protocol.ts';
import { Desk, realertMs, remindEveryMs } from './desk.ts';

// Rules: P-11.
describe('an escalation', () => {
  const episode = episodeIn('escalation/tw-wisp-1');
  const heard = (desk: Desk) => desk.given('notify').map(({ what, alert }) => `${what} ${alert.severity}`);
  const letters = (desk: Desk) => desk.given('mail').map(({ subject }) => subject);
  const escalate = (desk: Desk, severity: Alert['severity']): void =>
    desk.raise({ episode, severity, session: null, text: 'nux asks: which?' });

  test('climbs every four hours, and each loud step reaches mayor and person, once; its end puts the letters away', () => {
    const desk = new Desk();
    escalate(desk, 'low');
    desk.run(2 * realertMs);
    expect([heard(desk), letters(desk)]).toEqual([[], []]);
    desk.run(3 * remindEveryMs);
    expect([heard(desk), letters(desk)]).toEqual([['alert high'], ['[HIGH] nux asks: which?']]);
    // Its actor claims it in a new process as its raiser wrote it.
    desk.restart(1_000);
    escalate(desk, 'low');
    desk.run(realertMs + remindEveryMs);
    expect(heard(desk)).toEqual(['alert high', 'alert critical']);
    expect(letters(desk)).toEqual(['[HIGH] nux asks: which?', '[CRITICAL] nux asks: which?']);
    expect(new Set(desk.given('mail').map(({ id }) => orderName(id))).size).toBe(2);
    desk.end(episode);
    expect(heard(desk)).toEqual(['alert high', 'alert critical', 'recovered critical']);
    const put = desk.given('putAwayMail');
    expect(put).toHaveLength(1);
    for (const { id } of desk.given('mail')) expect(orderName(id).startsWith(put[0]!.of)).toBe(true);
  });

  test('whose town is killed before the letters are put away has them put away by the next one', () => {
    let isCutOff = true;
    const desk = new Desk({ putAwayMail: () => (isCutOff ? null : { type: 'MAILED' }) });
    escalate(desk, 'high');
    desk.end(episode);
    expect(desk.given('putAwayMail')).toHaveLength(1);
    expect(desk.episodes).toMatchObject([{ episode, ended_at: expect.any(Number) as number }]);
    isCutOff = false;
    desk.restart(1_000);
    desk.run(100);
    expect(desk.given('putAwayMail')).toHaveLength(2);
    expect(desk.episodes).toEqual([]);
  });

  test('that is acknowledged climbs no further', () => {
    const desk = new Desk();
    escalate(desk, 'high');
    desk.acked[episode] = { since: desk.episodes[0]?.since ?? 0, by: 'operator', at: desk.wall };
    desk.run(3 * realertMs);
    expect(heard(desk)).toEqual(['alert high']);
  });

  test('that its raiser makes graver is told at once, also where a person took note', () => {
    const desk = new Desk();
    escalate(desk, 'high');
    desk.acked[episode] = { since: desk.episodes[0]?.since ?? 0, by: 'operator', at: desk.wall };
    desk.run(2 * remindEveryMs);
    escalate(desk, 'critical');
    expect(heard(desk)).toEqual(['alert high', 'alert critical']);
  });

  test('that ends below `high` ends without a word', () => {
    const desk = new Desk();
    escalate(desk, 'medium');
    desk.end(episode);
    expect([heard(desk), desk.episodes]).toEqual([[], []]);
  });
});
