/**
 * The scene of the watchdog chain: two agents, one of them the Deacon that dies, hangs, is paused, accused and asks for its end, and a
 * tmux that is silent at times.
 */
import type { Order, Request, SessionSpec } from '../../machines/protocol.ts';
import type { PaneMood } from '../../machines/protocol/watchdog.ts';
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { TownInput } from '../../machines/town.ts';
import type { Hands, Perform } from '../../src/ports/ports.ts';
import { FILES, paths } from '../../state/files/layout.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { noteText, pauseText } from '../../state/watchdog/records.ts';
import { DEACON as SPEC } from '../world/deacon.ts';
import { townInput } from '../world/drive.ts';
import { running, specOf } from '../world/records.ts';
import { DEAF, type Life } from './agent-plans.ts';
import { CALM_AT, ENDS_AT, type ChainHistory, type Deed, type Line } from './chain-history.ts';
import { watchdogHandsOf } from './hands-watchdog.ts';
import type { Plant } from './plants.ts';
import { SIM_POLICY } from './policy.ts';
import type { TownProcess } from './town.ts';
import { TownWorld } from './town-world.ts';

export const DEACON = SPEC.name;
const WORKER = 'worker';
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

export class Chain extends TownWorld {
  readonly history: ChainHistory;
  readonly #policy: Policy;
  readonly #spec: SessionSpec;
  #mood: PaneMood = 'idle';
  #isPaused = false;
  #letters = 0;
  #wasUp = false;

  constructor(history: ChainHistory, plant: Plant | null = null) {
    super({ seed: history.seed ^ 0xdeac0, plant, fuses: history.fuses });
    this.history = history;
    this.#policy = policyOf(plant === 'never looks' ? { ...history, line: 'none' } : history);
    this.#spec = specOf(DEACON, { restart: history.restart });
    this.agents.onAsked = (life, code) => this.#hear(life, code);
    for (const spec of [this.#spec, specOf(WORKER)]) {
      if (history.isActor && spec === this.#spec) continue;
      const { incarnation } = this.agents.settle({ ...DEAF, name: spec.name, restart: spec.restart, evidenceAt: 0 });
      this.disk.put(paths.session(spec.name), sessionText(running(incarnation, spec, { startedAt: this.wall })));
    }
    for (const deed of history.deeds) this.time.at(deed.at, () => this.#do(deed));
    this.time.at(CALM_AT, () => this.#calm());
    this.#beat();
  }

  override get isCalm(): boolean {
    return this.time.now >= CALM_AT;
  }
  protected override downMs(): number {
    return 200 + this.chance.upTo(12 * SECOND);
  }
  override inputOf(nth: number): TownInput {
    const { isActor, seed } = this.history;
    const chain = { deacon: isActor ? null : this.#spec, life: `town-${nth}` };
    return townInput(this.#policy, { entropy: `${seed}/${nth}`, chain });
  }
  override handsOf(town: TownProcess, common: Hands): Partial<Hands> {
    const watched = {
      deacon: DEACON,
      actor: `town-${town.number}`,
      mood: () => this.#mood,
      turnMs: () => 1 + this.chance.upTo(4),
    };
    const all = Object.entries({ ...common, ...watchdogHandsOf(town, watched, common) });
    return Object.fromEntries(
      all.map(([type, hand]) => [
        type,
        (order: Order, signal: AbortSignal) => {
          const { issuer, round = 0, verb = '' } = order.id;
          if (issuer === 'daemon' || issuer === 'boot') this.tell({ what: 'ordered', type, issuer, round, verb });
          return (hand as Perform)(order, signal);
        },
      ]),
    );
  }

  async run(): Promise<void> {
    this.boot();
    await this.pass(() => ENDS_AT);
    this.#wasUp = !this.isDown;
    if (this.newest !== null) this.newest.isDead = true;
  }

  override typed(life: Life): void {
    if (this.chance.isHit(0.3)) this.agents.hang(life, false);
  }

  /** It may come to, and answers soon. */
  #hear(life: Life, code: string): void {
    if (!this.chance.isHit(life.isHung ? 0.1 : 0.7)) return;
    this.agents.hang(life, false);
    this.in(this.chance.upTo(3 * SECOND), () => this.agents.answer(life, code, 'screen'));
  }

  /** A Deacon that is not stuck beats by itself, also while the town is down. */
  #beat(): void {
    const life = this.agents.living(DEACON);
    if (life !== undefined && !life.isHung) {
      const { uuid } = life.incarnation;
      const beat = { at: this.wall, cycle: 1, lastAction: '', healthy: 1, unhealthy: 0, incarnation: uuid };
      this.disk.put(FILES.heartbeat, noteText('heartbeat', { ...beat, nextDueAt: this.wall + BEAT_MS }));
    }
    this.in(BEAT_MS, () => this.#beat());
  }

  #calm(): void {
    this.#pause(false);
    this.#hide(false);
    this.#mood = 'idle';
  }

  #pause(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    this.tell({ what: isPaused ? 'paused' : 'resumed' });
    if (isPaused) this.disk.put(FILES.paused, pauseText({ since: '', by: 'operator', reason: '' }));
    else this.disk.take(FILES.paused);
  }

  #hide(isHidden: boolean): void {
    if (this.agents.isHidden === isHidden) return;
    this.agents.isHidden = isHidden;
    this.tell({ what: isHidden ? 'hidden' : 'shown' });
  }

  #request(request: Request): void {
    this.announce({ type: 'REQUESTED', rpc: `r${this.chance.upTo(1e9)}`, request });
  }

  #accuse(life: Life | undefined, force: boolean): void {
    if (life !== undefined) this.accuse(life, { id: `w${this.chance.upTo(1e9)}`, requester: 'overseer', force });
  }

