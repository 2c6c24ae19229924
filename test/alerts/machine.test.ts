/** Law 8, by the owner of episodes: edges, durable, one end each, told again only while no person took note. In virtual time. */
import { describe, expect, test } from 'vitest';
import { episodeIn, orderName } from '../../machines/protocol.ts';
import { POLICY } from '../../machines/policy.ts';
import { ALERT, BURNS, Desk, realertMs, remindEveryMs } from './desk.ts';

describe('an episode', () => {
  // Rules: law 8.
  test('is told once, counts, survives a crash and ends with one recovery', () => {
    const desk = new Desk();
    desk.raise();
    desk.raise({ life: 'uuid-2' });
    desk.restart(1_000);
    desk.raise({ life: 'uuid-3' });
    expect(desk.episodes).toMatchObject([
      { ...ALERT, life: 'uuid-3', count: 3, told_at: expect.any(Number) as number },
    ]);
    expect(desk.told).toEqual([`alert ${BURNS}: it burns`]);
    desk.end();
    desk.end();
    expect(desk.told).toEqual([`alert ${BURNS}: it burns`, `recovered ${BURNS}: it is out It was: it burns`]);
    expect(desk.episodes).toEqual([]);
    expect(desk.records.get(`ack/${BURNS}`)).toBeDefined();
    desk.raise();
    expect(desk.episodes).toMatchObject([{ count: 1 }]);
  });

  test('that stands as before counts no more, is told if no person was told yet, and has the newest words', () => {
    const desk = new Desk();
    desk.raise();
    desk.raise();
    expect(desk.episodes).toMatchObject([{ count: 1 }]);
    desk.raise({ text: 'it burns still' });
    expect(desk.episodes).toMatchObject([{ count: 2, text: 'it burns still' }]);
    expect(desk.kinds).toEqual(['alert']);
  });

  // Rules: A-4.
  test('in which another question is asked is told anew, and what a person noted of the one before does not count', () => {
    const desk = new Desk();
    desk.raise({ question: 'program:1', text: 'one?' });
    desk.take();
    desk.restart(1_000);
    desk.run(2 * realertMs);
    expect(desk.told).toEqual([`alert ${BURNS}: one?`]);
    desk.raise({ question: 'program:1', text: 'one, in other words?' });
    desk.raise({ text: 'a hearing met it' });
    expect(desk.kinds).toEqual(['alert']);
    desk.raise({ question: 'program:2', text: 'two?' });
    desk.run(2 * remindEveryMs);
    expect(desk.told).toEqual([`alert ${BURNS}: one?`, `alert ${BURNS}: two?`]);
    desk.run(realertMs);
    expect(desk.told.at(-1)).toBe(`alert ${BURNS}: two?`);
    expect([desk.kinds.length, desk.episodes.length]).toEqual([3, 1]);
    desk.end();
    expect(desk.kinds.at(-1)).toBe('recovered');
  });

  test('that an older town began says nothing of its question: it goes on', () => {
    const desk = new Desk();
    desk.raise();
    desk.restart(1_000);
    desk.raise({ question: 'program:1' });
    expect([desk.kinds, desk.episodes]).toMatchObject([['alert'], [{ question: 'program:1', count: 1 }]]);
    desk.end();
    expect(desk.kinds).toEqual(['alert', 'recovered']);
  });

  test('of which another source tells after a restart goes on as it was read: no notice, no count, the same acknowledgement', () => {
    const desk = new Desk();
    desk.raise({ question: 'request:1 program:a' });
    desk.take();
    const { since } = desk.episodes[0]!;
    desk.restart(1_000);
    // The hook comes after the program's own word, and the screen of a silent program last.
    for (const question of ['program:a', 'request:1 program:a', 'request:1 program:b', 'screen:x'])
      desk.raise({ question });
    desk.restart(1_000);
    desk.raise({ question: 'screen:x' });
    desk.run(2 * realertMs);
    const question = 'request:1 program:b screen:x';
    expect([desk.kinds, desk.episodes]).toMatchObject([['alert'], [{ question, since, count: 1 }]]);
    desk.raise({ question: 'request:2 program:b' });
    expect([desk.kinds, desk.episodes]).toMatchObject([['alert', 'alert'], [{ question: 'request:2 program:b' }]]);
  });
  test('whose notice is still on its way when another question comes is told of that one too', () => {
    const waiting: (() => void)[] = [];
    const desk = new Desk({ notify: () => (waiting.length === 0 ? null : { type: 'NOTIFIED' }) });
    desk.raise({ question: 'program:1', text: 'one?' });
    waiting.push(() => undefined);
    desk.raise({ question: 'program:2', text: 'two?' });
    expect([desk.told.at(-1), desk.episodes[0]?.told_at]).toEqual([`alert ${BURNS}: two?`, expect.any(Number)]);
  });

  test('whose telling was cut off by a crash is told again, and so is an end', () => {
    let isCut = true;
    const desk = new Desk({ notify: () => (isCut ? null : { type: 'NOTIFIED' }) });
    desk.raise();
    desk.restart(1_000);
    expect(desk.kinds).toEqual(['alert', 'alert']);
    isCut = false;
    desk.restart(1_000);
    isCut = true;
    desk.end();
    isCut = false;
    desk.restart(1_000);
    expect(desk.kinds).toEqual(['alert', 'alert', 'alert', 'recovered', 'recovered']);
    expect(desk.episodes).toEqual([]);
  });

  // Rules: P-11.
  test.each([
    ['a kind that a witness sees, high', 'merge-late/shop/tw-1', 'high', 1],
    ['the same, medium', 'merge-late/shop/tw-1', 'medium', 0],
    ['another kind', 'needs-input/nux', 'high', 0],
  ] as const)(
    '%s (%s, %s): of its beginning the mayor gets %i letters, however often the town is killed',
    (_, name, severity, letters) => {
      const desk = new Desk({ notify: () => null });
      const alert = { episode: episodeIn(name), severity, session: null, text: 'tw-1 waits\nfor a day' };
      desk.raise(alert);
      desk.restart(1_000);
      desk.raise(alert);
      const sent = desk.given('mail').filter(({ to }) => to === 'mayor');
      expect(new Set(sent.map(({ id }) => orderName(id))).size).toBe(letters);
      if (letters > 0) expect(sent[0]?.subject).toBe('[HIGH] tw-1 waits for a day');
    },
  );

  // Rules: P-11.
  test('whose letter to the mayor was cut off by a crash behind the notice has it written by the next town', () => {
    let isCut = true;
    const desk = new Desk({ mail: () => (isCut ? null : { type: 'MAILED' }) });
    desk.raise({ episode: episodeIn('merge-late/shop/tw-1'), severity: 'high', session: null, text: 'tw-1 waits' });
    expect([desk.kinds, desk.episodes]).toMatchObject([['alert'], [{ told_at: null }]]);
    isCut = false;
    desk.restart(1_000);
    expect(new Set(desk.given('mail').map(({ id }) => orderName(id))).size).toBe(1);
    expect(desk.given('mail')).toHaveLength(2);
    expect(desk.episodes).toMatchObject([{ told_at: expect.any(Number) as number }]);
    desk.restart(1_000);
    expect(desk.given('mail')).toHaveLength(2);
  });

  test('that is an earlier town’s, and over, is told to its end before it begins anew', () => {
    const desk = new Desk({ notify: { after: 10, body: { type: 'NOTIFIED' } } });
    desk.raise();
    const notices = desk.given('notify').length;
    desk.tell({
      type: 'ALERT_ORDERED',
      by: { name: 'x' },
      change: { type: 'endAlert', episode: BURNS, text: 'it is out' },
    });
    desk.restart(1_000);
    desk.raise();
    expect(desk.kinds.slice(notices)).toEqual(['recovered', 'recovered', 'alert']);
    expect(desk.episodes).toMatchObject([{ count: 1, ended_at: null }]);
  });
});

