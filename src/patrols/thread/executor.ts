/**
 * What the orders of patrols work with: the open ledger, the rigs' records and the way to the town. Its calls may wait for a disk, for
 * git and for other programs, so that in a running town it lives in a thread of its own (worker.ts).
 */
import { heldBy } from '../../ledger/hook.ts';
import { join } from 'node:path';
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { OrderBody, OutcomeBody, SessionSpec } from '../../../machines/protocol.ts';
import type { Patrolled } from '../../../machines/protocol/patrols.ts';
import type { RigRecord } from '../../../machines/rigs/records.ts';
import { realDisk, type Disk } from '../../../state/files/disk.ts';
import { FILES, FOLDERS } from '../../../state/files/layout.ts';
import { backupsIn, backupsOf } from '../../../state/ledger/backups.ts';
import type { Damage } from '../../../state/ledger/file.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import { openLedger, type SqliteLedger } from '../../../state/ledger/sqlite.ts';
import { AFTER_COPY, restoredAt } from '../../../state/process/restored.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import { readPause } from '../../../state/watchdog/records.ts';
import { deaconSession } from '../../config/agents.ts';
import type { Settings } from '../../config/settings.ts';
import { changeBead } from '../../ledger/change.ts';
import type { inTownTime } from '../../overview/known-time.ts';
import { Onlooker } from '../../overview/onlooker.ts';
import { startTown } from '../../proc/beside.ts';
import { createProcesses } from '../../proc/processes.ts';
import { holdingLock } from '../../rigs/lock.ts';
import { standingsIn, type TownClient } from '../../rigs/sessions.ts';
import { yardBehind } from '../../rigs/yard-behind.ts';
import type { Yard } from '../../rigs/yard.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { watchAgent, witnessSession, type Watched } from '../agent/watch.ts';
import { beginCycle, endCycle, putAwayCutOff } from '../memory/digest.ts';
import { takingOlder } from '../memory/older.ts';
import { choiceHands } from './choices.ts';
import { configuredNow } from './configured.ts';
import { changeOf, Looks } from './looks.ts';
import { actInRig, surveyRig, type RoundNeeds } from './rig-round.ts';
import { personsGates } from '../../ledger/gates.ts';
import { readEscalations } from '../deacon/escalations.ts';
import { doWanted, townStep } from '../deacon/round.ts';
import { PATROL_HANDS } from '../policy.ts';

/** The same beads are read in every cycle. */
const KEEPS = { keeps: LEDGER.keptBytes } as const;

type Seen = () => Promise<Look>;
type Look = Awaited<ReturnType<TownClient['overview']>>;

/** Orders of patrols, without their ids. */
export type PatrolOrder = Extract<
  OrderBody,
  { readonly type: 'readEscalations' | 'patrol' | 'step' | 'act' | 'begin' | 'noteCycle' }
>;
type OrderOf<Type extends PatrolOrder['type']> = Extract<PatrolOrder, { readonly type: Type }>;

const PAUSED: Patrolled = { observed: {}, deeds: [], stranded: [], isActive: false, isPaused: true };
/** It rests: that is no failure, for a caller neither. */
const RESTORED: Patrolled = { ...PAUSED, why: AFTER_COPY };

export interface PatrolExecutorNeeds {
  /** As they were when the town, or the command, began. */
  readonly settings: Settings;
  /** The way to the town, or, where none runs, to what a command sees itself. */
  readonly client: TownClient;
  readonly note: (text: string) => void;
  /** `inTownTime`, or `inKnownTime` in a command. */
  readonly inTime: typeof inTownTime;
}

export class PatrolExecutor {
  readonly #given: Settings;
  /** null = no patrol has read it yet. */
  #configured: Settings | null = null;
  #reported: Settings | null = null;
  readonly #client: TownClient;
  readonly #disk: Disk;
  readonly #records: RigRecords;
  readonly #note: (text: string) => void;
  readonly #inTime: typeof inTownTime;
  #ledger: SqliteLedger | null = null;
  #told: Damage | null = null;
  readonly #takeOlder = takingOlder();
  readonly #looks: Looks<Look>;

