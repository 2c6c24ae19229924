/** Alerts about dialogs, as each list of questions shows them: by what stands now. */
import { expect, test } from 'vitest';
import { openAlert, alertsNow, type AskedNow } from '../../src/overview/open-alerts.ts';
import { episodeIn } from '../../machines/protocol.ts';
import { running } from '../sessions/one.ts';

const alert = (question: string) =>
  openAlert({
    episode: episodeIn('needs-input/builder'),
    severity: 'medium',
    session: 'builder',
    question,
    text: 'as it was told',
    since: 1_000,
    acked: null,
  });
const asked = (question: string): AskedNow => ({ what: 'Proceed?', question, since: 9_000 });

const one = running();
const builder = { ...one, spec: { ...one.spec, name: 'builder' } };
const FIRST = 'dialog:aa id:dialog-1';
const NEXT = 'dialog:bb id:dialog-2';

// Rules: A-4.
test.each<[what: string, told: string | null, now: AskedNow | null | undefined, shown: (string | null)[]]>([
  ['it still stands', FIRST, asked(FIRST), [FIRST]],
  ['it is gone', FIRST, null, []],
  ['the next one stands', FIRST, asked(NEXT), [NEXT]],
  ['nothing is known of it', FIRST, undefined, [FIRST]],
  ['it came only now', null, asked(FIRST), [FIRST]],
  ['it came only now and has no name', null, asked('dialog:aa'), []],
  ['the agent reported it', 'report:cc', null, ['report:cc']],
])('a dialog: %s', (_, told, now, shown) => {
  const alerts = told === null ? [] : [alert(told)];
  const list = alertsNow(alerts, [builder], () => now);
  expect(list.map(({ question }) => question)).toEqual(shown);
});
