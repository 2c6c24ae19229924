/** The programs of agents: each kind of change of a real file, and what a person sees of it. */
import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionRecord } from '../../machines/protocol.ts';
import { agentsRow } from '../../src/host/agent-programs.ts';
import { faultIn } from '../../src/host/programs.ts';
import { fileAt, programFile } from '../../src/sessions/program-file.ts';
import { life, session } from '../state/make.ts';
import { tempFolder } from '../world/over.ts';

const WELL = { why: null, renew: null, changes: [] };

function sessionRecord(name: string, command: readonly string[], uuid = name, dir = '/'): SessionRecord {
  const { spec } = session(name);
  const incarnation = life(name, uuid);
  return session(name, { spec: { ...spec, command, dir }, state: 'running', incarnation });
}

function installed() {
  const bin = tempFolder('bin');
  const path = join(bin, 'agent');
  /** As a version manager does it: a link to a folder whose name has the version. */
  const install = (version: string): void => {
    const file = join(bin, 'versions', version, 'agent');
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync('/usr/bin/env', file);
    chmodSync(file, 0o755);
    symlinkSync(file, `${path}.new`);
    renameSync(`${path}.new`, path);
  };
  const sessions: SessionRecord[] = [sessionRecord('builder', ['agent'])];
  const row = agentsRow({ sessions: () => Promise.resolve(sessions), paths: async () => async () => bin });
  install('2.1.0');
  return { bin, path, install, sessions, row };
}

// Rules: P-17.
test.each([
  ['newer', '2.2.0', '(2.1.0 by 2.2.0)'],
  ['older', '2.0.9', '(2.1.0 by 2.0.9)'],
])('replaced by a %s one: health shows it, no person is alerted, the town goes on', async (_, version, says) => {
  const { install, row, sessions, path } = installed();
  expect(await row.look()).toEqual(WELL);
  install(version);
  const finding = await row.look();
  expect(finding).toMatchObject({ why: null, renew: null });
  expect(finding.changes).toEqual([expect.stringContaining(`builder was replaced ${says}`)]);
  expect(finding.changes).toEqual([expect.stringContaining(path)]);
  sessions.splice(0, 1, sessionRecord('builder', ['agent'], 'the next life'));
  expect(await row.look()).toEqual(WELL);
});

test('replaced by another file that tells no version', async () => {
  const { path, row } = installed();
  await row.look();
  rmSync(path);
  writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });
  expect((await row.look()).changes).toEqual([expect.stringContaining('builder was replaced (2.1.0 by unknown)')]);
});

test('replaced before the first look, as its start found it', async () => {
  const { install, row, sessions, bin } = installed();
  const program = programFile({ command: ['agent'], dir: '/' }, bin) ?? undefined;
  sessions.splice(0, 1, { ...sessionRecord('builder', ['agent']), program });
  install('2.2.0');
  expect((await row.look()).changes).toEqual([expect.stringContaining('builder was replaced (2.1.0 by 2.2.0)')]);
});

// Rules: P-17.
test.each([
  ['deleted', ''],
  ['not to be run any more', 'something'],
])('%s: a person is alerted after two looks, until it is there again', async (_, content) => {
  const { path, install, row } = installed();
  await row.look();
  rmSync(path);
  if (content !== '') writeFileSync(path, content, { mode: 0o644 });
  expect(await row.look()).toEqual(WELL);
  const finding = await row.look();
  expect(finding.why).toContain('is not there any more, while its agent runs on: builder (agent)');
  expect(finding.renew).toBeNull();
  expect(faultIn(new Map([[row.what, finding]]))).toBeNull();
  install('2.1.0');
  expect((await row.look()).why).toBeNull();
});

test('an agent that waits for its start, an adopted one, and one of another folder are judged by themselves', async () => {
  const { bin, path, row, sessions } = installed();
  const waiting = { ...sessionRecord('waiting', ['gone']), state: 'backing_off' } as const;
  const adopted = { ...sessionRecord('adopted', []), state: 'observed' } as const;
  sessions.push(waiting, adopted, sessionRecord('by-path', [path]), sessionRecord('here', ['./agent'], 'here', bin));
  await row.look();
  expect(await row.look()).toEqual(WELL);
  rmSync(path);
  await row.look();
  expect((await row.look()).why).toContain(`: builder (agent), by-path (${path}), here (./agent)`);
});

describe('one that a person started', () => {
  function adoptedIn() {
    const made = installed();
    const program = programFile({ command: ['agent'], dir: '/' }, made.bin) ?? undefined;
    made.sessions.splice(0, 1, { ...sessionRecord('mine', []), state: 'observed', program });
    return made;
  }

  test.each([
    ['newer', '2.2.0', '(2.1.0 by 2.2.0)'],
    ['older', '2.0.9', '(2.1.0 by 2.0.9)'],
  ])('replaced by a %s one: health shows it, and no start is spoken of', async (_, version, says) => {
    const { install, row } = adoptedIn();
    expect(await row.look()).toEqual(WELL);
    install(version);
    expect(await row.look()).toMatchObject({ why: null, renew: null });
    expect((await row.look()).changes).toEqual([
      `the program of mine was replaced ${says}; the agent runs on with the one that it was started from`,
    ]);
  });

  test('a script that only its interpreter reads is there, is replaced, and is removed', async () => {
    const { bin, row, sessions } = adoptedIn();
    const script = join(bin, 'agent.py');
    writeFileSync(script, 'pass\n', { mode: 0o644 });
    const program = fileAt(script) ?? undefined;
    sessions.splice(0, 1, { ...sessionRecord('mine', []), state: 'observed', program });
    expect(await row.look()).toEqual(WELL);
    writeFileSync(script, 'pass # more\n');
    expect((await row.look()).changes).toEqual([
      'the program of mine was replaced; the agent runs on with the one that it was started from',
    ]);
    rmSync(script);
    expect((await row.look()).changes).toEqual([
      expect.stringContaining(`the program of mine (${script}) was removed`),
    ]);
  });

  test('deleted: health shows it, and no person is alerted', async () => {
    const { path, row } = adoptedIn();
    rmSync(path);
    await row.look();
    expect(await row.look()).toEqual({
      why: null,
      renew: null,
      changes: [`the program of mine (${path}) was removed; the agent runs on with the one that it was started from`],
    });
  });
});

test('many: five are named', async () => {
  const { path, row, sessions } = installed();
  for (let n = 0; n < 9; n += 1) sessions.push(sessionRecord(`a${String(n)}`, ['agent'], `life ${String(n)}`));
  rmSync(path);
  await row.look();
  expect((await row.look()).why).toMatch(/builder \(agent\), a0 .* a3 \(agent\) and 5 more$/);
});
