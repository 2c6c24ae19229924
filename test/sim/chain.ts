/**
 * Runs one drawn history of a town with its watchdog chain in virtual time: the shipped street, loop, store, alerts and mail, and of
 * the chain's hands those that read and write files, over a Deacon that dies, hangs, is paused, accused and asks for its end. The
 * town is killed with -9 between any two steps of its hands and its disk. The same seed gives the same log.
 */
import type { NewsBody, Order, SavedRecord, SessionRecord, SessionSpec } from '../../machines/protocol.ts';
import { POLICY, type Policy } from '../../machines/policy.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { isRetired } from '../../machines/sessions/state.ts';
import type { Notice } from '../../src/alerts/notify.ts';
import type { Hands, Perform } from '../../src/ports/ports.ts';
import { watchdogHands } from '../../src/watchdog/hands.ts';
import type { Found } from '../../src/watchdog/find.ts';
import { observeDeacon } from '../../src/watchdog/observe.ts';
import { whilePaused } from '../../src/watchdog/paused.ts';
import { Ages } from '../../src/watchdog/staleness.ts';
import { FILES, paths } from '../../state/files/layout.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import { warrantText } from '../../state/hearings/warrants.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { noteText, pauseText, readNote, readPause } from '../../state/watchdog/records.ts';
import { Chance } from '../world/chance.ts';
import { SimDisk } from '../world/disk.ts';
import { townInput, WALL, warrant } from '../world/drive.ts';
import { ASKED, layered, QUIET, seeing } from '../world/hands.ts';
import { never } from '../world/never.ts';
import { settled, VirtualTime } from '../world/time.ts';
import { SimTown } from '../world/town.ts';
import {
  CALM_AT,
  ChainWorld,
  DEACON,
  ENDS_AT,
  WORKER,
  type ChainEntry,
  type ChainHistory,
  type ChainPlant,
  type Line,
  type Deed,
} from './chain-world.ts';
import type { Life } from './chain-world.ts';
import { SIM_POLICY, SIM_PROCESS, SIM_STATE } from './policy.ts';

const SECOND = 1_000;
const HEARTBEAT_MS = 10 * SECOND;
const BEAT_MS = 3 * SECOND;
const NUDGE_EVERY_MS = 5 * SECOND;

const policyOf = ({ line }: { readonly line: Line | 'none' }): Policy => ({
  ...SIM_POLICY,
  dance: { ...SIM_POLICY.dance, heardWithinMs: 60 * SECOND },
  watchdog: {
    ...POLICY.watchdog,
    ...{ heartbeatMs: HEARTBEAT_MS, deaconCheck: line === 'all' || line === 'daemon' },
    discovery: line === 'all' || line === 'discovery',
    boot: {
      ...{ enabled: line === 'all' || line === 'boot', staleMs: 12 * SECOND, veryStaleMs: 25 * SECOND },
      ...{ startGraceMs: 8 * SECOND, maxAheadMs: 20 * SECOND, runningTtlMs: 15 * SECOND, deadlineMs: 4 * SECOND },
    },
    deacon: {
      ...{ ...POLICY.watchdog.deacon, beatMs: BEAT_MS, activeMs: 4 * SECOND, idleMs: 8 * SECOND },
      healthWaitMs: 5 * SECOND,
    },
  },
});
const specOf = (name: string, restart: SessionSpec['restart']): SessionSpec => ({
  ...{ name, command: ['agent'], dir: '/', tags: [], process: null, restart },
});

export interface ChainRan {
  readonly log: readonly ChainEntry[];
  readonly kills: number;
  readonly steps: number;
  /** What is wrong with what the town left in the end, in words. */
  readonly left: readonly string[];
}

export class ChainSim {
  readonly history: ChainHistory;
  readonly plant: ChainPlant | null;
  readonly time = new VirtualTime();
  readonly chance: Chance;
  readonly world = new ChainWorld(() => this.time.now);
  readonly disk: SimDisk;
  readonly policy: Policy;
  readonly spec: SessionSpec;
  readonly refused: string[] = [];
  steps = 0;
  kills = 0;
  #letters = 0;
  #fuses: number[];
  #blowAt = Infinity;
  #town: ChainProcess | null = null;

