/** What `town doctor` says of a machine, told what it looks at. */
import { statfsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fileSystem } from '../../../src/cli/doctor/machine.ts';

const EXT4 = 0xef53;
const NFS = 0x6969;
const look = (type: number, freeBytes: number): typeof statfsSync => {
  const stat = Object.assign(statfsSync('/'), { type, bsize: 4_096, bavail: freeBytes / 4_096 });
  return (() => stat) as unknown as typeof statfsSync;
};

test.runIf(process.platform === 'linux')(
  'a disk that is full, or nearly, is named, as is one of another machine',
  () => {
    const found = (type: number, freeBytes: number) => fileSystem({ root: '/' }, look(type, freeBytes));
    expect(found(EXT4, 40_960_000)).toMatchObject({ health: 'bad', text: 'the disk of / has 41 MB left for you' });
    expect(found(EXT4, 0)).toMatchObject({ health: 'bad', text: 'the disk of / has 0 bytes left for you' });
    expect(found(EXT4, 40_960_000_000)).toMatchObject({ health: 'ok', text: 'local' });
    expect(found(NFS, 0)).toMatchObject({ health: 'bad', text: '/ is on NFS' });
  },
);