  /** `as`: whose life it says that it is from. */
  #write(life: Life | undefined, word: string, as = life): void {
    if (life?.alive !== true || as === undefined) return;
    const { session, uuid } = as.incarnation;
    const then = !as.alive ? 'nothing' : word === 'shutdown' ? 'end' : 'restart';
    this.#letters += 1;
    const id = `m-${this.#letters}`;
    this.tell({ what: 'wrote', life: uuid, letter: id, then });
    const letter = { id, from: session, subject: `LIFECYCLE: ${word}`, body: '', incarnation: uuid };
    const flags = { via: 'agent', urgent: false, needs_response: false, sentAt: this.wall } as const;
    void this.boxOf('deacon')
      .send({ ...letter, ...flags })
      .then(() => {
        if (this.chance.isHit(0.7)) this.announce({ type: 'CHANGED', what: 'mail' });
      });
  }

  #do({ does, forMs }: Deed): void {
    const { agents, chance } = this;
    const [deacon, worker] = [agents.living(DEACON), agents.living(WORKER)];
    switch (does) {
      case 'crashes':
        return agents.end(deacon, 'crash');
      case 'leaves':
        return agents.end(deacon, 'clean exit');
      case 'worker crashes':
        return agents.end(worker, 'crash');
      case 'hangs':
        return agents.hang(deacon, true);
      case 'hangs, accused':
        agents.hang(deacon, true);
        return this.#accuse(deacon, false);
      case 'cameTo':
        return agents.hang(deacon, false);
      case 'accused':
        return this.#accuse(deacon, false);
      case 'accusedByForce':
        return this.#accuse(deacon, true);
      case 'worker asks':
        return this.#write(worker, chance.oneOf(['restart', 'cycle', 'shutdown']));
      case 'deacon asks':
        return this.#write(deacon, chance.oneOf(['restart', 'restart', 'shutdown']));
      case 'an older life asks': {
        const old = [...agents.lives.values()].find(({ alive }) => !alive);
        return this.#write(agents.living(old?.incarnation.session ?? ''), 'restart', old);
      }
      case 'pauses':
        return this.during(forMs, (is) => this.#pause(is));
      case 'tmux is silent':
        return this.during(forMs, (is) => this.#hide(is));
      case 'is busy':
      case 'waits for a person':
        return this.during(forMs, (is) => (this.#mood = !is ? 'idle' : does === 'is busy' ? 'busy' : 'blocked'));
      case 'is checked':
        this.tell({ what: 'wanted', triage: false });
        return this.#request({ verb: 'healthCheck', session: null });
      case 'triage':
        this.tell({ what: 'wanted', triage: true });
        return this.#request({ verb: 'bootTriage' });
      case 'is lost':
        // There is no record of it any more, nor does it live; that it asked to stay ended would be lost with it.
        if (deacon === undefined) return;
        agents.end(deacon, 'crash', false);
        this.kill();
        this.disk.take(paths.session(DEACON));
    }
  }

  /** What must be over once all was calm for long. */
  get left(): string[] {
    const files = [...this.disk.files()];
    const isLetter = (path: string): boolean => /^mail\/deacon\/(new|cur)\//.test(path);
    return [
      ...(this.#wasUp ? [] : ['no town runs']),
      ...files.flatMap(([path, text]) => {
        const isWrong = path === FILES.bootRunning || /^deacon\/dogs\/(active|warrants)\/.*\.json$/.test(path);
        return isWrong || (isLetter(path) && text.includes('LIFECYCLE')) ? [path] : [];
      }),
    ];
  }
}
