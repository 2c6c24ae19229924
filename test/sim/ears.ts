/**
 * The scene of ears: workers of one account that work, rest, ask, reach limits and lose their login, an orchestrator that reads now and
 * then, work that a person sends, and the monitor and the stall watch, which hear of all that from sources that may lie, be late or be
 * missing.
 */
import { DEFAULTS } from '../../src/config/settings.ts';
import { REPORT_STATUSES, type Incarnation, type ReportStatus, type Spoken } from '../../machines/protocol.ts';
import type { TownInput } from '../../machines/town.ts';
import type { Hands } from '../../src/ports/ports.ts';
import type { EvidenceFound } from '../../src/tickle/evidence.ts';
import { paths } from '../../state/files/layout.ts';
import { REPORTS } from '../../state/monitor/reports.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { townInput } from '../world/drive.ts';
import { running } from '../world/records.ts';
import { DEAF, type Life, type TargetPlan } from './agent-plans.ts';
import { earsHandsOf } from './hands-ears.ts';
import type { Cause } from './log.ts';
import { Minds } from './minds.ts';
import type { Plant } from './plants.ts';
import { SIM_POLICY } from './policy.ts';
import type { TownProcess } from './town.ts';
import { TownWorld } from './town-world.ts';
import { SECOND, LIMITS, type EarsHistory, WORKERS, ORCHESTRATOR, CALM_AT, ENDS_AT, type Act } from './ears-history.ts';

/** The town's numbers, scaled. */
export const COOLDOWN_MS = 120 * SECOND;
const POLICY = {
  ...SIM_POLICY,
  dance: { ...SIM_POLICY.dance, heardWithinMs: 60 * SECOND },
  sessions: { ...SIM_POLICY.sessions, scanEveryMs: 4 * SECOND, ...LIMITS },
  monitor: { ...SIM_POLICY.monitor, pollIntervalSecs: 10, nudgeEveryMs: 30 * SECOND, unreadMs: 100 * SECOND },
  tickle: {
    ...SIM_POLICY.tickle,
    enabled: true,
    thresholdMs: 60 * SECOND,
    scanMs: 15 * SECOND,
    ackMs: 20 * SECOND,
    graceMs: 15 * SECOND,
    cooldownMs: COOLDOWN_MS,
    bell: ['ring'],
    nicks: ['w0'],
  },
};

export class Ears extends TownWorld {
  readonly minds: Minds;
  readonly monitor = POLICY.monitor;
  /** By the uuid of a life. */
  readonly conversations = new Map<string, string>();
  override readonly nudgeEveryMs = 20 * SECOND;
  readonly #seed: number;
  readonly #signs = new Map<string, number>();
  #sends = 0;
  #warrants = 0;

  constructor({ seed, sources, shares, answers, login, acts, fuses }: EarsHistory, plant: Plant | null = null) {
    super({ seed: seed ^ 0xea45, plant, fuses });
    this.#seed = seed;
    this.minds = new Minds(this, sources);
    this.agents.screenOf = (life) => {
      const state = this.minds.stateOf(life);
      return state === 'working' ? 'evidence' : state === 'logged_out' ? 'login' : null;
    };
    for (const name of [...WORKERS, ORCHESTRATOR]) {
      const plan: TargetPlan = {
        ...DEAF,
        name,
        restart: 'permanent',
        shares: shares[name] ?? false,
        answer: answers[name] === true ? { attempt: 1, afterMs: 2 * SECOND, by: 'screen' } : null,
      };
      const { incarnation } = this.agents.settle(plan);
      const tags = name === ORCHESTRATOR ? [this.monitor.orchestratorTag] : ['worker'];
      const conversation = this.speaks(incarnation);
      const more = { startedAt: this.wall, conversation: { ...conversation, deaths: 0 } };
      this.disk.put(paths.session(name), sessionText(running(incarnation, { tags }, more)));
    }
    this.agents.share(login);
    for (const act of acts) this.time.at(act.at, () => this.#do(act));
    this.time.at(CALM_AT, () => this.#calm());
  }

  override get isCalm(): boolean {
    return this.time.now >= CALM_AT;
  }
  protected override downMs(): number {
    return 200 + this.chance.upTo(12 * SECOND);
  }
  override inputOf(nth: number): TownInput {
    return townInput(POLICY, { entropy: `${this.#seed}/${nth}`, monitors: true, rigs: DEFAULTS.patrols });
  }
  override handsOf(town: TownProcess, common: Hands): Partial<Hands> {
    return earsHandsOf(town, this, common);
  }

  async run(): Promise<void> {
    this.boot();
    await this.pass(() => ENDS_AT);
    if (this.newest !== null) this.newest.isDead = true;
  }

  override shows(life: Life): string {
    if (this.agents.isHindered(life.session, 'person')) return 'person';
    const state = this.minds.stateOf(life);
    // What is drawn of a limit whose time is over stops no words.
    if (state === 'limited' && !this.agents.isHindered(life.session, 'limited')) return 'idle';
    return state === 'asks' ? 'dialog' : state;
  }
  /** When the limit of this one ends, or ended; null = it names no time. */
  limitEndOf({ session: { plan } }: Life): number | null {
    const ends = plan.hindered.flatMap(({ cause, from, to }) =>
      cause === 'limited' && from <= this.time.now ? [to] : [],
    );
    return plan.shares && ends.length > 0 ? Math.max(...ends) : null;
  }
  /** Words or a bell: it may go on. */
  override typed(life: Life): void {
    if (this.chance.isHit(0.6)) this.minds.works(life, 5 * SECOND + this.chance.upTo(40 * SECOND));
  }
  ring(life: Life): void {
    this.tell({ what: 'rang', life: life.uuid });
    if (this.chance.isHit(0.3)) this.typed(life);
  }
  /** A line to it in the channel of IRC. */
  hails(life: Life): void {
    this.tell({ what: 'hailed', life: life.uuid });
  }
  override replied(town: TownProcess, to: string, ok: boolean): void {
    const [, send, session] = /^send (\S+) (\S+)$/.exec(to) ?? [];
    if (send === undefined || session === undefined) return;
    else if (ok) this.tell({ what: 'sent', send, session });
  }

  /** A life begins its conversation, or goes on with one. The same start again changes nothing. */
  speaks({ uuid, session }: Incarnation, resume?: string): Spoken {
    const known = this.conversations.get(uuid);
    const id = known ?? resume ?? uuid;
    const resumed = id !== uuid;
    this.conversations.set(uuid, id);
    if (known === undefined) this.tell({ what: 'spoke', session, life: uuid, conversation: id, resumed });
    return { id, resumed };
  }

  /** Rows of tmux: clients at whose keys a person is. */
  get clients(): readonly string[] {
    const seconds = Math.floor(this.wall / SECOND);
    return [...this.agents.sessions.values()].flatMap((session) =>
      session.current !== null && this.agents.isHindered(session, 'person')
        ? [`client 0 ${seconds} ${session.current.incarnation.sessionId}`]
        : [],
    );
  }
  signOf(name: string): EvidenceFound {
    const at = this.#signs.get(name);
    const silentMs = at === undefined ? null : this.time.now - at;
    const lastAt = silentMs === null ? null : this.wall - silentMs;
    return { name, lastAt, silentMs, sign: at === undefined ? null : 'note', hook: null, signals: null };
  }

  #hinder(name: string, cause: Cause, forMs: number): void {
    const { plan } = this.agents.sessions.get(name)!;
    const until = Math.min(CALM_AT, this.time.now + forMs);
    this.agents.become(name, { hindered: [...plan.hindered, { cause, from: this.time.now, to: until }] });
    this.tell({ what: 'hindered', session: name, cause, until });
    const life = this.agents.living(name);
    if (life === undefined) return;
    this.minds.stateOf(life);
    this.time.at(until, () => this.minds.stateOf(life));
  }

  async #read(): Promise<void> {
    const box = this.boxOf(`tag/${this.monitor.orchestratorTag}`);
    await box.archiveAll((await box.inbox()).map(({ id }) => id));
  }

