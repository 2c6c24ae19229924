/** Which channels get a notice, and when. */
import { expect, test } from 'vitest';
import { isDigestDue, isWithin, routeOf, type Route } from '../../machines/channels/route.ts';
import { told } from './make.ts';

const ALL = ['ntfy', 'irc'];
const NOON = 720;
const NIGHT = 180;
const route = (some: Partial<Route>): Route => ({
  severity: 'low',
  tag: null,
  to: ['ntfy'],
  quiet: null,
  digest: null,
  ...some,
});

test.each([
  ['a question goes everywhere', told('x'), ALL],
  ['news goes nowhere', told('x', { question: false }), []],
  [
    'the end of a question goes everywhere',
    told('x', { kind: 'recovered', question: false, ends_question: true }),
    ALL,
  ],
  ['the end of news goes nowhere', told('x', { kind: 'recovered', question: false }), []],
  ['a town that falls goes everywhere', { kind: 'guard', text: 'x' }, ALL],
  ['a letter that asks nothing goes nowhere', { kind: 'mail', text: 'x', question: false }, []],
])('without a route %s', (_, notice, to) => {
  expect(routeOf(notice, [], ALL, NOON)).toEqual({ to, waits: false, digestMs: null });
});

const HERE = ['ntfy', 'desktop', 'command', 'bell', 'pane', 'mayor'];

test.each([
  ['without a route', [], ['ntfy', 'desktop', 'command']],
  ['to the bell', [route({ to: ['bell'] })], ['bell']],
  ['to the pane and the mayor', [route({ to: ['pane', 'mayor'] })], ['pane', 'mayor']],
  ['to the command alone', [route({ to: ['command'] })], ['command']],
  ['to the desktop', [route({ to: ['desktop'] })], ['desktop']],
  ['what fits none', [route({ severity: 'critical', to: ['bell', 'pane'] })], ['ntfy', 'desktop', 'command']],
  ['to none', [route({ to: [] })], []],
])('a question, %s, goes to what needs no section only by its name', (_, routes, to) => {
  expect(routeOf(told('x'), routes, HERE, NOON).to).toEqual(to);
});

test('news goes to no pane and rings no bell, also by a route', () => {
  const notice = told('x', { question: false });
  expect(routeOf(notice, [route({ to: HERE })], HERE, NOON).to).toEqual([]);
});

test('the first route that fits decides, and what fits none goes everywhere', () => {
  const routes = [route({ severity: 'critical', to: ['irc'] }), route({ tag: 'worker', to: [] })];
  expect(routeOf(told('x', { severity: 'critical' }), routes, ALL, NOON).to).toEqual(['irc']);
  expect(routeOf(told('x', { tags: ['worker'] }), routes, ALL, NOON).to).toEqual([]);
  expect(routeOf(told('x'), routes, ALL, NOON).to).toEqual(ALL);
});

test('a channel of a route that is not configured gets nothing', () => {
  expect(routeOf(told('x'), [route({ to: ['slack', 'ntfy'] })], ALL, NOON).to).toEqual(['ntfy']);
});

test('a route to none that is configured is passed over; one to none at all is a wish', () => {
  expect(routeOf(told('x'), [route({ to: ['slack'] }), route({ to: ['irc'] })], ALL, NOON).to).toEqual(['irc']);
  expect(routeOf(told('x'), [route({ to: ['slack'] })], ALL, NOON).to).toEqual(ALL);
  expect(routeOf(told('x'), [route({ to: [] }), route({ to: ['irc'] })], ALL, NOON).to).toEqual([]);
});

test('that a channel is silent, and its end, goes at once to every channel, also past the routes', () => {
  const routes = [route({ to: ['bell'], quiet: '22:00-07:00', digest: 60 }), route({ to: [] })];
  const silent = told('x', { episode: 'channel-silent' });
  const everywhere = { to: HERE, waits: false, digestMs: null };
  expect(routeOf(silent, routes, HERE, NIGHT)).toEqual(everywhere);
  const over = { ...silent, kind: 'recovered', question: false, ends_question: true };
  expect(routeOf(over, routes, HERE, NIGHT)).toEqual(everywhere);
});

test('in quiet hours only what is critical goes out', () => {
  const routes = [route({ quiet: '22:00-07:00' })];
  expect(routeOf(told('x', { episode: 'channel-deaf' }), routes, ALL, NIGHT).waits).toBe(true);
  expect(routeOf(told('x'), routes, ALL, NIGHT).waits).toBe(true);
  expect(routeOf(told('x'), routes, ALL, NOON).waits).toBe(false);
  expect(routeOf(told('x', { severity: 'critical' }), routes, ALL, NIGHT).waits).toBe(false);
});

test('a route gathers what is not critical, until the oldest of it has waited its time', () => {
  const routes = [route({ digest: 60 })];
  expect(routeOf(told('x'), routes, ALL, NOON).digestMs).toBe(60);
  expect(routeOf(told('x', { severity: 'critical' }), routes, ALL, NOON).digestMs).toBeNull();
  const gathered = { digestMs: 60, at: 100 };
  expect(isDigestDue([{ digestMs: 60, at: 110 }, gathered], 159)).toBe(false);
  expect(isDigestDue([{ digestMs: 60, at: 110 }, gathered], 160)).toBe(true);
  expect(isDigestDue([{ digestMs: null, at: 0 }], 160)).toBe(false);
  // A clock that went back holds nothing up.
  expect(isDigestDue([gathered], 99)).toBe(true);
});

test.each([
  ['22:00-07:00', 22 * 60, true],
  ['22:00-07:00', 7 * 60, false],
  ['22:00-07:00', 0, true],
  ['09:00-17:30', 9 * 60, true],
  ['09:00-17:30', 17 * 60 + 30, false],
  ['09:00-17:30', 0, false],
  ['00:00-00:00', 0, false],
])('%s holds minute %i: %s', (hours, minute, is) => {
  expect(isWithin(hours, minute)).toBe(is);
});
