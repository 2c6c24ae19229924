/** The folder on an agent's record, and that of town.toml, where both are one. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { differences, renewRecord } from '../../machines/sessions/lifecycle.ts';
import { spelledAs } from '../../src/config/agents.ts';
import { running, specOf } from '../sessions/one.ts';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'town-spelling-')));
afterAll(() => rmSync(home, { recursive: true }));
const [root, other, link] = ['root', 'other', 'link'].map((name) => join(home, name)) as [string, string, string];
for (const folder of [root, other]) mkdirSync(folder);
symlinkSync(root, link);

const conversation = { id: 'c-1', resumed: false, deaths: 0 };
const spec = { ...specOf('s1'), dir: root };
const of = (dir: string) => running({ spec: { ...spec, dir }, conversation });

// Rules: M-11.
test.each<[string, string, string[]]>([
  ['the same', root, []],
  ['a link to it', link, []],
  ['another one', other, ['dir']],
])('%s on record', (_, dir, changed) => {
  const record = spelledAs([spec])(of(dir));
  expect(differences(record.spec, spec)).toEqual(changed);
  expect(renewRecord(record, spec, 'p').conversation).toEqual(changed.length === 0 ? conversation : undefined);
});

test('an agent that town.toml does not name keeps its folder as it is', () => {
  expect(spelledAs([{ ...spec, name: 's2' }])(of(link)).spec.dir).toBe(link);
});