  constructor(history: ChainHistory, plant: ChainPlant | null = null) {
    this.history = history;
    this.plant = plant;
    this.chance = new Chance(history.seed ^ 0xdeac0);
    this.policy = policyOf(plant === 'nobody looks' ? { ...history, line: 'none' } : history);
    this.spec = specOf(DEACON, history.restart);
    this.#fuses = [...history.fuses];
    this.disk = new SimDisk({
      wall: () => this.wall,
      burn: () => {
        if (this.isKilled()) throw new Error('the town was killed');
      },
    });
    for (const spec of [this.spec, specOf(WORKER, 'permanent')]) {
      if (history.isActor && spec === this.spec) continue;
      const { incarnation } = this.world.bear(spec.name, `${spec.name}-0`);
      const record: SessionRecord = {
        ...freshSession(spec, ''),
        ...{ state: 'running', pending: null, incarnation, startedAt: this.wall },
      };
      this.disk.put(paths.session(spec.name), sessionText(record));
    }
    for (const deed of history.deeds) this.time.at(deed.at, () => this.#do(deed));
    this.time.at(CALM_AT, () => this.#calm());
    this.#beat();
  }

  get wall(): number {
    return WALL + this.time.now;
  }
  get isCalm(): boolean {
    return this.time.now >= CALM_AT;
  }

  async run(): Promise<ChainRan> {
    this.boot();
    await settled();
    while (this.time.advance(ENDS_AT)) await settled();
    const left = this.#left;
    if (this.#town) this.#town.isDead = true;
    if (this.refused.length > 0) throw new Error(this.refused.join('\n'));
    return { log: this.world.log, kills: this.kills, steps: this.steps, left };
  }

  /** A place where a kill may come; true = the process is dead. */
  isKilled(): boolean {
    if (this.#town === null || this.#town.isDead) return true;
    this.steps += 1;
    if (this.steps < this.#blowAt || this.isCalm) return false;
    this.kill();
    return true;
  }

  kill(): void {
    if (this.#town === null || this.#town.isDead) return;
    this.#town.isDead = true;
    this.kills += 1;
    this.disk.kill();
    this.world.tell({ what: 'killed' });
    this.time.at(this.time.now + 200 + this.chance.upTo(12 * SECOND), () => this.boot());
  }

  boot(): void {
    const fuse = this.#fuses.shift();
    this.#blowAt = fuse === undefined ? Infinity : this.steps + fuse;
    this.world.tell({ what: 'booted' });
    this.#town = new ChainProcess(this);
    void this.#town.run();
  }

  announce(news: NewsBody): void {
    const town = this.#town;
    if (town !== null && !town.isDead) this.time.at(this.time.now, () => town.inbox.announce(news), town);
  }

  /** A Deacon that is not stuck beats by itself, whatever becomes of the town. */
  #beat(): void {
    const life = this.world.living(DEACON);
    if (life !== undefined && !life.isHung) {
      const { uuid } = life.incarnation;
      const beat = {
        at: this.wall,
        cycle: 1,
        lastAction: '',
        healthy: 1,
        unhealthy: 0,
        nextDueAt: this.wall + BEAT_MS,
      };
      this.disk.put(FILES.heartbeat, noteText('heartbeat', { ...beat, incarnation: uuid }));
    }
    this.time.at(this.time.now + BEAT_MS, () => this.#beat());
  }

  #calm(): void {
    const { world } = this;
    this.#pause(false);
    this.#hide(false);
    world.mood = 'idle';
  }

  #pause(isPaused: boolean): void {
    if (this.world.isPaused === isPaused) return;
    this.world.isPaused = isPaused;
    this.world.tell({ what: isPaused ? 'paused' : 'resumed' });
    if (isPaused) this.disk.put(FILES.paused, pauseText({ since: '', by: 'operator', reason: '' }));
    else this.disk.take(FILES.paused);
  }

  #hide(isHidden: boolean): void {
    if (this.world.isHidden === isHidden) return;
    this.world.isHidden = isHidden;
    this.world.tell({ what: isHidden ? 'hidden' : 'shown' });
  }

  #for(ms: number, begin: () => void, end: () => void): void {
    begin();
    this.time.at(this.time.now + ms, end);
  }

  #accuse(life: Life | undefined, force: boolean): void {
    if (life === undefined) return;
    const id = `w${this.chance.upTo(1e9)}`;
    const text = warrantText(warrant(id, life.incarnation, { filedAt: this.wall, force, requester: 'overseer' }));
    this.disk.put(paths.warrant(id), text);
    if (this.chance.isHit(0.7)) this.announce({ type: 'POKED', what: 'warrants' });
  }

  /** `as`: whose life it says that it is from. */
  #write(life: Life | undefined, word: string, as = life): void {
    if (life?.isAlive !== true || as === undefined) return;
    const { session, uuid } = as.incarnation;
    const then = !as.isAlive ? 'nothing' : word === 'shutdown' ? 'end' : 'restart';
    this.#letters += 1;
    const id = `m-${this.#letters}`;
    this.world.tell({ what: 'wrote', life: uuid, letter: id, then });
    const letter = { id, from: session, subject: `LIFECYCLE: ${word}`, body: '', incarnation: uuid };
    const flags = { via: 'agent', urgent: false, needs_response: false, sentAt: this.wall } as const;
    void this.#post({ ...letter, ...flags });
  }

