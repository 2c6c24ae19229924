/** An operator removes a session, by where it stands; and a kill -9 at each step. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { SessionRecord } from '../../machines/protocol.ts';
import type { townInput } from '../world/drive.ts';
import { life, running as record, spec } from './one.ts';
import { LONG, type Say, code, ended, town, waiting } from './intent.ts';

describe('remove', () => {
  const child = { pid: 7_001, started: '9@boot', program: 'sleep' };

  test.each<[string, SessionRecord | null, Say, Parameters<typeof townInput>[1], string]>([
    ['ended', ended, {}, {}, 'ok'],
    ['stopped', { ...ended, remains: [{ life, survivors: [] }] }, {}, {}, 'ok'],
    ['ended, and never lived', { ...ended, incarnation: null }, {}, {}, 'ok'],
    ['running', record(), {}, {}, 'still_running'],
    ['in a crash loop', waiting, {}, {}, 'still_running'],
    ['adopted', record({ state: 'observed', incarnation: { ...life, origin: 'adopted' } }), {}, {}, 'still_running'],
    ['in town.toml', { ...ended, asked: { uuid: life.uuid, then: 'end' } }, {}, { agents: [spec] }, 'configured'],
    ['survived', { ...ended, remains: [{ life, survivors: [] }] }, { left: [child] }, {}, 'survivors'],
    ['not to be cleared', ended, { clears: 'its pane is left' }, {}, 'not_cleared'],
    ['not known', null, {}, {}, 'unknown_session'],
  ])('one that is %s', (_, found, say, more, answered) => {
    const { remove, forgotten, drive, now } = town(found, say, more);
    expect(code(remove())).toBe(answered);
    drive.run(LONG);
    expect(forgotten()).toBe(answered === 'ok');
    if (answered !== 'ok' && found !== null && found !== waiting) expect(now()?.state).toBe(found.state);
  });

  test.each<[string, 'actor' | 'session', string, RegExp]>([
    ['s1', 'session', '[[agents]]', /s1 stands in town\.toml \(\[\[agents\]\]\).*take it out there/],
    ['watchdog', 'actor', '[[agents]]', /watchdog stands in town\.toml \(\[\[agents\]\]\).*take it out there/],
    [
      'watchdog',
      'session',
      '[monitor] mode',
      /watchdog stands in town\.toml \(\[monitor\] mode\).*set that to "actor"/,
    ],
  ])('%s, with the monitor as %s: a refusal and a changed command name %s', (name, mode, key, says) => {
    const of = { ...spec, name, command: ['another'] };
    const policy = { ...POLICY, monitor: { ...POLICY.monitor, mode } };
    const known = (more: Partial<SessionRecord>) => ({ ...record(more), spec: { ...spec, name } });
    const stopped = town(known({ ...ended, asked: { uuid: life.uuid, then: 'end' } }), {}, { policy, agents: [of] });
    const reply = stopped.ask({ verb: 'removeSession', name });
    expect(reply).toMatchObject({ code: 'configured', text: expect.stringMatching(says) as string });
    const { drive } = town(known({}), {}, { policy, agents: [of] });
    drive.run(10_000);
    const alert = drive.given('alert').find(({ alert }) => alert.text.includes('than it was started'))?.alert;
    expect(alert?.text).toBe(
      `${key} in town.toml has another command for ${name} than it was started with; what was started is kept. To change it: town session stop ${name}, then town session start ${name}`,
    );
  });

  test('its name can be started and forgotten again and again', () => {
    const { remove, start, stop, drive } = town(ended);
    expect([code(remove()), code(remove())]).toEqual(['ok', 'unknown_session']);
    for (const times of [1, 2]) {
      expect([times, code(start())]).toEqual([times, 'ok']);
      expect(code(stop())).toBe('ok');
      drive.run(LONG);
      expect(code(remove())).toBe('ok');
    }
    expect(drive.trail.filter((line) => line === 's1 forgotten')).toHaveLength(3);
  });

  test('a refusal leaves everything as it was: it can be stopped afterwards', () => {
    const { remove, stop, now, drive } = town(record());
    expect([code(remove()), code(stop())]).toEqual(['still_running', 'ok']);
    drive.run(LONG);
    expect(now()?.state).toBe('ended');
  });
});