  constructor({ settings, client, note, inTime }: PatrolExecutorNeeds) {
    this.#given = settings;
    this.#client = client;
    this.#note = note;
    this.#inTime = inTime;
    this.#disk = realDisk(settings.root, performance.timeOrigin);
    this.#records = new RigRecords({ disk: this.#disk, wall: Date.now });
    this.#looks = new Looks({
      look: () => client.overview(),
      mark: () => changeOf(join(settings.root, FOLDERS.sessions)),
      freshMs: PATROL_HANDS.freshLookMs,
    });
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

  /** Carries out one order of a patrol. Rejects with why it came to nothing. */
  async perform(order: PatrolOrder): Promise<OutcomeBody> {
    if (order.type === 'patrol') this.#configured = configuredNow(this.#settings);
    return this.#inTime(this.#disk, this.#note, async () => {
      await this.#takeOlder({ disk: this.#disk, ledger: this.#opened(), records: this.#records });
      if (order.type === 'readEscalations') return this.#readEscalations();
      if (order.type === 'act') return this.#act(order);
      if (order.type === 'begin') return this.#begin(order);
      if (order.type === 'noteCycle') return this.#noteCycle(order);
      if (order.type === 'step') return this.#step(order);
      // All acts of a patrol come of a round, so that none is done while it waits for a person.
      if ((await restoredAt(this.#disk)) !== null) return { type: 'PATROLLED', found: RESTORED };
      const seen = this.#looks.round(order.of);
      return order.of === 'deacon' ? this.#deacon(order, seen) : this.#witness(order, seen);
    });
  }

  /** What was wrong with the ledger, once. */
  damage(): Damage | null {
    const damage = this.#ledger?.damage ?? null;
    if (damage === this.#told) return null;
    this.#told = damage;
    return damage;
  }

  /** What the patrols go by; null = that is the same as at the last call. */
  configured(): Settings | null {
    const [before, now] = [this.#reported, this.#configured];
    this.#reported = now;
    return before?.toml === now?.toml ? null : now;
  }

  get #settings(): Settings {
    return this.#configured ?? this.#given;
  }

  close(): void {
    this.#ledger?.close();
  }

  #opened(): SqliteLedger {
    this.#ledger ??= openLedger({ root: this.#settings.root, wall: Date.now, ...KEEPS });
    return this.#ledger;
  }

  async #deacon(order: OrderOf<'patrol'>, seen: Seen): Promise<OutcomeBody> {
    const quarantine = new Onlooker(this.#disk, this.#note);
    const notes = { disk: this.#disk, quarantine };
    if (order.asked !== 'operator' && (await readPause(notes)) !== null) return { type: 'PATROLLED', found: PAUSED };
    const watch = await this.#watch(order, deaconSession(this.#settings), seen);
    if (watch !== null && !watch.standsIn) return { type: 'PATROLLED', found: watch.found };
    await putAwayCutOff({ ledger: this.#opened(), of: order.of, now: Date.now() });
    return { type: 'ROUND_OPENED', watched: watch?.found.deeds ?? [] };
  }

  /** Looks after the agent that patrols; null = none does, or a caller wants a cycle. */
  async #watch(
    { of, lastAt, asked }: OrderOf<'patrol'>,
    spec: SessionSpec | null,
    seen: Seen,
  ): Promise<Watched | null> {
    if (spec === null || asked !== null) return null;
    const { rounds, watchdog } = this.#settings.policy;
    const policy = { ...rounds, idleMs: watchdog.deacon.idleMs };
    const standing = standingsIn(await seen(), this.#client.unrecorded)(spec.name);
    return watchAgent({ of, spec, disk: this.#disk, client: this.#client, standing, lastAt, now: Date.now(), policy });
  }

  /** Rejects if another process does it for long. */
  async #step(order: OrderOf<'step'>): Promise<OutcomeBody> {
    const { root } = this.#settings;
    const { of, step } = order;
    const seen = this.#looks.round(`${of}/${step}`);
    const needs = {
      ledger: this.#opened(),
      disk: this.#disk,
      root,
      settings: this.#settings,
      note: this.#note,
      records: this.#records,
      client: this.#client,
      processes: createProcesses(),
      sessions: async () => (await seen()).sessions ?? [],
      standings: async () => standingsIn(await seen(), this.#client.unrecorded),
    };
    return holdingLock(this.#records, { root, of }, () => townStep(needs, order, Date.now()));
  }

  async #witness(order: OrderOf<'patrol'>, seen: Seen): Promise<OutcomeBody> {
    const rig = await this.#rig(order.of);
    const watch = await this.#watch(order, witnessSession(this.#settings, rig), seen);
    if (watch !== null && !watch.standsIn) return { type: 'PATROLLED', found: watch.found };
    const needs = await this.#rigNeeds(() => undefined, seen);
    const { handled, stands, asked } = order;
    const seenNow = await surveyRig(needs, rig, { handled, stands, isAsked: asked !== null });
    return { type: 'SURVEYED', seen: seenNow, policies: this.#settings.patrols, watched: watch?.found.deeds ?? [] };
  }

  async #readEscalations(): Promise<OutcomeBody> {
    const needs = { ledger: this.#opened(), disk: this.#disk, note: this.#note };
    const open = await readEscalations(needs, Date.now());
    return { type: 'ESCALATIONS_READ', open, gates: await personsGates(needs.ledger) };
  }

  async #act({ of, acts }: OrderOf<'act'>): Promise<OutcomeBody> {
    let hasNewCase = false;
    const asked = (): void => {
      hasNewCase = true;
    };
    const needs = await this.#rigNeeds(asked, this.#looks.round(`act/${of}`));
    const outcomes = await actInRig(needs, await this.#rig(of), acts);
    return { type: 'ACTED', outcomes, hasNewCase };
  }

  /** Rejects if another process does it for long. */
  #begin({ of, wanted }: OrderOf<'begin'>): Promise<OutcomeBody> {
    const { root } = this.#settings;
    const start = (words: readonly string[]): void => startTown(root, words);
    const seen = this.#looks.round(`act/${of}`);
    const choices = async () =>
      choiceHands({ ...(await this.#rigNeeds(() => undefined, seen)), settings: this.#settings });
    const needs = { ledger: this.#opened(), start, choices };
    return holdingLock(this.#records, { root, of }, () => doWanted(needs, wanted, Date.now()));
  }

  async #noteCycle(order: OrderOf<'noteCycle'>): Promise<OutcomeBody> {
    const cycle = { ledger: this.#opened(), of: order.of, now: Date.now() };
    await ('doing' in order ? beginCycle(cycle, order.doing) : endCycle(cycle, order.did));
    return { type: 'CYCLE_NOTED' };
  }

  async #rig(name: string): Promise<RigRecord> {
    const rig = await this.#records.rig(name);
    if (rig === null) throw new Error(`there is no rig ${name} any more`);
    return rig;
  }

  async #rigNeeds(asked: () => void, seen: Seen): Promise<RoundNeeds> {
    return {
      settings: this.#settings,
      disk: this.#disk,
      yard: await this.#yard(),
      ledger: this.#opened(),
      client: this.#client,
      standings: async () => standingsIn(await seen(), this.#client.unrecorded),
      asked,
    };
  }

  #yard(): Promise<Yard> {
    return yardBehind({
      root: this.#settings.root,
      records: this.#records,
      beads: {
        heldBy: (agent) => heldBy(this.#opened(), agent),
        bead: async (id) => mustBe(id, (await this.#opened().beads([id]))[0]),
        change: async (id, decide) => mustBe(id, await changeBead(this.#opened(), id, decide)),
        disk: () => Promise.resolve(this.#disk),
      },
      client: this.#client,
      note: this.#note,
    });
  }
}

function mustBe(id: string, bead: Bead | null | undefined): Bead {
  if (bead) return bead;
  throw new Failure(EXIT.failed, 'unknown_bead', `there is no bead ${id} any more`);
}
