/**
 * What patrols of a running town work with: the open ledger, the rigs' records and the way to the town. Its calls may wait for a
 * disk, for git and for other programs, so it lives in a thread of its own (worker.ts).
 */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { Patrolled } from '../../../machines/protocol/patrols.ts';
import { realDisk, type Disk } from '../../../state/files/disk.ts';
import { FILES } from '../../../state/files/layout.ts';
import { STATE } from '../../../state/files/policy.ts';
import { backupsIn, backupsOf } from '../../../state/ledger/backups.ts';
import type { Damage } from '../../../state/ledger/file.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import { openLedger, type SqliteLedger } from '../../../state/ledger/sqlite.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import { readPause } from '../../../state/watchdog/records.ts';
import { deaconSession } from '../../config/agents.ts';
import type { Settings } from '../../config/settings.ts';
import type { Overview } from '../../overview/overview.ts';
import { changeBead } from '../../ledger/change.ts';
import { Onlooker } from '../../overview/onlooker.ts';
import { startTown } from '../../proc/beside.ts';
import { createProcesses, standingIn } from '../../proc/processes.ts';
import { hooksOf } from '../../rigs/hooks.ts';
import { sessionsBehind, standingsIn, type Door } from '../../rigs/sessions.ts';
import type { Yard } from '../../rigs/yard.ts';
import { connectTown, TownNotRunning, type TownClient } from '../../socket/client.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { startTriage } from '../../triage/step.ts';
import { watchAgent, witnessSession, type AgentPatrol } from '../agent/watch.ts';
import { ofTown, ofWitness, PAUSED } from './found.ts';
import { Looks } from './looks.ts';
import { patrolRig } from './rig-round.ts';
import { latest, order, withSteps } from '../../ports/age.ts';
import { systemClock } from '../../ports/clock.ts';
import { townRound } from '../deacon/round.ts';
import { PROCESS } from '../../ports/policy.ts';
import { PATROL_HANDS } from '../policy.ts';
import { newestOf } from '../../ledger/walk.ts';

/** The same beads are read in every cycle. */
const KEEPS = { keeps: LEDGER.keptBeads } as const;

type Seen = () => Promise<Overview>;

export class Office {
  readonly #settings: Settings;
  readonly #token: string;
  readonly #disk: Disk;
  readonly #records: RigRecords;
  readonly #note: (text: string) => void;
  #ledger: SqliteLedger | null = null;
  #told: Damage | null = null;
  readonly #looks = new Looks(() => this.#ask((town) => town.overview()), PATROL_HANDS.freshLookMs);
  /** Per patrol, the end of the last agent-run cycle already reported. */
  readonly #toldUntil = new Map<string, number>();
  readonly #openedAt = Date.now();

  constructor(settings: Settings, token: string, note: (text: string) => void) {
    this.#settings = settings;
    this.#token = token;
    this.#note = note;
    this.#disk = realDisk(settings.root, performance.timeOrigin);
    this.#records = new RigRecords({ disk: this.#disk, policy: STATE, wall: Date.now });
  }

