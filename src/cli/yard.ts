/** What commands on rigs and polecats act with: the records, the town's sessions, the processes, one lock a rig. */
import { realpath } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { RigRecord } from '../../machines/rigs/records.ts';
import { sessionOf } from '../../machines/rigs/names.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { STATE } from '../../state/files/policy.ts';
import type { SessionView } from '../overview/sessions.ts';
import { standingIn } from '../proc/processes.ts';
import { RIG_WORK } from '../rigs/policy.ts';
import type { Case, Sessions, Yard } from '../rigs/yard.ts';
import { nearest } from '../terminal/nearest.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { note } from '../terminal/print.ts';
import type { Context } from './context.ts';
import { glance } from './glance.ts';
import { ledgerHooks } from './hooks.ts';
import { quoteName } from './names.ts';

export async function recordsOf(context: Context): Promise<RigRecords> {
  context.existing();
  return new RigRecords({ disk: await context.disk(), policy: STATE });
}

/** Throws Failure (2) where no such rig was added. */
export async function rigNamed(records: RigRecords, name: string): Promise<RigRecord> {
  const rig = await records.rig(name).catch((error: unknown) => {
    throw new Failure(EXIT.failed, 'bad_record', error instanceof Error ? error.message : String(error));
  });
  if (rig !== null) return rig;
  const names = (await records.rigs()).found.map((one) => one.name);
  const near = nearest(name, names);
  const next = near === null ? `town rig add ${name} --repo PATH` : `did you mean ${near}? see \`town rig list\``;
  throw new Failure(EXIT.usage, 'unknown_rig', `no rig ${quoteName(name)} was added; ${next}`);
}

export async function yardOf(context: Context): Promise<Yard> {
  return {
    root: await realpath(context.existing()),
    records: await recordsOf(context),
    hooks: ledgerHooks(context),
    sessions: sessionsOf(context),
    standingIn: async (folder) => {
      const inside = await standingIn(await realpath(folder).catch(() => folder));
      return inside.map(({ pid, comm }) => `pid ${pid} (${comm})`);
    },
    wall: () => Date.now(),
    note,
  };
}

function sessionsOf(context: Context): Sessions {
  return {
    start: async (record, dir) => {
      const { rig, command } = record;
      const name = sessionOf(record);
      const how = { tags: ['polecat', `rig:${rig}`], restart: 'temporary', process: null } as const;
      const reply = await context.ask((town) =>
        town.request({ verb: 'startSession', spec: { name, command, dir, ...how } }),
      );
      if (!reply.ok) throw new Failure(reply.exit, reply.code, reply.text);
    },
    standing: async (name) => (await standingsOf(context))(name),
    forget: async (name) => {
      // A record that stays costs nothing; it is forgotten by hand too.
      await context.askIfUp((town) => town.request({ verb: 'removeSession', name }));
    },
  };
}

type Standing = Awaited<ReturnType<Sessions['standing']>>;

/** How all sessions are now, by name, from one look. */
export async function standingsOf(context: Context): Promise<(name: string) => Standing> {
  const { sessions, tmux_fault: fault } = (await glance(context)).overview;
  const views = new Map(sessions.map((one) => [one.name, one]));
  return (name) => {
    const view = views.get(name);
    return view === undefined ? (fault === null ? 'none' : 'unknown') : standingOf(view);
  };
}

/** One that is never started again has ended with its process, whether or not a town has seen that. */
function standingOf({ state, alive, restart }: SessionView): Standing {
  if (state === 'foreign') return 'lives';
  if (alive === true) return 'lives';
  if (state === 'ended') return 'ended';
  if (alive === null) return 'unknown';
  return state === 'running' && restart === 'temporary' ? 'ended' : 'lives';
}

/** Does something to a rig while nobody else does. Throws Failure (1) where another command holds it for long. */
export async function holding<T>(yard: Yard, rig: RigRecord, work: (at: Case) => Promise<T>): Promise<T> {
  const until = performance.now() + RIG_WORK.lockMs;
  let lock = await yard.records.lock(yard.root, rig.name);
  for (; lock === null && performance.now() < until; lock = await yard.records.lock(yard.root, rig.name))
    await pause(RIG_WORK.lockEveryMs);
  if (lock === null) {
    const text = `another command works on the rig ${rig.name}; type it again when that has ended`;
    throw new Failure(EXIT.failed, 'rig_busy', text);
  }
  try {
    return await work({ yard, rig });
  } finally {
    lock.release();
  }
}
