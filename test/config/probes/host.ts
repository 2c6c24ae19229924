/** The surroundings of a town process that is none: a disk in memory, a clock moved by hand, a silent log. */
import { pino } from 'pino';
import type { Host } from '../../../src/host/host.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { Packs } from '../../../src/screen/packs.ts';
import { SimDisk } from '../../world/disk.ts';
import { FakeClock } from '../../town/fake-clock.ts';

export function fakeHost(): Host & { readonly clock: FakeClock } {
  return {
    disk: new SimDisk().mount(),
    clock: new FakeClock(),
    processes: createProcesses(),
    packs: new Packs(),
    logger: pino({ level: 'silent' }),
    self: { pid: process.pid, started: 'test' },
    refused: [],
    epoch: 1,
    reply: () => Promise.resolve({ type: 'REPLIED' }),
    ask: () => Promise.reject(new Error('no patrol asks here')),
    degraded: () => undefined,
    progress: () => undefined,
    inspected: () => Promise.resolve(),
    ready: () => undefined,
    stillOurs: () => Promise.resolve(),
    renew: () => false,
  };
}