  /** Written elsewhere, and there from one moment to the next. */
  async #post(letter: Parameters<Mailbox['send']>[0]): Promise<void> {
    const desk = new SimDisk({ wall: () => this.wall });
    const quarantine = new Quarantine({ disk: desk.mount(), wall: () => this.wall, onRefused: () => undefined });
    await new Mailbox({ disk: desk.mount(), quarantine }, SIM_STATE.maxRecordBytes, 'deacon').send(letter);
    for (const [path, text] of desk.files()) this.disk.put(path, text);
    if (this.chance.isHit(0.7)) this.announce({ type: 'POKED', what: 'mail' });
  }

  #do({ does, forMs }: Deed): void {
    const { world, chance } = this;
    const [deacon, worker] = [world.living(DEACON), world.living(WORKER)];
    switch (does) {
      case 'crashes':
        return world.end(deacon, { kind: 'code', code: 1 });
      case 'leaves':
        return world.end(deacon, { kind: 'code', code: 0 });
      case 'worker crashes':
        return world.end(worker, { kind: 'code', code: 1 });
      case 'hangs':
        return world.hang(deacon, true);
      case 'hangs, accused':
        world.hang(deacon, true);
        return this.#accuse(deacon, false);
      case 'cameTo':
        return world.hang(deacon, false);
      case 'accused':
        return this.#accuse(deacon, false);
      case 'accusedByForce':
        return this.#accuse(deacon, true);
      case 'worker asks':
        return this.#write(worker, chance.oneOf(['restart', 'cycle', 'shutdown']));
      case 'deacon asks':
        return this.#write(deacon, chance.oneOf(['restart', 'restart', 'shutdown']));
      case 'an older life asks': {
        const old = [...world.lives.values()].find((one) => !one.isAlive);
        return this.#write(world.living(old?.incarnation.session ?? ''), 'restart', old);
      }
      case 'pauses':
        return this.#for(
          forMs,
          () => this.#pause(true),
          () => this.#pause(false),
        );
      case 'tmux is silent':
        return this.#for(
          forMs,
          () => this.#hide(true),
          () => this.#hide(false),
        );
      case 'is busy':
      case 'waits for a person':
        return this.#for(
          forMs,
          () => (world.mood = does === 'is busy' ? 'busy' : 'blocked'),
          () => (world.mood = 'idle'),
        );
      case 'is checked':
        world.tell({ what: 'wanted', triage: false });
        return this.announce({
          type: 'REQUESTED',
          rpc: `r${chance.upTo(1e9)}`,
          request: { verb: 'healthCheck', session: null },
        });
      case 'triage':
        world.tell({ what: 'wanted', triage: true });
        return this.announce({ type: 'REQUESTED', rpc: `r${chance.upTo(1e9)}`, request: { verb: 'bootTriage' } });
      case 'is lost':
        // Nobody has a record of it any more, nor does it live; that it asked to stay ended would be lost with it.
        if (deacon === undefined) return;
        world.end(deacon, { kind: 'unknown' });
        this.kill();
        this.disk.take(paths.session(DEACON));
    }
  }

  /** What must be over once all was calm for long. */
  get #left(): string[] {
    const files = [...this.disk.files()];
    const isLetter = (path: string): boolean => /^mail\/deacon\/(new|cur)\//.test(path);
    return [
      ...(this.#town?.isDead === false ? [] : ['no town runs']),
      ...files.flatMap(([path, text]) => {
        const isWrong = path === FILES.bootRunning || /^deacon\/dogs\/(active|warrants)\/.*\.json$/.test(path);
        return isWrong || (isLetter(path) && text.includes('LIFECYCLE')) ? [path] : [];
      }),
    ];
  }
}

