/** Foreign, broken, future-version files, links, pipes, folders and a flood, in every folder of a town that runs. */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FOLDERS } from '../../state/files/layout.ts';
import { DEAF, LiveTown, READER, until } from '../crash/live.ts';

const MEGABYTE = 1_048_576;
const SECRET = 'of this user alone';

/** Folders that the town reads, and those that only others use. */
const EVERYWHERE = [...Object.values(FOLDERS), 'mail/overseer/new', 'mail/overseer/cur', 'mail/mayor/new'];

/** Puts one of each kind into a folder, and returns the names. */
function litter(town: LiveTown, folder: string): string[] {
  const dir = join(town.root, folder);
  mkdirSync(dir, { recursive: true });
  const files: Readonly<Record<string, string>> = {
    'empty.json': '',
    'noise.json': '\u0000\u0001{]',
    'cut.json': '{"schema":"dance/1","state":"interro',
    'list.json': '[1, 2]',
    'null.json': 'null',
    'future.json': '{"schema":"dance/99","state":"idle","context":{},"sum":"00000000"}',
    'future-warrant.json': '{"schema":"warrant/7","target":"reader","reason":"r","requester":"q"}',
    'stranger.json': '{"target":"../../etc","reason":"x","requester":"y"}',
    'lying.json': '{"schema":"warrant/1","id":"../../escape","target":"reader","reason":"","requester":"y"}',
    'notes.txt': 'a note of a person',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  mkdirSync(join(dir, 'folder.json'));
  symlinkSync(join(town.cli.home, 'secret'), join(dir, 'link.json'));
  symlinkSync('loop.json', join(dir, 'loop.json'));
  expect(spawnSync('mkfifo', [join(dir, 'pipe.json')]).status).toBe(0);
  return readdirSync(dir);
}

test('with anything in its folders the town goes on, hears who is accused, and starts again on it', async () => {
  await using town = new LiveTown();
  writeFileSync(join(town.cli.home, 'secret'), SECRET);
  const life = await town.up();
  await town.agent('reader', READER);
  await town.agent('deaf', DEAF);
  for (const folder of EVERYWHERE) litter(town, folder);

  town.accuse('reader');
  expect(await town.verdict('reader')).toBe('pardoned');
  // What is in an inbox and does not count was put away, with a reason; nothing was deleted, followed or waited for.
  const inbox = (): string[] => town.cli.names(FOLDERS.warrants).filter((name) => name.endsWith('.json'));
  await until(() => inbox().every((name) => name.startsWith('future')));
  expect(readFileSync(join(town.cli.home, 'secret'), 'utf8')).toBe(SECRET);
  const kept = readdirSync(join(town.root, FOLDERS.quarantine), { recursive: true }).join('\n');
  for (const name of ['noise', 'cut', 'list', 'stranger', 'link', 'pipe', 'folder']) expect(kept).toContain(name);
  expect(life.end()).toBeNull();
  for (const words of ['status', 'alerts list', 'warrant list', 'dog dances', 'session list', 'mail inbox', 'doctor']) {
    const ran = await town.cli.run(...words.split(' '));
    expect(ran.stderr, words).not.toMatch(/^\s+at |TypeError|ReferenceError/m);
    expect(ran.code, `${words}: ${ran.stderr}`).not.toBe(2);
  }
  expect((await town.down(life)).code).toBe(0);

  const next = await town.up();
  town.accuse('deaf');
  expect(await town.verdict('deaf')).toBe('executed');
  expect((await town.status())?.pid).toBe(next.child.pid);
});

test('a warrant of 100 MB is put away unread, by name', async () => {
  await using town = new LiveTown();
  const life = await town.up();
  await town.agent('reader', READER);
  const flood = join(town.cli.home, 'flood');
  const file = openSync(flood, 'w');
  ftruncateSync(file, 100 * MEGABYTE);
  closeSync(file);
  renameSync(flood, join(town.root, FOLDERS.warrants, 'flood.json'));
  town.accuse('reader');
  expect(await town.verdict('reader')).toBe('pardoned');
  await until(() => !town.cli.names(FOLDERS.warrants).includes('flood.json'));
  const alerts = await town.cli.run('alerts', 'list');
  expect(alerts.stdout).toMatch(/flood\.json does not count.*104857600 bytes/);
  expect(life.end()).toBeNull();
});
