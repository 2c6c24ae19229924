/** Law 8: many alerts of one kind are a few by name and one with their count, which ends with the last of them. */
import { describe, expect, test } from 'vitest';
import { ALERT_KINDS } from '../../machines/alert-kinds.ts';
import { MANY_ALERTS } from '../../machines/alerts/policy.ts';
import { FILE_REFUSED } from '../../machines/alerts/things.ts';
import { episodeIn, episodeOf, type NewsBody, type Severity } from '../../machines/protocol.ts';
import { POLICY } from '../../machines/policy.ts';
import { Drive } from '../world/drive.ts';

const { remindEveryMs } = POLICY.alerts;
const LIMIT = MANY_ALERTS.things;
const moved = (nth: number): string => `quarantine/x${nth}.json`;
const refused = (count: number, from = 0): NewsBody[] =>
  Array.from({ length: count }, (_, nth): NewsBody => {
    const movedTo = moved(from + nth);
    return { type: 'FILE_REFUSED', file: 'mail/a.json', why: 'it is cut', movedTo, sequel: null };
  });

/** A town whose files are refused; `gone` are those that a person took away. */
class Desk extends Drive {
  readonly gone: Set<string>;
  /** `looks` false: the disk says nothing of what is still there. */
  constructor({ looks = true } = {}) {
    const gone = new Set<string>();
    const isGone = (episode: string): boolean => gone.has(episode);
    super([
      {
        checkAlerts: ({ of }) => {
          if (!looks) return { type: 'ORDER_FAILED', why: 'EIO' };
          const over = of.flatMap((one) => (isGone(one.episode) ? [{ ...one, text: 'it is gone' }] : []));
          return { type: 'ALERTS_CHECKED', acked: {}, over };
        },
      },
    ]);
    this.gone = gone;
  }
  flood(count: number, from = 0): void {
    this.tell(...refused(count, from));
    this.run(100);
  }
  take(...names: readonly string[]): void {
    for (const name of names) this.gone.add(episodeOf(FILE_REFUSED, name));
    this.run(remindEveryMs + 1_000);
  }
  get notices(): string[] {
    return this.given('notify').map(({ what, alert }) => `${what} ${alert.episode}`);
  }
  get many(): (typeof this.episodes)[number] | undefined {
    return this.episodes.find(({ episode }) => episode === 'file-refused/+');
  }
}

test('survivors of an agent in a hundred different sets are one alert with the present set, told once', () => {
  const desk = new Desk();
  for (let nth = 1; nth <= 100; nth += 1) {
    const about = { episode: episodeIn('survivors/nux'), severity: 'medium', session: 'nux' } as const;
    const change = { type: 'alert', alert: { ...about, text: `kill ${nth}` } } as const;
    desk.tell({ type: 'ALERT_ORDERED', by: { issuer: 'level', kind: 'survivors', turn: nth }, change });
    desk.run(100);
  }
  expect(desk.episodes).toMatchObject([{ episode: 'survivors/nux', text: 'kill 100', count: 100 }]);
  expect(desk.notices).toEqual(['alert survivors/nux']);
});

const about = (nth: number, severity: Severity): NewsBody => ({
  type: 'ALERT_ORDERED',
  by: { issuer: 'level', kind: 'late', turn: nth },
  change: {
    type: 'alert',
    alert: { episode: episodeIn(`merge-late/${nth}`), severity, session: null, text: `${severity} ${nth}` },
  },
});

// Rules: law 8.
test('a grave one is named beside many lesser ones, and one alone beyond the few has its own words', () => {
  const desk = new Desk();
  for (let nth = 0; nth <= LIMIT; nth += 1) desk.tell(about(nth, 'low'));
  desk.run(100);
  const texts = (): string[] => desk.episodes.map(({ text }) => text).sort();
  expect(texts()).toEqual(Array.from({ length: LIMIT + 1 }, (_, nth) => `low ${nth}`));
  desk.tell(about(LIMIT + 1, 'low'), about(LIMIT + 2, 'critical'));
  desk.run(100);
  expect(texts()).toContain('critical 7');
  expect(texts()).toContain(`2 more like this one: low ${LIMIT}`);
});

