/** daemon/wall-steps.json: by how much the wall clock was set, and when, as the town saw it. Written after a step, and now and then. */
import { z } from 'zod';
import { lookedAgain, type Noted, type WallSteps } from '../../machines/kernel/wall-steps.ts';
import type { Stamp } from '../../machines/protocol.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { FILES } from '../files/layout.ts';
import { readAt } from '../files/record-folder.ts';
import { recordKind } from '../files/record-kind.ts';
import type { NoteOptions } from '../watchdog/records.ts';

const STEPS = {
  /** Above what NTP corrects by slewing within a few looks, below any deadline of a patrol. */
  stepMs: 60_000,
  /** Each is a step; a machine with more of them has no clock. */
  maxStretches: 50,
  /** Between two writes without a step: a look that is lost widens only the moment of the next step. */
  everyMs: 10 * 60_000,
  /** Times that are asked about at once in a large town; of more, the younger age counts. */
  maxNoted: 1_000,
  /** After the wall showed it again, a time is asked about for no longer: above the longest deadline of a patrol. */
  notedMs: 30 * 86_400_000,
  /** No machine is up for longer, and no clock is set back by more. A program that fakes the clocks shows such times. */
  absurdMs: 10 * 365 * 86_400_000,
};

const stretch = z.strictObject({ ahead: z.number(), from: z.number().nullable(), until: z.number().nullable() });
const KIND = recordKind('wall-steps', {
  shape: z.strictObject({
    at: z.number(),
    wall: z.number(),
    steady: z.number(),
    stretches: z.array(stretch).min(1).readonly(),
    noted: z
      .array(z.strictObject({ at: z.number(), steady: z.number() }))
      .readonly()
      .default([]),
  }) satisfies z.ZodType<WallSteps>,
});

const isAbsurd = ({ at, wall, steady }: WallSteps): boolean => at > STEPS.absurdMs || steady - wall > STEPS.absurdMs;

/** null = no step is known: there is no file, or it holds times that cannot be. */
async function read(options: NoteOptions): Promise<WallSteps | null> {
  const found = (await readAt({ ...options, ...KIND }, FILES.wallSteps))?.value ?? null;
  return found === null || isAbsurd(found) ? null : found;
}

/** The steps as they are now. Writes nothing. */
export async function readSteps(options: NoteOptions, now: Stamp): Promise<WallSteps | null> {
  const before = await read(options);
  return before === null ? null : lookedAgain(before, now, STEPS);
}

/** Rejects when the disk refuses a write. */
export async function noteSteps(options: NoteOptions, now: Stamp): Promise<WallSteps> {
  const before = await read(options);
  const steps = lookedAgain(before, now, STEPS);
  const isDue = before === null || now.at < before.at || now.at - before.at >= STEPS.everyMs;
  if (isDue || steps.stretches !== before.stretches)
    await writeFiles(options.disk, [{ path: FILES.wallSteps, text: KIND.text({ ...steps }) }]);
  return steps;
}

/** What a round asked about, for all rounds after the wall has shown it again. Rejects when the disk refuses a write. */
export async function noteAgain(options: NoteOptions, asked: readonly Noted[]): Promise<void> {
  const steps = await read(options);
  if (steps === null) return;
  const kept = steps.noted.filter(({ at }) => at > steps.wall - STEPS.notedMs);
  const isNew = asked.filter(({ at }) => !kept.some((one) => one.at === at));
  const noted = [...kept, ...isNew].slice(0, STEPS.maxNoted);
  if (noted.length === kept.length) return;
  await writeFiles(options.disk, [{ path: FILES.wallSteps, text: KIND.text({ ...steps, noted }) }]);
}
