/**
 * Runs one drawn history of a town with its watchdog chain in virtual time: the shipped street, loop, store, alerts and mail, and of
 * the chain's hands those that read and write files, over a Deacon that dies, hangs, is paused, accused and asks for its end. The
 * town is killed with -9 between any two steps of its hands and its disk. The same seed gives the same log.
 */
import type { Request, SessionSpec } from '../../machines/protocol.ts';
import { POLICY, type Policy } from '../../machines/policy.ts';
import { FILES, paths } from '../../state/files/layout.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { warrantText } from '../../state/hearings/warrants.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { noteText, pauseText } from '../../state/watchdog/records.ts';
import { Chance } from '../world/chance.ts';
import { SimDisk } from '../world/disk.ts';
import { warrant } from '../world/drive.ts';
import { running, specOf } from '../world/records.ts';
import { ChainTown } from './chain-town.ts';
import { CALM_AT, ChainWorld, DEACON, ENDS_AT, WORKER } from './chain-world.ts';
import type { ChainEntry, ChainHistory, ChainPlant, Deed, Life, Line } from './chain-world.ts';
import { MortalSim } from './mortal.ts';
import { SIM_POLICY, SIM_STATE } from './policy.ts';

const SECOND = 1_000;
const HEARTBEAT_MS = 10 * SECOND;
const BEAT_MS = 3 * SECOND;

const policyOf = ({ line }: { readonly line: Line | 'none' }): Policy => ({
  ...SIM_POLICY,
  dance: { ...SIM_POLICY.dance, heardWithinMs: 60 * SECOND },
  watchdog: {
    ...POLICY.watchdog,
    heartbeatMs: HEARTBEAT_MS,
    deaconCheck: line === 'all' || line === 'daemon',
    discovery: line === 'all' || line === 'discovery',
    boot: {
      enabled: line === 'all' || line === 'boot',
      staleMs: 12 * SECOND,
      veryStaleMs: 25 * SECOND,
      startGraceMs: 8 * SECOND,
      maxAheadMs: 20 * SECOND,
      runningTtlMs: 15 * SECOND,
      deadlineMs: 4 * SECOND,
    },
    deacon: {
      ...POLICY.watchdog.deacon,
      beatMs: BEAT_MS,
      activeMs: 4 * SECOND,
      idleMs: 8 * SECOND,
      healthWaitMs: 5 * SECOND,
    },
  },
});

export interface ChainRan {
  readonly log: readonly ChainEntry[];
  readonly kills: number;
  readonly steps: number;
  /** What is wrong with what the town left in the end, in words. */
  readonly left: readonly string[];
}

export class ChainSim extends MortalSim {
  readonly history: ChainHistory;
  readonly plant: ChainPlant | null;
  readonly chance: Chance;
  readonly world = new ChainWorld(() => this.time.now);
  readonly policy: Policy;
  readonly spec: SessionSpec;
  kills = 0;
  #letters = 0;
  #fuses: number[];
  #blowAt = Infinity;

  constructor(history: ChainHistory, plant: ChainPlant | null = null) {
    super();
    this.history = history;
    this.plant = plant;
    this.chance = new Chance(history.seed ^ 0xdeac0);
    this.policy = policyOf(plant === 'nobody looks' ? { ...history, line: 'none' } : history);
    this.spec = specOf(DEACON, { restart: history.restart });
    this.#fuses = [...history.fuses];
    for (const spec of [this.spec, specOf(WORKER)]) {
      if (history.isActor && spec === this.spec) continue;
      const { incarnation } = this.world.bear(spec.name, `${spec.name}-0`);
      this.disk.put(paths.session(spec.name), sessionText(running(incarnation, spec, { startedAt: this.wall })));
    }
    for (const deed of history.deeds) this.time.at(deed.at, () => this.#do(deed));
    this.time.at(CALM_AT, () => this.#calm());
    this.#beat();
  }

  get isCalm(): boolean {
    return this.time.now >= CALM_AT;
  }

  async run(): Promise<ChainRan> {
    const left = await this.play(ENDS_AT, () => this.#left);
    return { log: this.world.log, kills: this.kills, steps: this.steps, left };
  }

  protected isLast(step: number): boolean {
    return step >= this.#blowAt && !this.isCalm;
  }
  protected died(): number {
    this.kills += 1;
    this.world.tell({ what: 'killed' });
    return 200 + this.chance.upTo(12 * SECOND);
  }
  protected make(): ChainTown {
    const fuse = this.#fuses.shift();
    this.#blowAt = fuse === undefined ? Infinity : this.steps + fuse;
    this.world.tell({ what: 'booted' });
    return new ChainTown(this);
  }

  /** A Deacon that is not stuck beats by itself, whatever becomes of the town. */
  #beat(): void {
    const life = this.world.living(DEACON);
    if (life !== undefined && !life.isHung) {
      const { uuid } = life.incarnation;
      const beat = { at: this.wall, cycle: 1, lastAction: '', healthy: 1, unhealthy: 0, incarnation: uuid };
      this.disk.put(FILES.heartbeat, noteText('heartbeat', { ...beat, nextDueAt: this.wall + BEAT_MS }));
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

  #for(ms: number, become: (is: boolean) => void): void {
    become(true);
    this.time.at(this.time.now + ms, () => become(false));
  }

  #request(request: Request): void {
    this.announce({ type: 'REQUESTED', rpc: `r${this.chance.upTo(1e9)}`, request });
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
        return this.#for(forMs, (is) => this.#pause(is));
      case 'tmux is silent':
        return this.#for(forMs, (is) => this.#hide(is));
      case 'is busy':
      case 'waits for a person':
        return this.#for(forMs, (is) => (world.mood = !is ? 'idle' : does === 'is busy' ? 'busy' : 'blocked'));
      case 'is checked':
        world.tell({ what: 'wanted', triage: false });
        return this.#request({ verb: 'healthCheck', session: null });
      case 'triage':
        world.tell({ what: 'wanted', triage: true });
        return this.#request({ verb: 'bootTriage' });
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
      ...(this.town?.isDead === false ? [] : ['no town runs']),
      ...files.flatMap(([path, text]) => {
        const isWrong = path === FILES.bootRunning || /^deacon\/dogs\/(active|warrants)\/.*\.json$/.test(path);
        return isWrong || (isLetter(path) && text.includes('LIFECYCLE')) ? [path] : [];
      }),
    ];
  }
}
