/** Choices of triage that the town cannot carry out at once. */
import { expect, test } from 'vitest';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { defaultSettings } from '../../src/config/load.ts';
import { isTransient, nudge } from '../../src/patrols/thread/choices.ts';
import { Failure } from '../../src/terminal/failure.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { Nudges } from '../../state/sessions/nudges.ts';
import { SESSIONS } from '../../state/sessions/records.ts';
import { incarnation, WALL } from '../world/drive.ts';
import { SimDisk } from '../world/disk.ts';

// Rules: P-15.
test.each(['degraded', 'town_ending', 'waits_for_disk', 'nudge_recent'])('a refusal as %s is tried again', (code) => {
  expect(isTransient(new Failure(4, code, 'not now'))).toBe(true);
});

// Rules: P-15.
test.each(['tmux_owned', 'protected_target', 'nudge_unfit'])('a refusal as %s is a person’s', (code) => {
  expect(isTransient(new Failure(4, code, 'no'))).toBe(false);
});

// Rules: P-15.
test('a nudge is done once its Enter was pressed; where a kill came before that it is asked for again', async () => {
  const life = incarnation(1);
  const name = life.session;
  const disk = new SimDisk().mount();
  const spec = { name, command: ['x'], dir: '/', tags: [], restart: 'temporary', process: null } as const;
  await writeFiles(disk, [SESSIONS.fileOf({ ...freshSession(spec, ''), state: 'running', incarnation: life })]);
  const asked: string[] = [];
  const client = {
    ask: ({ verb }: { readonly verb: string }) => {
      asked.push(verb);
      return Promise.resolve({ ok: true, value: null });
    },
  };
  const settings = defaultSettings({ root: '/', from: 'a test' } as never);
  const choose = () => nudge({ settings, disk, client: client as never }, name, 'go on', WALL - 1);
  const nudges = new Nudges({ disk, quarantine: null as never });
  await nudges.add(life, { at: WALL, from: 'triage', text: 'Nudge: go on', isTyped: false }, 10);
  await choose();
  expect(asked).toEqual(['nudge']);
  await nudges.confirm(life, 10);
  await choose();
  expect(asked).toEqual(['nudge']);
});
