import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TOWN } from '../../src/package.ts';
import { aliveCommand, byLauncher } from '../../src/hearings/alive-command.ts';
import { tempFolder } from '../world/over.ts';

const home = tempFolder('town-alive');

function folder(name: string, make: (town: string) => void): string {
  mkdirSync(join(home, name));
  make(join(home, name, 'town'));
  return join(home, name);
}

test('an agent whose PATH has the command of this package is told its name, any other the script of the town', () => {
  const ours = folder('ours', (town) => symlinkSync(TOWN, town));
  const foreign = folder('foreign', (town) => writeFileSync(town, ''));
  const command = (path: string) => aliveCommand('/root', path, TOWN, byLauncher('/root/daemon/call-town'));
  expect(command(`/nowhere:${ours}:${foreign}`)).toEqual({ started: 'town alive', adopted: 'town --root /root alive' });
  const whole = '/bin/sh /root/daemon/call-town --root /root alive';
  expect(command(`${foreign}:${ours}`)).toEqual({ started: whole, adopted: whole });
  expect(command('/nowhere')).toEqual({ started: whole, adopted: whole });
});
