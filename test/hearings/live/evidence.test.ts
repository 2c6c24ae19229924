import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Court } from './court.ts';
import { agent, claude } from './questions.ts';
import { courtAsking, courtWith } from './courts.ts';

const SILENT = new Set(['silent']);

describe('D-4: evidence of life', () => {
  // Rules: D-4.
  test('new lines count, but not where only an answer pardons', async () => {
    const { court, target, attempts } = await courtAsking([agent('worker'), 'lines'], { ready: 'file 1' });
    expect(await court.watch(target, attempts, 'answer', 6)).toEqual(SILENT);
    expect(await court.sees(target, attempts, 'evidence', 'evidence')).toMatchObject({
      what: expect.stringContaining('of many compiled') as string,
    });
  });

  test('a line that came at once and stands there is one, by any look afterwards', async () => {
    const { court, target, attempts } = await courtAsking([
      'bash',
      '-c',
      'read -r _; echo going through the second module; sleep 100000',
    ]);
    await court.until(async () => (await court.text(target)).includes('\ngoing through'), 'its words');
    expect(await court.sees(target, attempts, 'evidence', 'evidence')).toMatchObject({
      what: expect.stringContaining('second module') as string,
    });
  });

  test('words above a question that is held back until its work is done', async () => {
    await using court = await Court.open();
    const start = claude('writing');
    const target = await court.start(start, { ready: 'Line 4', height: 50 });
    expect(await court.sees(target, [await court.asked(target)], 'evidence', 'evidence')).toMatchObject({
      what: expect.stringMatching(/a new line: Line \d+ of a long answer/) as string,
    });
  });

  test('spinners, clocks and counters redrawn in place are none', async () => {
    const { court, target } = await courtWith([agent('redrawing')], { ready: 'tokens' });
    expect(await court.watch(target, [await court.asked(target)], 'evidence')).toEqual(SILENT);
  });

  test('a busy screen whose clock goes on is a reaction and no sign of life; one that stands still is silence', async () => {
    await using court = await Court.open();
    const start = (mode: string) => court.start(claude(mode), { ready: 'Pondering' });
    const [busy, hung] = [await start('busy'), await start('hung')];
    const attempts = [await court.asked(busy)];
    expect(await court.sees(busy, attempts, 'inconclusive', 'evidence')).toMatchObject({
      what: expect.stringContaining('its clock goes on') as string,
    });
    for (const observation of await court.watch(busy, attempts, 'evidence'))
      expect(observation).not.toContain('evidence');
    expect(await court.watch(hung, [await court.asked(hung)], 'evidence')).toEqual(SILENT);
  });

  test('a tool that goes on is a sign of life; short ones, and one below a screen that stands still, are not', async () => {
    await using court = await Court.open();
    const start = (mode: string) => court.start(claude(mode), { ready: 'Pondering' });
    const [working, helped, serving] = [await start('working'), await start('helped'), await start('serving')];
    expect(await court.sees(working, [await court.asked(working)], 'evidence', 'evidence')).toMatchObject({
      what: 'a tool of it runs: sleep',
    });
    for (const one of [helped, serving])
      for (const observation of await court.watch(one, [await court.asked(one)], 'evidence'))
        expect(observation).not.toContain('evidence');
    expect(await court.sees(serving, [await court.asked(serving, 'PQ9Z')], 'inconclusive', 'evidence')).toMatchObject({
      what: 'nothing moves on its screen, and sleep runs below it',
    });
  });

  // Rules: D-4.
  test('CPU counts only clearly above the rate of its own before the question, and not where that is unknown', async () => {
    await using court = await Court.open({ policy: { cpuSampleEveryMs: 1 } });
    const go = join(court.server.dir, 'go');
    const target = await court.start([agent('worker'), 'cpu', go]);
    const unmeasured = await court.asked(target);
    expect(unmeasured.mark?.cpuRate).toBeNull();
    court.forget();
    for (const now of [0, 1_000]) await court.cpu.sample([target], now);
    const measured = await court.asked(target, 'PQ9Z');
    expect(measured.mark?.cpuRate).toBeTypeOf('number');
    expect(await court.watch(target, [measured], 'evidence')).toEqual(SILENT);
    writeFileSync(go, '');
    expect(await court.sees(target, [measured], 'evidence', 'evidence')).toMatchObject({
      what: expect.stringContaining('its CPU rose') as string,
    });
    expect(await court.watch(target, [{ ...measured, mark: unmeasured.mark }], 'evidence')).toEqual(SILENT);
  });

  test('a heartbeat that goes on counts, an old one does not', async () => {
    const { court, target, attempts } = await courtAsking(['sleep', '100000']);
    court.heartbeat = 5;
    expect(await court.watch(target, attempts, 'evidence')).toEqual(SILENT);
    court.heartbeat = 6;
    expect(await court.sees(target, attempts, 'evidence', 'evidence')).toEqual({
      kind: 'evidence',
      what: 'its heartbeat went on',
    });
  });
});