describe('no person took note', () => {
  // Rules: law 8.
  test('told again after the period; a person did: not', () => {
    const desk = new Desk();
    desk.raise();
    desk.run(realertMs - remindEveryMs);
    expect(desk.kinds).toEqual(['alert']);
    desk.run(2 * remindEveryMs);
    expect(desk.kinds).toEqual(['alert', 'alert']);
    desk.take();
    desk.run(3 * realertMs);
    expect(desk.kinds).toEqual(['alert', 'alert']);
    desk.take({ since: 0 });
    desk.run(2 * remindEveryMs);
    expect(desk.kinds).toEqual(['alert', 'alert', 'alert']);
  });

  test('a note of an earlier episode does not silence the next one', () => {
    const desk = new Desk();
    desk.raise();
    desk.take({ since: 1 });
    desk.run(realertMs + remindEveryMs);
    expect(desk.kinds).toEqual(['alert', 'alert']);
  });

  test('what is told says whether it asks and what to type; news is told once, however long it lasts', () => {
    const desk = new Desk();
    desk.raise({ episode: episodeIn('usage-limit/nux') });
    desk.raise();
    desk.run(realertMs + remindEveryMs);
    const asks = desk.given('notify').map(({ alert, asks: types }) => [alert.episode, types]);
    const asked = [BURNS, ['town session attach nux']];
    expect(asks).toEqual([['usage-limit/nux', null], asked, asked]);
  });
});

