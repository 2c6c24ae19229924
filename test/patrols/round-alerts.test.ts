/** What a round sees standing, in virtual time: one alert each, over a kill of the town, until it is over. */
import { expect, test } from 'vitest';
import { DEFAULTS } from '../../src/config/settings.ts';
import type { OutcomeBody } from '../../machines/protocol.ts';
import type { WitnessSeen } from '../../machines/witness/observation.ts';
import { rig, seen, work } from './seen.ts';
import { CALM, HOUR, MINUTE, Rigs } from './rounds.ts';

// Rules: P-8, law 8.
test('what a step says stands is one alert, over a kill of the town, until the step says that it is over', () => {
  const rigs = new Rigs();
  rigs.patrol = (of) => (of === 'shop' ? { type: 'PATROLLED', found: CALM } : { type: 'ROUND_OPENED', watched: [] });
  const kept: (readonly string[])[] = [];
  const text = '1 bead waits for what can never be done.';
  let stands: Readonly<Record<string, string>> = { '': text };
  rigs.step = ({ step, memory }) => {
    if (step !== 'waits') return { type: 'STEP_DONE', observed: {}, outcomes: [], isActive: false };
    kept.push(memory);
    const own = { memory: [`mark-${String(kept.length)}`], stands };
    return { type: 'STEP_DONE', observed: {}, outcomes: [], isActive: false, ...own };
  };
  const alerts = () => rigs.drive.given('alert').filter(({ alert }) => alert.episode.startsWith('never-ready'));
  const ends = () => rigs.drive.given('endAlert').filter(({ episode }) => episode.startsWith('never-ready'));
  rigs.drive.restart(0);
  rigs.drive.run(6 * MINUTE);
  expect(alerts().map(({ alert }) => alert.text)).toEqual([text]);
  expect(kept.slice(0, 2)).toEqual([[], ['mark-1']]);
  const cycles = kept.length;
  rigs.drive.restart(MINUTE);
  rigs.drive.run(MINUTE);
  expect(kept[cycles]).toEqual([`mark-${String(cycles)}`]);
  const before = ends().length;
  stands = {};
  rigs.drive.run(6 * MINUTE);
  expect(ends()).toHaveLength(before + 1);
});

/** What the witness of a rig sees, with this. */
const sees = (more: Partial<WitnessSeen>): OutcomeBody => {
  return { type: 'SURVEYED', seen: seen(more), policies: DEFAULTS.patrols, watched: [] };
};
const isLate = (episode: string): boolean => episode.startsWith('merge-late/');

// Rules: law 8, P-11.
test('what a witness sees standing is one alert each, over a kill of the town, until it is over', () => {
  const late = (id: string) => work({ id, status: 'in_progress', assignee: 'shop/refinery', restedMs: 25 * HOUR });
  const rigs = new Rigs({ rigs: ['shop', 'bank'] });
  let works = [late('tw-1'), late('tw-2')];
  rigs.patrol = (of) =>
    of === 'deacon' ? { type: 'ROUND_OPENED', watched: [] } : sees({ rig: rig({ work: of === 'shop' ? works : [] }) });
  const begun = () => rigs.drive.given('alert').filter(({ alert }) => isLate(alert.episode));
  const ended = () => rigs.drive.given('endAlert').filter(({ episode }) => isLate(episode));
  rigs.drive.restart(0);
  rigs.drive.run(HOUR);
  expect(begun().map(({ alert }) => alert.episode)).toEqual(['merge-late/shop/tw-1', 'merge-late/shop/tw-2']);
  works = [late('tw-2')];
  rigs.drive.restart(MINUTE);
  rigs.drive.run(HOUR);
  expect(ended().map(({ episode }) => episode)).toEqual(['merge-late/shop/tw-1']);
  rigs.rigs = ['bank'];
  rigs.drive.tell({ type: 'CHANGED', what: 'rigs' });
  rigs.drive.run(HOUR);
  expect(ended().map(({ episode }) => episode)).toEqual(['merge-late/shop/tw-1', 'merge-late/shop/tw-2']);
});

// Rules: law 8, W-6.
test('ten witnesses see one silent Deacon: one alert, and one end', () => {
  const rigs = new Rigs({ rigs: Array.from({ length: 10 }, (_, nth) => `rig${String(nth)}`) });
  let deaconLateMs: number | null = null;
  rigs.patrol = (of) => (of === 'deacon' ? { type: 'ROUND_OPENED', watched: [] } : sees({ deaconLateMs }));
  const begun = () => rigs.drive.given('alert').filter(({ alert }) => alert.episode.startsWith('deacon-late'));
  const ended = () => rigs.drive.given('endAlert').filter(({ episode }) => episode === 'deacon-late/deacon');
  rigs.drive.restart(0);
  rigs.drive.run(10 * MINUTE);
  const before = ended().length;
  deaconLateMs = 6 * MINUTE;
  rigs.drive.run(HOUR);
  expect(begun().map(({ alert }) => alert.episode)).toEqual(['deacon-late/deacon']);
  expect(ended()).toHaveLength(before);
  deaconLateMs = null;
  rigs.drive.run(HOUR);
  expect([begun().length, ended().length]).toEqual([1, before + 1]);
});

// Rules: P-11, law 8.
test('an escalation is an alert within seconds, also while the Deacon is paused, and over once its bead is closed, not before', () => {
  const rigs = new Rigs();
  const { drive } = rigs;
  rigs.patrol = () => ({ type: 'PATROLLED', found: { ...CALM, isPaused: true } });
  drive.run(MINUTE);
  const said = () => [
    ...drive.given('alert').map(({ alert: { episode, severity } }) => `${episode} ${severity}`),
    ...drive.given('endAlert').flatMap(({ episode }) => (episode.startsWith('escalation/') ? [`${episode} over`] : [])),
  ];
  for (const severity of ['low', 'high'] as const) {
    rigs.escalations = [{ id: 'tw-wisp-1', severity, text: 'nux asks: which?' }];
    drive.tell({ type: 'CHANGED', what: 'work' });
    drive.run(3_000);
  }
  expect(said()).toEqual(['escalation/tw-wisp-1 low', 'escalation/tw-wisp-1 high']);
  const [seen] = rigs.escalations.map((one) => ({ ...one, isAcked: true as const }));
  rigs.escalations = [seen!, { ...seen!, id: 'acked-before-it-was-told' }];
  drive.tell({ type: 'CHANGED', what: 'work' });
  drive.run(3_000);
  expect(said().slice(2)).toEqual([]);
  rigs.escalations = rigs.escalations.slice(1);
  drive.tell({ type: 'CHANGED', what: 'work' });
  drive.run(3_000);
  expect(said().slice(2)).toEqual(['escalation/tw-wisp-1 over']);
});
