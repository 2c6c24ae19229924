/**
 * The agents of a simulated world: sessions and their lives, processes, what stands on screens, who presses keys.
 * 1. They know nothing of dances beyond the words of the orders; what an agent does depends on what was typed to it.
 * 2. A life never comes back: a new one of the same name has other processes, another pane, another uuid.
 */
import type { Incarnation, Proc } from '../../machines/protocol.ts';
import type { Cause, Death } from './log.ts';
import type { World } from './world.ts';
import { type Session, type Life, type Login, type TargetPlan, DEAF, keyOf } from './agent-plans.ts';

const SERVER: Proc = { pid: 500, started: '1@boot' };

export class Agents {
  readonly sessions = new Map<string, Session>();
  readonly lives = new Map<string, Life>();
  /** Whose process it is, dead or alive. */
  readonly ownerOf = new Map<string, Life>();
  /** No session can be seen or typed into. */
  isHidden = false;
  /** Puts an answer file there and wakes the town. */
  onAnswer: (life: Life, code: string) => void = () => undefined;
  /** A question stands on its screen: it may answer, later. */
  onAsked: (life: Life, code: string, nth: number) => void = (life, code, nth) => this.#answerLater(life, code, nth);
  /** What its screen shows besides: a scene's word, as `truthOf` has them. */
  screenOf: (life: Life) => 'login' | 'evidence' | null = () => null;
  readonly #world: Pick<World, 'time' | 'tell'>;
  #login: Login | null = null;
  #isRenewed = false;
  #born = 0;

  constructor(world: Pick<World, 'time' | 'tell'>) {
    this.#world = world;
  }

  /** The account that they share. */
  share(login: Login | null): void {
    this.#login = login;
    if (login !== null) this.#world.time.at(login.backAt, () => this.#logIn());
  }

  /** The login in its file now. */
  get credential(): string {
    if (this.#isRenewed) return 'renewed';
    return this.#login !== null && this.#world.time.now >= this.#login.backAt ? 'new' : 'old';
  }

  isLoggedOut({ session, login }: Pick<Life, 'session' | 'login'>): boolean {
    return this.#login !== null && session.plan.shares && login === 'old' && this.#world.time.now >= this.#login.deadAt;
  }

  /** A person logs in everywhere. */
  renew(): void {
    this.#isRenewed = true;
    for (const life of this.lives.values()) life.login = this.credential;
  }

  /** In one of the sessions that show that the login is dead. The others do not see the new one. */
  #logIn(): void {
    const life = [...this.lives.values()].find(({ alive, session }) => alive && session.plan.shares);
    if (life !== undefined) life.login = 'new';
  }