  /** Opens it and looks through all of it; when the newest backup is from. Rejects with LedgerFault. */
  open(): { readonly backedUpAt: number | null } {
    this.#ledger?.close();
    this.#ledger = null;
    this.#ledger = openLedger({ root: this.#settings.root, wall: Date.now, checkBytes: Infinity, ...KEEPS });
    const [newest] = backupsIn(backupsOf(join(this.#settings.root, FILES.ledger)));
    return { backedUpAt: newest?.at ?? null };
  }

  async backUp(): Promise<{ readonly backedUpAt: number }> {
    const backedUpAt = Date.now();
    await this.#opened().backUp(backedUpAt);
    return { backedUpAt };
  }

  /** One cycle of a rig's witness, or of the Deacon's round over the town's work. */
  async patrol(of: string): Promise<Patrolled> {
    const seen = this.#looks.round(of);
    const quarantine = new Onlooker(this.#disk, this.#note);
    const notes = { disk: this.#disk, quarantine, maxBytes: STATE.maxRecordBytes, note: this.#note };
    const now = { at: systemClock.now(), wall: systemClock.wall() };
    return withSteps(notes, now, () => (of === 'deacon' ? this.#deacon(seen) : this.#witness(of, seen)));
  }

  /** What was wrong with the ledger, once. */
  damage(): Damage | null {
    const damage = this.#ledger?.damage ?? null;
    if (damage === this.#told) return null;
    this.#told = damage;
    return damage;
  }

  close(): void {
    this.#ledger?.close();
  }

  #opened(): SqliteLedger {
    this.#ledger ??= openLedger({ root: this.#settings.root, wall: Date.now, ...KEEPS });
    return this.#ledger;
  }

  async #deacon(seen: Seen): Promise<Patrolled> {
    const quarantine = new Onlooker(this.#disk, this.#note);
    if ((await readPause({ disk: this.#disk, quarantine, maxBytes: STATE.maxRecordBytes })) !== null) return PAUSED;
    const [ledger, now] = [this.#opened(), Date.now()];
    const spec = deaconSession(this.#settings);
    return spec === null
      ? this.#town(ledger, now, seen)
      : this.#watched({ of: 'deacon', spec, ledger, seen }, now, () => this.#town(ledger, now, seen));
  }

  /** An agent's patrol. */
  async #watched(
    { seen, ...of }: Pick<AgentPatrol, 'of' | 'spec' | 'ledger'> & { readonly seen: Seen },
    now: number,
    standIn: AgentPatrol['standIn'],
  ): Promise<Patrolled> {
    const { rounds, watchdog } = this.#settings.policy;
    const policy = { ...rounds, idleMs: watchdog.deacon.idleMs };
    const standing = standingsIn(await seen())(of.spec.name);
    const isNews = (endedAt: number): boolean => {
      const isNew = order(endedAt) > order(this.#toldUntil.get(of.of) ?? this.#openedAt);
      this.#toldUntil.set(of.of, latest(endedAt, this.#openedAt));
      return isNew;
    };
    return watchAgent({ ...of, disk: this.#disk, door: this.#door, standing, now, policy, standIn, isNews });
  }

  async #town(ledger: SqliteLedger, now: number, seen: Seen): Promise<Patrolled> {
    const disk = this.#disk;
    const needs = {
      ledger,
      disk,
      settings: this.#settings,
      note: this.#note,
      records: this.#records,
      standings: async () => standingsIn(await seen()),
    };
    const { root } = this.#settings;
    const begin = (name: string): void => startTown(root, ['plugin', 'run', name, '--json']);
    const sessions = async () => (await seen()).sessions ?? [];
    const looks = { root, begin, sessions, processes: createProcesses(), door: this.#door };
    const work = await townRound({ ...needs, ...looks, startTriage: () => startTriage(root) }, now);
    if (work.failed.length > 0) throw new Error(work.failed.join('; '));
    return ofTown(work);
  }

  async #witness(name: string, seen: Seen): Promise<Patrolled> {
    const yard = await this.#yard();
    const rig = await yard.records.rig(name);
    if (rig === null) throw new Error(`there is no rig ${name} any more`);
    const cases = { areNew: false };
    const needs = {
      settings: this.#settings,
      disk: this.#disk,
      yard,
      ledger: this.#opened(),
      door: this.#door,
      standings: async () => standingsIn(await seen()),
      asked: () => {
        cases.areNew = true;
      },
    };
    const patrol = async (): Promise<Patrolled> => {
      const found = ofWitness(await patrolRig(needs, rig));
      // What follows is another round's: a convoy lands, what waited for it is given out.
      if (found.deeds.some(({ act, done }) => act === 'close' && done)) await this.#ask((town) => town.poke('work'));
      if (cases.areNew) await this.#ask((town) => town.poke('cases'));
      return found;
    };
    const spec = witnessSession(this.#settings, rig);
    const { ledger } = needs;
    return spec === null ? patrol() : this.#watched({ of: name, spec, ledger, seen }, Date.now(), patrol);
  }

  async #yard(): Promise<Yard> {
    return {
      root: await realpath(this.#settings.root),
      records: this.#records,
      hooks: hooksOf({
        bead: async (id) => mustBe(id, (await this.#opened().beads([id]))[0]),
        change: async (id, decide) => mustBe(id, await changeBead(this.#opened(), id, decide)),
        memory: {
          newest: (author) => newestOf(this.#opened(), author),
          keep: (evidence) => this.#opened().addEvidence(evidence),
        },
      }),
      sessions: sessionsBehind(this.#door),
      standingIn: async (folder) => {
        const inside = await standingIn(await realpath(folder).catch(() => folder));
        return inside.map(({ pid, comm }) => `pid ${pid} (${comm})`);
      },
      wall: () => Date.now(),
      note: this.#note,
    };
  }

  readonly #door: Door = {
    ask: (request) => this.#ask((town) => town.request(request)),
    askIfUp: (request) =>
      this.#ask((town) => town.request(request)).catch((error: unknown) => {
        if (error instanceof TownNotRunning) return null;
        throw error;
      }),
    overview: () => this.#ask((town) => town.overview()),
  };

  /** As the operator's commands ask: what the town refuses those it refuses its patrol. */
  async #ask<T>(question: (town: TownClient) => Promise<T>): Promise<T> {
    const town = await connectTown(this.#settings.root, PROCESS, this.#token);
    try {
      return await question(town);
    } finally {
      town.close();
    }
  }
}

function mustBe(id: string, bead: Bead | null | undefined): Bead {
  if (bead) return bead;
  throw new Failure(EXIT.failed, 'unknown_bead', `there is no bead ${id} any more`);
}
