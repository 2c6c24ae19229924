/**
 * The first second of an agent that a command started: one that ends at once is reported by that very command (C-6).
 * Alive is its process; how it ended, and what its pane showed, is the town's record of it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SessionRecord, WallMs } from '../../../machines/protocol.ts';
import { exitText, isClean } from '../../../machines/sessions/lifecycle.ts';
import { orNull } from '../../../state/files/or-null.ts';
import { readSession } from '../../overview/records.ts';
import { PROCESS } from '../../ports/policy.ts';
import { createProcesses, type ProcessTable } from '../../proc/processes.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { START_LOOK } from '../policy.ts';

/** The end of a life in its first second. */
export interface EarlyEnd {
  readonly name: string;
  /** The end in words: `ended with exit code 1`. */
  readonly how: string;
  readonly is_clean: boolean;
  /** The last rows of its pane; empty = it showed none. */
  readonly last_words: string;
  /** The town's next step, in its words. */
  readonly note: string;
}

/** The end of this life; null = it lives, or its record names no end. */
export async function earlyEnd(context: Context, name: string, uuid: string): Promise<EarlyEnd | null> {
  const disk = await context.disk();
  const processes = createProcesses();
  const began = performance.now();
  for (;;) {
    const record = await readSession(disk, name);
    const end = endOf(record, name, uuid);
    if (end !== null) return end;
    const spentMs = performance.now() - began;
    const agent = record?.incarnation?.uuid === uuid ? record.incarnation.agent : null;
    const isGone = agent !== null && orNull(() => processes.alive(agent)) === false;
    if (spentMs >= START_LOOK.proofMs && isGone) return unproved(name);
    if (spentMs >= START_LOOK.lookMs && !isGone) return null;
    await pause(PROCESS.pollEveryMs);
  }
}

/** Those of these agents that a town which just came up started, and that ended in its first second. */
export async function earlyEnds(
  context: Context,
  names: readonly string[],
  since: WallMs,
): Promise<readonly EarlyEnd[]> {
  if (names.length === 0) return [];
  const disk = await context.disk();
  const processes = createProcesses();
  const open = new Set(names);
  const ends: EarlyEnd[] = [];
  const began = performance.now();
  for (let spentMs = 0; open.size > 0 && spentMs < START_LOOK.proofMs; spentMs = performance.now() - began) {
    await pause(START_LOOK.everyMs);
    for (const name of open) {
      const record = await readSession(disk, name);
      const end = (record?.startedAt ?? 0) < since ? null : endOf(record, name, record?.incarnation?.uuid ?? '');
      if (end !== null) ends.push(end);
      if (end !== null || (spentMs >= START_LOOK.lookMs && !isUnderWay(record, processes))) open.delete(name);
    }
  }
  return ends;
}

/** Its start is not on record yet, or its process is gone and the town has not said how it ended. */
function isUnderWay(record: SessionRecord | null, { alive }: Pick<ProcessTable, 'alive'>): boolean {
  if (record?.state === 'starting') return true;
  const { incarnation = null } = record ?? {};
  return record?.state === 'running' && incarnation !== null && orNull(() => alive(incarnation.agent)) === false;
}

/** null = by its record it lives, or was removed. */
function endOf(record: SessionRecord | null, name: string, uuid: string): EarlyEnd | null {
  if (record === null || record.state === 'observed') return null;
  const isIts = record.incarnation?.uuid === uuid;
  // Before its start was on record the last life stands there.
  if (!isIts && (record.pending === uuid || record.lastExit === null)) return null;
  if (isIts && record.state === 'running') return null;
  const { lastExit, lastWords = '', note } = record;
  return { name, how: `ended ${exitText(lastExit)}`, is_clean: isClean(lastExit), last_words: lastWords, note };
}

const unproved = (name: string): EarlyEnd => {
  const note = 'the town has not seen how yet';
  return { name, how: 'ended', is_clean: false, last_words: '', note };
};

/** The error text: how the agent ended, its last words, and the next command. */
export function earlyEndText({ name, how, last_words: words, note }: EarlyEnd): string {
  const said =
    words === ''
      ? 'its pane showed nothing'
      : `its last words: ${words
          .split('\n')
          .map((row) => row.trim())
          .join(' / ')}`;
  const next = note.startsWith(how) ? note.slice(how.length).replace(/^; /, '') : note;
  return clean(
    `${name} was started and ${how} at once${next === '' ? '' : `; ${next}`}; ${said}. See: town session logs ${name}`,
  );
}

/** Throws Failure for an end that is none of its own wish; a clean one is returned. */
export function mustLive(end: EarlyEnd | null): EarlyEnd | null {
  if (end === null || end.is_clean) return end;
  throw new Failure(EXIT.failed, 'ended_at_once', earlyEndText(end));
}