  /** A session, with its first life. */
  settle(plan: TargetPlan, uuid = `life-${plan.name}`): Life {
    const { dies, name, replacedAt, hindered } = plan;
    const { time } = this.#world;
    const session: Session = { plan, lives: [], current: null, fate: null };
    this.sessions.set(name, session);
    const first = this.bear(session, uuid, 'other');
    if (dies !== null) session.fate = { ...dies, times: dies.again };
    for (const { cause, from, to } of hindered)
      time.at(from, () => this.#world.tell({ what: 'hindered', session: name, cause, until: to }));
    if (dies) time.at(dies.at, () => this.die(first, dies.of, dies.shown));
    if (replacedAt < Infinity) time.at(replacedAt, () => this.#replace(session));
    return first;
  }

  /** It is another one from now on. */
  become(name: string, more: Partial<TargetPlan>): void {
    const session = this.sessions.get(name);
    if (session !== undefined) session.plan = { ...session.plan, ...more };
  }
  /** A session begins: its first life, or its next one. */
  begin(name: string, uuid: string): Life {
    const session = this.sessions.get(name);
    return session === undefined
      ? this.settle({ ...DEAF, name, restart: 'temporary' }, uuid)
      : this.bear(session, uuid, 'other');
  }
  newest(name: string): Life | undefined {
    return this.sessions.get(name)?.lives.at(-1);
  }
  planOf({ session }: Pick<Incarnation, 'session'>): TargetPlan {
    const plan = this.sessions.get(session)?.plan;
    if (plan === undefined) throw new Error(`no session ${session}`);
    return plan;
  }
  hasProcess(key: string): boolean {
    return this.ownerOf.get(key)?.procs.has(key) === true;
  }

  living(name: string): Life | undefined {
    const life = this.newest(name);
    return life?.alive === true ? life : undefined;
  }

  /** A new life takes the session's name. */
  bear(session: Session, uuid: string, by: 'town' | 'other'): Life {
    this.#born += 1;
    const { fate } = session;
    const { name, origin, restart } = session.plan;
    const n = this.#born;
    const agent = { pid: 1_000 + 10 * n, started: `${n}@boot` };
    const child = { pid: 1_001 + 10 * n, started: `${n}@boot` };
    const life: Life = {
      uuid,
      session,
      alive: true,
      pane: true,
      exit: null,
      forked: 0,
      login: this.credential,
      isHung: false,
      typedAt: -Infinity,
      incarnation: { uuid, session: name, server: SERVER, sessionId: `$${n}`, paneId: `%${n}`, agent, origin },
      procs: new Set([keyOf(agent), keyOf(child)]),
      codes: new Map(),
      said: new Set(),
    };
    const others = session.lives.filter((other) => other.alive).length;
    const isDoomed = this.isLoggedOut(life);
    this.#world.tell({ what: 'born', life: uuid, session: name, by, others, restart, isDoomed });
    for (const key of life.procs) this.ownerOf.set(key, life);
    if (fate !== null && fate.times > 0) {
      fate.times -= 1;
      this.#world.time.at(this.#world.time.now + fate.afterMs, () => this.die(life, fate.of, fate.shown));
    }
    session.lives.push(life);
    session.current = life;
    this.lives.set(uuid, life);
    return life;
  }

  die(life: Life, of: Death, shown: boolean): void {
    if (!life.alive) return;
    life.alive = false;
    life.procs.clear();
    life.exit = !shown ? null : of === 'clean exit' ? { kind: 'code', code: 0 } : { kind: 'code', code: 1 };
    if (of === 'signal') life.exit = { kind: 'signal', signal: 'SIGTERM' };
    this.#world.tell({ what: 'died', life: life.uuid, session: life.session.plan.name, of, shown });
    if (!shown) this.removePane(life);
  }

  /** By itself. `leaves`: what it started runs on. */
  end(life: Life | undefined, of: Death, shown = true, leaves = false): void {
    if (life === undefined) return;
    const rest = [...life.procs].filter((key) => key !== keyOf(life.incarnation.agent));
    this.die(life, of, shown);
    if (leaves) for (const key of rest) life.procs.add(key);
  }

  removePane(life: Life): void {
    life.pane = false;
    if (life.session.current === life) life.session.current = null;
  }

  #replace(session: Session): void {
    if (session.current) this.die(session.current, 'replacement', false);
    this.bear(session, `other-${session.plan.name}`, 'other');
  }

  /** Why no process of this life may be signalled; null = each may. */
  refusalOf({ alive, session }: Life): string | null {
    return alive && this.#world.time.now >= session.plan.untouchableAt ? 'the town runs below it, simulated' : null;
  }

  hang(life: Life | undefined, isHung: boolean): void {
    if (life?.alive !== true || life.isHung === isHung) return;
    life.isHung = isHung;
    this.#world.tell({ what: isHung ? 'hung' : 'cameTo', life: life.uuid });
  }

  isHindered(session: Session, cause: Cause): boolean {
    if (cause === 'hidden' && this.isHidden) return true;
    const { now } = this.#world.time;
    return session.plan.hindered.some((h) => h.cause === cause && now >= h.from && now < h.to);
  }

  /** What a look at this life must find now, the answer file aside. `code` = the one that counts. */
  truthOf(life: Life, code: string | null): string {
    const { session } = life;
    if (this.isHindered(session, 'hidden')) return 'hidden';
    if (session.current !== life) return session.current === null ? 'absent' : 'replaced';
    if (!life.alive) return 'dead';
    if (code !== null && life.said.has(code)) return 'answered';
    if (this.isHindered(session, 'dialog')) return 'dialog';
    if (this.isHindered(session, 'limited')) return 'limited';
    if (this.isHindered(session, 'person')) return 'person';
    if (this.#world.time.now >= session.plan.evidenceAt && !life.isHung) return 'evidence';
    return this.screenOf(life) ?? 'silent';
  }

  /** A question stands on the screen. */
  type(town: number, dance: string, life: Life, code: string): void {
    this.#world.tell({ what: 'asked', town, dance, life: life.uuid, code });
    const codes = life.codes.get(dance) ?? [];
    if (!codes.includes(code)) codes.push(code);
    life.codes.set(dance, codes);
    this.onAsked(life, code, codes.indexOf(code) + 1);
  }

  #answerLater(life: Life, code: string, nth: number): void {
    const { answer } = life.session.plan;
    if (answer === null || answer.attempt !== nth) return;
    this.#world.time.at(this.#world.time.now + answer.afterMs, () => this.answer(life, code, answer.by));
  }

  answer(life: Life, code: string, by: 'file' | 'screen'): void {
    if (!life.alive || life.said.has(code)) return;
    if (by === 'screen') life.said.add(code);
    else this.onAnswer(life, code);
    this.#world.tell({ what: 'answered', life: life.uuid, code, by });
  }

  /** It answers at TERM; the code is the one it was asked for last. */
  #rouse(life: Life): void {
    const { answersTerm } = life.session.plan;
    const code = [...life.codes.values()].at(-1)?.at(-1);
    if (answersTerm === null || code === undefined) return;
    this.#world.time.at(this.#world.time.now + answersTerm, () => this.answer(life, code, 'screen'));
  }

  /** One signal to one process; the caller compared pid and start time. False = it was gone. */
  signal(key: string, signal: string): boolean {
    const life = this.ownerOf.get(key);
    if (life?.procs.has(key) !== true) return false;
    const { immortal, trapsTerm, forks } = life.session.plan;
    if (life.forked < forks) {
      life.forked += 1;
      const child = keyOf({ pid: life.incarnation.agent.pid + 1 + life.forked, started: `${this.#born}f@boot` });
      life.procs.add(child);
      this.ownerOf.set(child, life);
    }
    if (signal === 'TERM') this.#rouse(life);
    if (immortal || (trapsTerm && signal === 'TERM')) return true;
    life.procs.delete(key);
    this.#world.tell({ what: 'fell', life: life.uuid, proc: key });
    if (key !== keyOf(life.incarnation.agent)) return true;
    const rest = [...life.procs];
    this.die(life, 'signal', true);
    for (const other of rest) life.procs.add(other); // children outlive their parent
    return true;
  }
}
