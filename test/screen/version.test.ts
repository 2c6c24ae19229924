/** The version of a program from its file alone. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { versionOf } from '../../src/screen/version.ts';
import { freshFolder } from '../world/over.ts';

const root = freshFolder();

function file(path: string, text = ''): string {
  const whole = join(root, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}
const modules = 'lib/node_modules';
const script = file(`${modules}/@scope/agent/dist/bin/cli.js`);
file(`${modules}/@scope/agent/package.json`, '{"name":"@scope/agent","version":"0.61.0-linux-x64"}');
file(`${modules}/@scope/agent/dist/package.json`, '{"type":"module"}');
const link = join(root, 'agent');
symlinkSync(script, link);
const node = file(`${modules}/node/bin/node`);
file(`${modules}/node/package.json`, '{"name":"node","version":"24.0.0"}');
const python = file('venv/bin/aider');
file('venv/lib/python3.12/site-packages/aider_chat-0.86.2.dist-info/METADATA');
file('venv/lib/python3.12/site-packages/aiders-9.0.0.dist-info/METADATA');

test.each<[string, { argv: string[]; exe?: string | null }, string | null]>([
  ['the script of an interpreter', { argv: ['node', '--no-warnings', script], exe: node }, '0.61.0'],
  ['a link to it', { argv: ['/usr/bin/node', link], exe: node }, '0.61.0'],
  ['a program of its own in a package', { argv: ['agent'], exe: script }, '0.61.0'],
  ['a path that names it', { argv: ['claude'], exe: '/home/me/.local/share/claude/versions/2.1.330' }, '2.1.330'],
  ['what was installed for Python', { argv: ['python3', python], exe: '/usr/bin/python3' }, '0.86.2'],
  ['an interpreter is not its script', { argv: ['node', '/srv/agent.js'], exe: node }, null],
  [
    'one of node in a folder of versions',
    { argv: ['node', 'agent.js'], exe: '/me/.nvm/versions/node/v22.1.0/bin/node' },
    null,
  ],
  ['a package without packages around it', { argv: ['x'], exe: '/usr/bin/x' }, null],
  ['nothing', { argv: [], exe: null }, null],
])('%s', (_what, program, version) => {
  expect(versionOf({ comm: 'x', ...program })).toBe(version);
});
