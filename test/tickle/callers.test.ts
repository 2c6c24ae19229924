/** What a caller of Tickle is answered, and who is paged for it. */
import { describe, expect, test } from 'vitest';
import { BELL, MINUTE, TickleTown } from './town.ts';

// Rules: T-2, T-6.
describe('a caller', () => {
  test('has one agent paged now, also where Tickle is off; it leaves a record of the bell without a scan', () => {
    const town = new TickleTown({ enabled: false, ...BELL });
    town.agent('builder');
    expect(town.ask('page', 'builder')).toMatchObject({ ok: true, value: { paged: true, method: 'bell' } });
    expect(town.noted('availability')).toMatchObject([{ tags: ['tickle', 'availability'], agent: 'builder' }]);
    expect(town.noted('scan')).toEqual([]);
    expect(town.ask('page', 'builder')).toMatchObject({
      ok: false,
      text: expect.stringContaining('short while') as string,
    });
    expect(town.ask('page', 'stranger')).toMatchObject({ ok: false, exit: 2 });
    town.run(5 * MINUTE);
    expect(town.alerts).toEqual(['silent-agent/builder']);
    town.sign('builder');
    town.run(2 * MINUTE);
    expect(town.alerts).toEqual([]);
  });

  test('sees who is silent by a scan, and pages them by a cycle', () => {
    const town = new TickleTown({ enabled: false });
    town.agent('builder', 60 * MINUTE);
    town.agent('asks', 60 * MINUTE, { spared: 'it asks a person' });
    expect(town.ask('scan')).toMatchObject({ ok: true, value: { agents: [{ is: 'stale' }, { is: 'stale' }] } });
    expect(town.pages).toEqual([]);
    town.ask('cycle');
    expect(town.pages).toMatchObject([{ agent: 'builder' }]);
  });

  test('hears that no page may go', () => {
    const town = new TickleTown({ enabled: false });
    town.agent('builder', 0, { spared: 'it asks a person' });
    town.agent('nux', 0, { owner: 'the patrol of shop' });
    expect(town.ask('page', 'builder')).toMatchObject({ ok: false, exit: 1 });
    expect(town.ask('page', 'nux')).toMatchObject({ ok: false, exit: 1 });
    town.isLost = true;
    expect(town.ask('page', 'builder')).toMatchObject({ ok: false, code: 'scan_failed' });
  });
});
