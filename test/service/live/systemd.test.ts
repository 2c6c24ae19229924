/** The unit under a real user manager of systemd: what starts the town, what reads its configuration anew, and what ends it for good. */
import { expect, test } from 'vitest';
import { exits, prints, until } from '../../cli/town.ts';
import type { Status } from '../../cli/views.ts';
import { mayHaveManager, ServiceTown } from './manager.ts';

// Rules: C-13, C-17.
test.runIf(mayHaveManager())(
  'install starts a town that was stopped, a reload brings one of the new file, and down ends it for good',
  async () => {
    const town = new ServiceTown();
    await town.manager();
    const guarded = (await town.up()).status((now) => now.ready);
    const { pid } = await guarded;
    prints(await town.run('service', 'install'), 0, 'to hand it over now: town down && town service install');
    expect(await town.data<Status>('status')).toMatchObject({ pid });
    expect((await town.run('down')).code).toBe(0);
    prints(await town.run('service', 'install'), 0, 'it was started');
    const { name } = await town.data<{ name: string }>('service', 'status');
    const first = await town.status((now) => now.ready);
    expect((await town.systemctl('show', '-P', 'MainPID', name)).stdout.trim()).toBe(String(first.pid));

    town.configure('[dance]\npool_size = 7\n');
    prints(await town.run('reload'), 0, 'changed: dance.pool_size');
    const second = await town.status((now) => now.ready);
    expect(second.pid).not.toBe(first.pid);
    town.configure('[dance\n');
    expect((await town.systemctl('reload', name)).code).toBe(0);
    await until(
      () => town.run('daemon', 'logs'),
      ({ stdout }) => stdout.includes('goes on with the configuration'),
    );
    expect((await town.data<Status>('status')).pid).toBe(second.pid);

    expect((await town.run('down')).code).toBe(0);
    await until(async () => (await town.systemctl('is-active', name)).stdout.trim() === 'inactive');
    expect((await town.systemctl('start', name)).code).not.toBe(0);
    town.configure();
    exits(await town.run('reload'), 3, 'town up');
  },
);