describe('files that do not count', () => {
  test('a few are told by name', () => {
    const desk = new Desk();
    desk.flood(LIMIT);
    expect(desk.episodes).toHaveLength(LIMIT);
    expect(desk.many).toBeUndefined();
  });

  // Rules: law 8.
  test('thousands are those few and one with their count: one record, one notice', () => {
    const desk = new Desk();
    desk.flood(2_000);
    expect(desk.episodes).toHaveLength(LIMIT + 1);
    expect(desk.many).toMatchObject({ count: 2_000 - LIMIT, ended_at: null });
    expect(desk.many?.text).toMatch(/^1995 more like this one: mail\/a\.json does not count: it is cut/);
    expect(desk.notices).toHaveLength(LIMIT);
    desk.run(remindEveryMs);
    expect(desk.notices).toHaveLength(LIMIT + 1);
    expect(desk.given('notify').at(-1)?.alert.text).toMatch(/^1995 more like this one: /);
  });

  // Rules: law 8.
  test('the notice of the one alert comes while the disk tells nothing', () => {
    const desk = new Desk({ looks: false });
    desk.flood(LIMIT + 2);
    desk.run(remindEveryMs);
    expect(desk.notices).toContain('alert file-refused/+');
  });

  // Rules: law 8.
  test('the count goes down with those that are gone, and the last one ends it', () => {
    const desk = new Desk();
    desk.flood(LIMIT + 2);
    desk.take(moved(LIMIT));
    expect(desk.many).toMatchObject({ count: 1 });
    desk.take(moved(LIMIT + 1));
    expect(desk.many).toBeUndefined();
    expect(desk.notices.filter((one) => one.startsWith('recovered'))).toEqual(['recovered file-refused/+']);
  });

  test('the same one once more is no other one', () => {
    const desk = new Desk();
    desk.flood(LIMIT + 2);
    desk.flood(LIMIT + 2);
    desk.run(remindEveryMs);
    expect(desk.many).toMatchObject({ count: 2 });
    expect(desk.notices).toHaveLength(LIMIT + 1);
  });

  test('a restart keeps the one alert and its count, and tells it no second time', () => {
    const desk = new Desk();
    desk.flood(LIMIT + 7);
    desk.restart(1_000);
    desk.flood(1, 100);
    expect(desk.many).toMatchObject({ count: 8 });
    expect(desk.notices.filter((one) => one === 'alert file-refused/+')).toHaveLength(1);
  });
});

/** Alerts of one kind, each of a session of its own, as the owner of the kind claims them. */
function ordered(kind: string, count: number): NewsBody[] {
  return Array.from({ length: count }, (_, nth): NewsBody => {
    const session = `s${String(nth)}`;
    const alert = {
      episode: episodeIn(`${kind}/${session}`),
      severity: 'high',
      session,
      text: `it is ${session}`,
    } as const;
    return { type: 'ALERT_ORDERED', by: { issuer: 'level', kind, turn: nth }, change: { type: 'alert', alert } };
  });
}

describe('what can be repeated', () => {
  const kinds = [...new Set(ALERT_KINDS.map(({ kind }) => kind))];

  // Rules: law 8.
  test.each(kinds)('two hundred alerts of the kind %s are fifty by name and one with their count', (kind) => {
    const desk = new Desk();
    desk.tell(...ordered(kind, 200));
    desk.run(remindEveryMs);
    expect(desk.episodes).toHaveLength(MANY_ALERTS.sessions + 1);
    expect(desk.notices).toHaveLength(MANY_ALERTS.sessions + 1);
  });

  // Rules: law 8.
  test('ten thousand executions with survivors are no more than that', () => {
    const desk = new Desk();
    desk.tell(...ordered('dance-survivors', 10_000));
    desk.run(remindEveryMs);
    expect(desk.episodes).toHaveLength(MANY_ALERTS.sessions + 1);
    const group = desk.episodes.find(({ episode }) => episode === 'dance-survivors/+');
    expect(group).toMatchObject({ count: 10_000 - MANY_ALERTS.sessions });
    expect(desk.notices).toHaveLength(MANY_ALERTS.sessions + 1);
  });
});