  #send(session: string): void {
    this.#sends += 1;
    const send = `s${this.#sends}`;
    const request = { verb: 'send', name: session, send, text: `do ${send}`, from: 'overseer' } as const;
    this.announce({ type: 'REQUESTED', rpc: `send ${send} ${session}`, via: 'operator', request });
  }

  #report(life: Life | undefined, status: ReportStatus): void {
    if (life === undefined) return;
    const { uuid, session } = life.incarnation;
    const { path, text } = REPORTS.fileOf({ session, uuid, status, message: null, outcome: null, at: this.wall });
    this.disk.put(path, text);
    this.tell({ what: 'reported', life: uuid, status });
    this.announce({ type: 'CHANGED', what: 'reports' });
  }

  #do({ does, who, forMs }: Act): void {
    const { agents, minds } = this;
    const life = agents.living(who);
    switch (does) {
      case 'works':
        return minds.works(life, forMs);
      case 'rests':
        return minds.rests(life, 'idle');
      case 'is done':
        return minds.rests(life, 'done');
      case 'fails':
        return minds.rests(life, 'error');
      case 'is denied':
        return minds.rests(life, 'denied');
      case 'asks':
        return this.#hinder(who, 'dialog', forMs);
      case 'is limited':
        // An account's.
        for (const { plan } of agents.sessions.values()) if (plan.shares) this.#hinder(plan.name, 'limited', forMs);
        return;
      case 'a person types':
        return this.#hinder(who, 'person', forMs);
      case 'crashes':
        return agents.end(life, 'crash');
      case 'all crash':
        for (const name of WORKERS) agents.end(agents.living(name), 'crash');
        return;
      case 'leaves':
        return agents.end(life, 'clean exit');
      case 'work is sent':
        return this.#send(who);
      case 'is accused':
        this.#warrants += 1;
        if (life !== undefined)
          this.accuse(life, { id: `w${this.#warrants}`, requester: 'overseer', force: false, wakes: 1 });
        return;
      case 'reports':
        return this.#report(life, this.chance.oneOf(REPORT_STATUSES));
      case 'is restarted':
        return this.announce({
          type: 'REQUESTED',
          rpc: `restart ${who}`,
          via: 'operator',
          request: { verb: 'stopSession', name: who, then: 'restart', force: false },
        });
      case 'writes evidence':
        return void this.#signs.set(who, this.time.now);
      case 'letters are read':
        return void this.#read();
      case 'tmux is silent':
        this.tell({ what: 'hidden' });
        agents.isHidden = true;
        this.in(Math.min(forMs, 20 * SECOND), () => this.#show());
    }
  }

  #show(): void {
    if (!this.agents.isHidden) return;
    this.agents.isHidden = false;
    this.tell({ what: 'shown' });
  }

  /** All sources are honest, all are logged in and work, and letters are read. */
  #calm(): void {
    this.#show();
    this.minds.isHonest = true;
    // A source that lied of the login leaves it to a person.
    this.agents.renew();
    const goOn = (): void => {
      for (const life of this.agents.lives.values()) if (life.alive) this.minds.works(life, 10 * SECOND);
      void this.#read();
      this.in(15 * SECOND, goOn);
    };
    goOn();
  }
}
