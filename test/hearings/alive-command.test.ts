import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TOWN } from '../../src/package.ts';
import { aliveCommand } from '../../src/hearings/alive-command.ts';
import { tempFolder } from '../world/over.ts';

const home = tempFolder('town-alive');

function folder(name: string, make: (town: string) => void): string {
  mkdirSync(join(home, name));
  make(join(home, name, 'town'));
  return join(home, name);
}

test('an agent whose PATH has the command of this package is told its name, any other the Node that runs the town', () => {
  const ours = folder('ours', (town) => symlinkSync(TOWN, town));
  const foreign = folder('foreign', (town) => writeFileSync(town, ''));
  const command = (path: string) => aliveCommand('/root', path, process.execPath, TOWN);
  expect(command(`/nowhere:${ours}:${foreign}`)).toEqual({ started: 'town alive', adopted: 'town --root /root alive' });
  const whole = `${process.execPath} ${TOWN} --root /root alive`;
  expect(command(`${foreign}:${ours}`)).toEqual({ started: whole, adopted: whole });
  expect(command('/nowhere')).toEqual({ started: whole, adopted: whole });
});
