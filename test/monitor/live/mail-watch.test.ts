/** The mail watch in a running town: letters as commands send, read and answer them (M-7). */
import { expect, test } from 'vitest';
import { exits, TestTown, until } from '../../cli/town.ts';

interface Open {
  readonly episode: string;
  readonly text: string;
  readonly type: readonly string[] | null;
}
const QUICK = '[watchdog]\nmail_every = "200ms"\nurgent_unread = "100ms"\nunanswered = "500ms"\n';

// Rules: M-7, law 8.
test('a letter that lies unread or unanswered is an alert until its reader read and answered it', async () => {
  const town = await new TestTown(QUICK).up();
  await town.agent('builder', ['cat']);
  await town.agent('boss', ['cat']);
  const about = ['--subject', 'main is red', '--from', 'boss'];
  exits(await town.run('mail', 'send', 'builder', '--urgent', '--needs-response', ...about), 0, '');
  const alerts = (): Promise<Open[]> => town.data<Open[]>('alerts', 'list');
  const kinds = (all: readonly Open[]): string[] => all.map(({ episode }) => episode.split('/')[0] ?? '').sort();
  const open = await until(alerts, (all) => all.length >= 2);
  expect(kinds(open)).toEqual(['mail-unanswered', 'mail-urgent']);
  const urgent = open.find(({ episode }) => episode.startsWith('mail-urgent'));
  expect(urgent?.text).toContain('builder has not read an urgent letter from boss: main is red');
  expect(urgent?.type).toContain('town mail inbox builder');
  const [letter] = await town.data<{ id: string }[]>('mail', 'inbox', 'builder');
  exits(await town.run('mail', 'read', letter?.id ?? '', '--for', 'builder'), 0, '');
  expect(kinds(await until(alerts, (all) => all.length < 2))).toEqual(['mail-unanswered']);
  exits(await town.run('mail', 'send', 'boss', '--subject', 'mended', '--from', 'builder'), 0, '');
  await until(alerts, (all) => all.length === 0);
});