test('what the process, a file or an output says while the owner is down is told once it is back', () => {
  const desk = new Desk();
  desk.tell({ type: 'ALERT_ORDERED', by: { name: 'x' }, change: { type: 'alert', alert: null as never } }); // it falls
  const owner = () => desk.tree.snapshotsOf('alerts').length;
  expect(owner()).toBe(0);
  desk.tell(
    { type: 'CONDITION_FOUND', what: 'disk', why: 'no space is left' },
    { type: 'FILE_REFUSED', file: 'sessions/a.json', why: 'it is no JSON.', movedTo: null, sequel: null },
    { type: 'OUTPUT_KEPT', session: 'nux', file: 'output/nux.log', why: 'no space is left' },
  );
  desk.run(POLICY.supervisor.maxBackoffMs);
  expect(owner()).toBe(1);
  expect(desk.given('notify').map(({ alert }) => alert.episode)).toEqual([
    'disk',
    'file-refused/sessions/a.json',
    'output-unsaved/nux',
  ]);
});

describe('ends', () => {
  // Rules: law 8.
  test('episodes that an earlier process told end by their kind, and only those; the ends are named', () => {
    const desk = new Desk();
    for (const episode of ['deacon-mail/m-1', 'deacon-mail/m-2', 'deacon-down/x', 'deacon-mailer/m'])
      desk.raise({ episode: episodeIn(episode) });
    desk.restart(1_000);
    const except = [episodeIn('deacon-mail/m-2')];
    const others = { type: 'endOthers', of: 'deacon-mail', except, text: 'read' } as const;
    desk.order(others, others, { type: 'endAlert', episode: episodeIn('deacon-down/x'), text: 'read' });
    expect(desk.confirmed.slice(4)).toEqual(['order/5 deacon-mail/m-1', 'order/6', 'order/7 deacon-down/x']);
    expect(desk.told.slice(4)).toEqual([
      'recovered deacon-mail/m-1: read It was: it burns',
      'recovered deacon-down/x: read It was: it burns',
    ]);
  });

  test('what is gone when it is looked at is over, unless it was raised again meanwhile', () => {
    let isLate = false;
    const desk = new Desk({
      checkAlerts: ({ of }) => ({
        after: isLate ? 10_000 : 1,
        body: {
          type: 'ALERTS_CHECKED',
          acked: {},
          over: of.flatMap((one) => (one.episode === 'disk' ? [] : [{ ...one, text: 'it is gone' }])),
        },
      }),
    });
    desk.raise({ episode: episodeIn('disk') });
    desk.raise();
    isLate = true;
    desk.run(remindEveryMs);
    desk.raise({ text: 'it burns again' });
    desk.run(20_000);
    expect(desk.kinds).toEqual(['alert', 'alert']);
    isLate = false;
    desk.run(remindEveryMs);
    expect(desk.told.slice(2)).toEqual([`recovered ${BURNS}: it is gone It was: it burns again`]);
  });
});

describe('things', () => {
  test('a file that does not count is told by its name once', () => {
    const desk = new Desk();
    const refused = { type: 'FILE_REFUSED', file: 'alerts/x.json', why: 'it is empty.', sequel: null } as const;
    desk.tell({ ...refused, movedTo: null, mark: 'a' });
    desk.tell({ ...refused, movedTo: 'quarantine/1-x.json' });
    desk.tell({ ...refused, movedTo: 'quarantine/2-x.json', sequel: 'It is mended.' });
    expect(desk.told).toEqual([
      'alert file-refused/alerts/x.json: alerts/x.json does not count: it is empty. It was left where it is.',
      'alert file-refused/quarantine/1-x.json: alerts/x.json does not count: it is empty. It is kept in quarantine/1-x.json.',
      'alert file-refused/quarantine/2-x.json: alerts/x.json does not count: it is empty. It is kept in quarantine/2-x.json. It is mended.',
    ]);
    desk.run(remindEveryMs);
    const looked = desk.given('checkAlerts')[0]?.of;
    expect(looked?.[0]).toEqual({ episode: 'file-refused/alerts/x.json', count: 1, mark: 'a', session: null });
  });

  test('a dead pane that could not be saved is one episode of its session, over when one could', () => {
    const desk = new Desk();
    const kept = { type: 'OUTPUT_KEPT', session: 'gt-max', file: 'output/gt-max.log' } as const;
    for (const why of ['it is a folder', 'it is a folder', null, null]) {
      desk.tell({ ...kept, why });
      desk.run(10);
    }
    expect(desk.kinds).toEqual(['alert', 'recovered']);
    expect(desk.told[0]).toContain('output/gt-max.log');
  });
});
