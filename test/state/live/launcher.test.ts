/** The script by which agents call the town, run by a real shell: which Node runs it, and what it says where none is there. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realDisk } from '../../../state/files/disk.ts';
import { FILES } from '../../../state/files/layout.ts';
import { keepLauncher } from '../../../state/process/launcher.ts';
import { tempFolder } from '../../world/over.ts';

/** No process has this number. */
const NO_PID = 999_999_999;
const GONE = "/nowhere/it's gone/node";

/** A root whose names need quotes in a shell. */
async function rootWith(node: string) {
  const root = join(tempFolder('launcher'), "it's $HOME");
  mkdirSync(join(root, 'daemon'), { recursive: true });
  const program = join(root, "to'wn.cjs");
  writeFileSync(program, 'console.log(JSON.stringify(process.argv.slice(2)));');
  await keepLauncher(realDisk(root, 0), { node, program, pid: NO_PID });
  const bin = join(root, 'bin');
  mkdirSync(bin);
  return {
    bin,
    run: () =>
      spawnSync('/bin/sh', [join(root, FILES.launcher), 'alive', 'a  b'], { env: { PATH: bin }, encoding: 'utf8' }),
  };
}

// Rules: D-2.
test.each([
  ['the Node that it names', process.execPath, false],
  ['the one in PATH, where that was removed', GONE, true],
])('it runs by %s', async (_, node, isInPath) => {
  const { bin, run } = await rootWith(node);
  if (isInPath) symlinkSync(process.execPath, join(bin, 'node'));
  expect(run()).toMatchObject({ status: 0, stdout: '["alive","a  b"]\n', stderr: '' });
});

// Rules: D-2.
test('where no Node is there it says so in one sentence', async () => {
  const { run } = await rootWith(GONE);
  expect(run()).toMatchObject({
    status: 1,
    stdout: '',
    stderr: `town: the Node of the town (${GONE}) was removed; type the command again in ten seconds\n`,
  });
});
