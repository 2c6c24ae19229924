/** The agents of town.toml: started at up, and compared with what runs. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { SessionSpec } from '../../machines/protocol.ts';
import { Drive, townInput } from '../world/drive.ts';
import { CLEAN, CRASH } from '../world/machine.ts';
import { specOf as spec } from './one.ts';
import { AGENTS, policy, supervised } from './fleet.ts';

describe('the agents of town.toml', () => {
  /** The next `up`, with this in the file. */
  function again({ machine, drive: before }: ReturnType<typeof supervised>, agents: readonly SessionSpec[]) {
    const starts = machine.starts.length;
    const input = townInput(POLICY, { agents, entropy: `test/${starts}` });
    const drive = new Drive(machine.watched, { input, sessions: before.sessions });
    drive.run(10_000);
    return { drive, told: drive.alerts, started: machine.starts.slice(starts).map(({ name }) => name) };
  }

  test('are started at up, staggered; a second up leaves what runs', () => {
    const first = supervised(AGENTS);
    first.drive.run(10_000);
    const at = first.machine.starts.map((one) => one.at);
    expect(first.machine.starts.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(policy.staggerMs);
    expect(again(first, AGENTS)).toMatchObject({ told: [], started: [] });
  });

  test.each([
    ['permanent', ['a']],
    ['transient', []],
    ['temporary', []],
  ] as const)('one that ended, %s: started again %o', (restart, started) => {
    const first = supervised([spec('a', 'temporary')]);
    first.drive.run(5_000);
    first.machine.endName('a', first.drive.now, { exit: CLEAN });
    first.drive.run(5_000);
    expect(first.drive.session('a').state).toBe('ended');
    expect(again(first, [spec('a', restart)]).started).toEqual(started);
  });

  test('a changed entry is told and nothing done; an entry that went stays supervised and is told; both end', () => {
    const first = supervised([spec('a', 'transient'), spec('b', 'transient')]);
    first.drive.run(5_000);
    const changed = { ...spec('a', 'transient'), command: ['another'] };
    const second = again(first, [changed]);
    expect(second).toMatchObject({ told: ['agent-changed/a', 'agent-removed/b'], started: [] });
    expect(second.drive.given('alert')[0]?.alert.text).toContain('another command');
    const third = again(first, [spec('a', 'transient'), spec('b', 'transient')]);
    expect(third).toMatchObject({ told: [], started: [] });
    const ended = third.drive.given('endOthers').filter(({ of }) => ['agent-changed', 'agent-removed'].includes(of));
    expect(ended).toMatchObject([
      { of: 'agent-changed', except: [] },
      { of: 'agent-removed', except: [] },
    ]);
    first.machine.endName('b', first.drive.now, { exit: CRASH });
    const fourth = again(first, [changed]);
    expect(fourth.started).toEqual(['b']);
  });
});