/** What a process of the town sees and does of the world. */
class ChainProcess extends SimTown {
  readonly #sim: ChainSim;
  protected readonly hands: Hands;

  constructor(sim: ChainSim) {
    const { history, policy } = sim;
    const life = `town-${sim.time.now}`;
    const chain = { deacon: history.isActor ? null : sim.spec, life };
    const input = townInput(policy, { entropy: `${history.seed}/${sim.time.now}`, chain });
    super({ time: sim.time, wall: () => sim.wall, disk: sim.disk, input, state: SIM_STATE, process: SIM_PROCESS });
    this.#sim = sim;
    const hands = this.#handsOf(life);
    const perform: Perform = async (order, signal) => {
      this.#note(order);
      await this.pause(1 + sim.chance.upTo(4));
      if (sim.isKilled()) return never();
      const outcome = await (hands[order.type] as Perform)(order, signal);
      return this.isDead || sim.isKilled() ? never() : outcome;
    };
    this.hands = new Proxy({} as Hands, { get: () => perform });
  }

  protected refused({ file, why }: Refused): void {
    this.#sim.refused.push(`${file}: ${why}`);
  }

  async run(): Promise<void> {
    await this.store.open();
    if (this.isDead) return;
    await this.loop.run();
  }

  protected async notify({ kind, episode }: Pick<Notice, 'kind'> & { readonly episode?: unknown }): Promise<void> {
    if (typeof episode !== 'string' || this.#sim.isKilled()) return this.isDead ? never() : undefined;
    this.#sim.world.tell({ what: kind as 'alert' | 'recovered', episode });
    if (this.#sim.plant === 'tells twice') this.#sim.world.tell({ what: kind as 'alert', episode });
    await this.pause(20);
    if (this.isDead || this.#sim.isKilled()) return never();
  }

  protected override async commit(
    records: readonly SavedRecord[],
    lines: Parameters<SimTown['commit']>[1],
  ): Promise<void> {
    await super.commit(records, lines);
    for (const record of records) {
      if (record.kind !== 'dance') continue;
      const { id: dance, target, stage, warrants } = record.value;
      const force = warrants.some((one) => one.force);
      const own = warrants.some((one) => one.force && one.requester === target.session);
      this.#sim.world.tell({ what: 'hearing', dance, life: target.uuid, stage, force, own });
    }
  }

  #note({ type, id: { giver, round = 0, verb = '' } }: Order): void {
    if (giver === 'daemon' || giver === 'boot') this.#sim.world.tell({ what: 'ordered', type, giver, round, verb });
  }

  /** What a planted fault does instead. */
  #planted({ announce }: Pick<Hands, 'announce'>): Partial<Hands> {
    switch (this.#sim.plant) {
      case 'leaves letters':
        return { archiveDeaconMail: () => Promise.resolve({ type: 'MAIL_ARCHIVED' }) };
      case 'ticks twice':
        return {
          announce: async (order, signal) => {
            const outcome = await announce(order, signal);
            if (order.news.type !== 'BOOT_DUE') return outcome;
            await this.pause(2 * SECOND);
            return announce(order, signal);
          },
        };
      case 'forgets who asked for its end':
        return {
          announce: (order, signal) => {
            const { news } = order;
            return announce(
              news.type === 'END_WANTED' ? { ...order, news: { ...news, then: 'restart' } } : order,
              signal,
            );
          },
        };
      default:
        return {};
    }
  }

  #handsOf(actor: string): Hands {
    const sim = this.#sim;
    const { clock, disk, quarantine, store } = this;
    const { world, chance, plant } = sim;
    const notes = { disk, quarantine, maxBytes: SIM_STATE.maxRecordBytes };
    const mailbox = new Mailbox(this, SIM_STATE.maxRecordBytes, 'deacon');
    const lifeOf = ({ uuid }: { readonly uuid: string }): Life | undefined => world.lives.get(uuid);
    const processes = {
      alive: ({ pid }: { readonly pid: number }) =>
        [...world.lives.values()].some((one) => one.isAlive && one.incarnation.agent.pid === pid),
    };
    const find = (name: string): Promise<Found> => {
      const one = world.living(name) ?? world.newest(name);
      const incarnation = one?.isAlive === true ? one.incarnation : null;
      const life = world.isHidden ? 'unknown' : incarnation !== null ? 'alive' : one === undefined ? 'absent' : 'dead';
      return Promise.resolve({ name, life, uuid: one?.incarnation.uuid ?? null, incarnation });
    };
    const startedAt = clock.now();
    const observe = observeDeacon({
      ...{ processes, find, ages: new Ages(clock), session: (name) => store.session(name) },
      mood: () => Promise.resolve({ pane: world.isHidden ? 'unreadable' : world.mood, what: 'simulated' }),
      ...{
        heartbeat: () => readNote(notes, 'heartbeat'),
        pause: async () => (plant === 'sees no pause' ? null : readPause(notes)),
        unread: () => mailbox.unread(),
      },
      ...{
        isHeard: async (uuid) => plant !== 'hears of no hearing' && (await store.lives.hears(uuid)),
        actor: () => ({ uuid: actor, startedMsAgo: clock.now() - startedAt }),
      },
    });
    const shipped = watchdogHands({
      ...{ clock, notes, mailbox, actor, announce: (news) => this.inbox.announce(news) },
      ...{ hearing: { processes } as never, find: {} as never, isHeard: (uuid) => store.lives.hears(uuid) },
      ...{ sessions: () => store.readSessions(), session: (name) => store.session(name) },
    });
    const quiet = layered(QUIET);
    const asked: Pick<Hands, 'ask' | 'look'> = {
      ask: ({ id, target, code }) => {
        const life = lifeOf(target);
        if (world.isHidden) return Promise.resolve({ type: 'NOT_ASKED', obstacle: { kind: 'unknown', why: 'silent' } });
        if (life?.isAlive !== true)
          return Promise.resolve({ type: 'NOT_ASKED', obstacle: { kind: 'gone', left: true } });
        world.tell({ what: 'asked', life: target.uuid, dance: id.dance ?? null });
        if (chance.isHit(life.isHung ? 0.1 : 0.7)) {
          world.hang(life, false);
          sim.time.at(sim.time.now + chance.upTo(3 * SECOND), () => life.said.add(code));
        }
        return Promise.resolve(ASKED);
      },
      look: ({ target, attempts }) => {
        const life = lifeOf(target);
        if (world.isHidden) return Promise.resolve(seeing({ kind: 'unknown', why: 'tmux is silent' }));
        if (life?.isAlive !== true) return Promise.resolve(seeing({ kind: 'gone', left: true }));
        const isAnswered = attempts.some(({ code }) => life.said.has(code));
        if (isAnswered) return Promise.resolve(seeing({ kind: 'answered', by: 'code', quote: 'ALIVE' }));
        return Promise.resolve(seeing(life.isHung ? { kind: 'silent' } : { kind: 'evidence', what: 'new lines' }));
      },
    };
    const { ask, look } = whilePaused(
      { deacon: DEACON, isPaused: async () => plant !== 'sees no pause' && (await readPause(notes)) !== null },
      asked,
    );
    const own: Partial<Hands> = {
      ask,
      look,
      observeDeacon: async (order, signal) => {
        const outcome = await observe(order, signal);
        if (outcome.type === 'DEACON_OBSERVED' && order.id.giver === 'boot')
          world.tell({ what: 'observed', round: order.id.round ?? 0, isHeard: outcome.seen.isHeard });
        return outcome;
      },
      discover: async ({ names }) => {
        const paused = (await readPause(notes)) !== null;
        const found = await Promise.all(
          names.map(async (name) => {
            const [{ life, uuid }, record] = await Promise.all([find(name), store.session(name)]);
            return { name, life, uuid, retired: record !== null && isRetired(record) };
          }),
        );
        return { type: 'DISCOVERED', found, paused };
      },
      nudge: ({ id, target, from }) => {
        const life = lifeOf(target);
        if (world.isHidden)
          return Promise.resolve({ type: 'NOT_NUDGED', obstacle: { kind: 'unknown', why: 'silent' } });
        if (life?.isAlive !== true)
          return Promise.resolve({ type: 'NOT_NUDGED', obstacle: { kind: 'gone', left: true } });
        if (clock.now() - life.typedAt < NUDGE_EVERY_MS)
          return Promise.resolve({ type: 'NOT_NUDGED', obstacle: { kind: 'recent', what: 'just now', waitMs: 1 } });
        life.typedAt = clock.now();
        world.tell({ what: 'typed', life: target.uuid, from, round: id.round ?? 0 });
        if (chance.isHit(0.3)) world.hang(life, false);
        return Promise.resolve({ type: 'NUDGED' });
      },
      startSession: ({ spec: { name }, uuid }) => {
        if (world.isHidden) return Promise.reject(new Error('tmux is silent'));
        const [same, other] = [world.lives.get(uuid), world.living(name)];
        if (same === undefined && other !== undefined) {
          world.tell({ what: 'startedBeside', session: name, life: uuid, lives: other.incarnation.uuid });
          return Promise.resolve({ type: 'SESSION_NOT_STARTED', why: 'somebody is in it', taken: true });
        }
        const { incarnation } = same ?? world.bear(name, uuid);
        return Promise.resolve({ type: 'SESSION_STARTED', incarnation, tokenHash: 'hash' });
      },
      scan: async ({ known }) => {
        const found = known.map(async ({ session: name, uuid }) => {
          const life = world.lives.get(uuid);
          const seen = world.isHidden
            ? 'unknown'
            : life === undefined
              ? 'absent'
              : life.isAlive && plant !== 'takes the living for dead'
                ? 'alive'
                : 'dead';
          const exit = world.isHidden ? null : (life?.exit ?? null);
          const condemned = await store.lives.condemned(uuid);
          return { name, uuid, life: seen, exit, condemned, spared: store.lives.sparedBy(uuid) ?? undefined } as const;
        });
        return {
          ...{ type: 'SESSIONS_SEEN', server: world.isHidden ? 'unknown' : 'up' },
          seen: await Promise.all(found),
        };
      },
      listSurvivors: ({ of }) =>
        Promise.resolve({ type: 'SURVIVORS_LISTED', of: of.map(({ life }) => ({ life, survivors: [] })) }),
      listTree: ({ target }) => Promise.resolve({ type: 'TREE_LISTED', tree: [target.agent] }),
      rescue: ({ dance }) => Promise.resolve({ type: 'RESCUED', rescue: { folder: `rescue/${dance}`, ref: null } }),
      signal: ({ id, target, lookedAt, tree }) => {
        if (clock.now() - lookedAt > sim.policy.dance.lookStaleMs)
          return Promise.resolve({ type: 'NOT_SIGNALLED', why: 'the look is too old' });
        const hearing = world.log.findLast((one) => one.what === 'hearing' && one.dance === id.dance);
        const force = hearing?.what === 'hearing' && hearing.force;
        world.tell({ what: 'signalled', life: target.uuid, lookedAt, force });
        world.end(lifeOf(target), { kind: 'signal', signal: 'TERM' }, 'signal');
        return Promise.resolve({ type: 'SIGNALLED', alive: tree.slice(0, 0), newcomers: [] });
      },
      clear: () => Promise.resolve({ type: 'CLEARED', survivors: [] }),
      readSessions: async () => ({
        ...{ type: 'SESSIONS_READ', sessions: await store.readSessions() },
        serverDeaths: await readNote(notes, 'serverDeaths'),
      }),
      readRecords: () => store.readRecords(),
      readWarrants: async () => ({ type: 'WARRANTS_READ', warrants: await store.readWarrants() }),
      ...this.telling,
      ...this.#planted(shipped),
    };
    const rest = new Proxy({} as Hands, { get: () => (order: Order) => Promise.resolve(quiet(order, sim.time.now)) });
    return new Proxy({} as Hands, {
      get: (_, type: keyof Hands) => own[type] ?? (shipped as Partial<Hands>)[type] ?? rest[type],
    });
  }
}
