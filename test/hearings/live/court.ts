/** A tmux server with real panes, and the two hands of a hearing with short times, for the tests of this folder. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { healthQuestion } from '../../../machines/watchdog/health-rules.ts';
import { HANDS, type HandsPolicy } from '../../../src/ports/policy.ts';
import { POLICY as TOWN } from '../../../machines/policy.ts';
import type { Attempt, Incarnation, OrderId, OutcomeBody, Proc, Observation } from '../../../machines/protocol.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { answerDialogHand } from '../../../src/hearings/answer-dialog.ts';
import { askHand } from '../../../src/hearings/ask.ts';
import { CpuSampler } from '../../../src/hearings/cpu.ts';
import { Dialogs, type AsksNow } from '../../../src/hearings/dialog.ts';
import { lookHand, type LookDeps } from '../../../src/hearings/look.ts';
import { Memory } from '../../../src/hearings/memory.ts';
import { nudgeHand } from '../../../src/hearings/nudge.ts';
import type { Give } from '../../../src/sources/gives.ts';
import { findPane } from '../../../src/hearings/pane.ts';
import { viewOf } from '../../../src/hearings/view.ts';
import type { Heard } from '../../../src/sources/port.ts';
import { dialogOn, type DialogOnScreen } from '../../../src/screen/dialog.ts';
import { takeOutPutBack } from '../../../src/hearings/put-back.ts';
import { withKeysForgotten } from '../../../src/hearings/pressed-key.ts';
import { PaneQueue } from '../../../src/hearings/queue.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { makeFolders } from '../../../state/folders.ts';
import type { Nudged, Nudges } from '../../../state/sessions/nudges.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { Asking } from '../../../src/overview/asking.ts';
import { NONE_HELD } from '../../../src/sources/held-questions.ts';
import { Sources } from '../../../src/sources/sources.ts';
import { Packs } from '../../../src/screen/packs.ts';
import { ControlTmux } from '../../../src/tmux/client.ts';
import { withServer, type TestServer } from '../../tmux/server.ts';
import { question, attemptOf } from './questions.ts';
import { never, nudgesIn } from './nudges.ts';
import type { CourtOptions, StartOptions } from './court-options.ts';

export const table = createProcesses();
const PACKS = new Packs({ folder: join(import.meta.dirname, '../../fixtures/packs') });
const POLICY: HandsPolicy = { ...HANDS, enterAfterMs: 80, evidenceAfterMs: 400, personWithinMs: 60_000 };
/** Longer than any machine is slow, shorter than a test may take: who waits in vain says for what. */
const MAX_POLLS = 2_000;
const POLL_MS = 50;

const TRIES = 10;

export class Court implements AsyncDisposable {
  readonly server: TestServer;
  policy: HandsPolicy;
  readonly tmux: ControlTmux;
  readonly cpu: CpuSampler;
  readonly filed = new Set<string>();
  heartbeat: number | null = null;
  isProtected = (_session: string): boolean => false;
  /** Of a look that must see rest. */
  isAtRest: LookDeps['isAtRest'] = () => Promise.resolve(false);
  #nudges: Nudges;
  #memory: Memory;
  readonly #queue = new PaneQueue();

  private constructor(server: TestServer, policy: HandsPolicy) {
    this.server = server;
    this.policy = policy;
    this.#memory = new Memory(policy);
    this.tmux = new ControlTmux({ socketPath: server.socketPath, policy, processes: table, env: server.env });
    this.cpu = new CpuSampler(table, policy);
    this.#nudges = nudgesIn(server.dir);
  }

  static async open({ policy = {}, ...options }: CourtOptions = {}): Promise<Court> {
    const server = await withServer(options);
    const court = new Court(server, { ...POLICY, ...policy });
    await makeFolders(realDisk(server.dir, 0), 0, 0);
    await court.tmux.connect();
    return court;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tmux.close();
    await this.server.close();
  }

  /** Starts a program in a session of its own; resolves when the pane shows `ready`, if given. */
  async start(
    command: readonly string[],
    { width = 100, height = 30, ready = '' }: StartOptions = {},
  ): Promise<Incarnation> {
    const size = ['-x', String(width), '-y', String(height)];
    const format = '#{session_id} #{pane_id} #{pane_pid} #{session_name} #{window_width}x#{window_height}';
    const row = await this.server.tmux('new-session', '-d', '-P', '-F', format, ...size, 'env', ...command);
    const [sessionId = '', paneId = '', pid = '', session = '', given] = row.split(' ');
    // tmux 3.2 gives a new window the size of the client that asked, not the size that the client asked for.
    if (given !== `${String(width)}x${String(height)}`) await this.server.tmux('resize-window', '-t', paneId, ...size);
    const server = await this.tmux.server();
    const target: Incarnation = {
      uuid: `life-${paneId}`,
      session,
      server: server ?? never('no server'),
      sessionId,
      paneId,
      agent: await this.#proc(Number(pid)),
      origin: 'started',
    };
    await this.until(async () => (await this.text(target)).includes(ready), `the pane to show ${ready}`);
    return target;
  }

  /** The agent, once tmux's child has become `env` and `env` the program. */
  async #proc(pid: number): Promise<Proc> {
    const isThere = (): boolean => !/^(?:tmux.*|env)$/.test(table.commandOf(pid)?.comm ?? 'env');
    await this.until(() => Promise.resolve(isThere()), `pid ${pid} to run its program`);
    return table.proc(pid) ?? never(`pid ${pid} ended at once`);
  }

  /** A person's shell in which `command` runs, a child of it that is called sleep. */
  async adopted(command = 'sleep 100000'): Promise<Incarnation> {
    const pane = await this.start(['bash', '--norc', '--noprofile', '-i'], { ready: 'bash' });
    await this.type(pane, command, 'Enter');
    const childOf = async (): Promise<Proc | null> => {
      const pid = (await table.children()).get(pane.agent.pid)?.[0];
      return pid !== undefined && table.commandOf(pid)?.comm === 'sleep' ? table.proc(pid) : null;
    };
    await this.until(async () => (await childOf()) !== null, 'the adopted agent');
    return { ...pane, agent: (await childOf()) ?? pane.agent, origin: 'adopted' };
  }

  async text({ paneId }: Incarnation): Promise<string> {
    return this.server.tmux('capture-pane', '-p', '-t', paneId);
  }

  async type({ paneId }: Incarnation, text: string, ...keys: string[]): Promise<void> {
    await this.server.tmux('send-keys', '-t', paneId, '-l', '--', text);
    if (keys.length > 0) await this.server.tmux('send-keys', '-t', paneId, ...keys);
  }

  async ask(
    target: Incarnation,
    code = 'K73F',
    lines: readonly string[] = question(code),
    id: OrderId = { dance: 'dog-1', attempt: 1, verb: 'ask' },
  ): Promise<OutcomeBody> {
    const hand = askHand(this.#typing());
    return hand({ type: 'ask', id, target, lines, code }, new AbortController().signal);
  }

  /** A health check, as the town asks it. */
  check(target: Incarnation, code = 'M2X9'): Promise<OutcomeBody> {
    const command = { started: 'town alive', adopted: 'town alive' };
    const input = { policy: TOWN.watchdog.deacon, command };
    return this.ask(target, code, healthQuestion(target, code, input), {
      issuer: 'health',
      life: target.uuid,
      verb: 'ask',
    });
  }

  /** Work of this id, as `town send` has it typed; `gives`: how its program takes it without a key. */
  work(target: Incarnation, id: string, text: string, gives: Give | null): Promise<OutcomeBody> {
    const hand = nudgeHand({ ...this.#typing(), givesOf: () => Promise.resolve(gives) });
    const order = { type: 'nudge', target, text, from: 'operator', raw: true, atRest: true, isWork: true } as const;
    return hand({ ...order, id: { name: id } }, new AbortController().signal);
  }

  async nudge(target: Incarnation, text = 'check your inbox', from = 'boot', raw = false): Promise<OutcomeBody> {
    const hand = nudgeHand(this.#typing());
    return hand({ type: 'nudge', id: { name: 'boot/nudge' }, target, text, from, raw }, new AbortController().signal);
  }

  /** Lives whose dialog ended behind an answer, one after the other. */
  readonly ended: string[] = [];

  /** What programs say of themselves, by the uuid of a life. */
  readonly heard = new Map<string, Heard>();

  /** Words of options that the configuration names. */
  named: readonly string[] = [];

  /** The dialog on its screen, as a person far from its pane sees it; null = none with options. */
  async dialog(target: Incarnation): Promise<DialogOnScreen | null> {
    const found = await findPane(this.#deps(), target);
    if (found.kind !== 'found') throw new Error(found.kind);
    const { pack, screen, capture } = await viewOf(this.#deps(), target, found, { from: (rows) => rows });
    return dialogOn({ pack, screen, picture: { rows: capture.screen, width: capture.width } }, target.uuid);
  }

  async choose(target: Incarnation, dialog: string, option: string): Promise<OutcomeBody> {
    const hand = answerDialogHand({ ...this.#answering(), ended: (uuid) => void this.ended.push(uuid) });
    return hand({ type: 'answerDialog', id: { name: 'r1' }, target, dialog, option }, new AbortController().signal);
  }

  /** A scan that forgets keys whose dialog is gone; each life passes as one that was seen to ask nothing. */
  async scanned(known: readonly Incarnation[]): Promise<void> {
    const nothing = { type: 'SESSIONS_SEEN', server: 'up', seen: [], due: [], free: [] } as const;
    const scan = withKeysForgotten(this.#answering(), { of: () => null }, () => Promise.resolve(nothing));
    await scan({ type: 'scan', id: { name: 'scan' }, known }, new AbortController().signal);
  }

  /** The key that is on record for this life; null = none is. */
  async pressed(target: Incarnation): Promise<Nudged['pressed']> {
    return (await this.#nudges.of(target))?.pressed ?? null;
  }

  /** Its last nudge is on record as typed with its Enter. */
  isSure = async (target: Incarnation): Promise<boolean> => (await this.#nudges.of(target))?.sure === true;

  /**
   * Asks, as a dog does again where the agent is busy: one that writes on while it is typed to shows the text too late at times. Fails the
   * test where it comes to nothing.
   */
  async asked(target: Incarnation, code = 'K73F', lines = question(code)): Promise<Attempt> {
    let outcome = await this.ask(target, code, lines);
    for (let tries = 1; tries < TRIES && outcome.type === 'NOT_ASKED' && outcome.obstacle.kind === 'busy'; tries += 1)
      outcome = await this.ask(target, code, lines);
    if (outcome.type !== 'ASKED') throw new Error(`not asked: ${JSON.stringify(outcome)}`);
    return attemptOf(code, outcome.mark, lines);
  }

  async look(
    target: Incarnation,
    attempts: readonly Attempt[],
    pardonOn: 'evidence' | 'answer' = 'answer',
  ): Promise<Observation> {
    return (await this.looked(target, attempts, pardonOn)).observation;
  }

  /** A look as the hearing's record keeps it. */
  async looked(
    target: Incarnation,
    attempts: readonly Attempt[],
    pardonOn: 'evidence' | 'answer' = 'answer',
    more: { readonly mustRest?: true } = {},
  ): Promise<{ readonly observation: Observation; readonly tail: string }> {
    const hand = lookHand({
      ...this.#deps(),
      answerFor: (code) => Promise.resolve(this.filed.has(code)),
      heartbeat: () => Promise.resolve(this.heartbeat),
      isAtRest: this.isAtRest,
    });
    const order = { type: 'look', id: { name: 'dog-1/1/look' }, target, attempts, ...more } as const;
    const outcome = await hand(order, new AbortController().signal);
    if (outcome.type !== 'LOOKED') throw new Error(`no look: ${JSON.stringify(outcome)}`);
    const isLife = outcome.observation.kind === 'evidence' || outcome.observation.kind === 'inconclusive';
    // A hearing that counts only answers takes signs of life for none.
    const observation: Observation = isLife && pardonOn === 'answer' ? { kind: 'silent' } : outcome.observation;
    return { observation, tail: outcome.tail };
  }

  /** Looks until the observation is of this kind. */
  async sees(
    target: Incarnation,
    attempts: readonly Attempt[],
    kind: Observation['kind'],
    pardonOn: 'evidence' | 'answer' = 'answer',
  ): Promise<Observation> {
    let observation: Observation = { kind: 'silent' };
    await this.until(
      async () => (observation = await this.look(target, attempts, pardonOn)).kind === kind,
      () => `${kind}; last seen ${JSON.stringify(observation)}`,
    );
    return observation;
  }

  /** Looks for a while; resolves with every kind of observation there was. */
  async watch(
    target: Incarnation,
    attempts: readonly Attempt[],
    pardonOn: 'evidence' | 'answer',
    looks = 12,
  ): Promise<Set<string>> {
    const kinds = new Set<string>();
    for (let i = 0; i < looks; i += 1) {
      const observation = await this.look(target, attempts, pardonOn);
      kinds.add(observation.kind === 'silent' ? 'silent' : JSON.stringify(observation));
      await pause(this.policy.evidenceAfterMs / 4);
    }
    return kinds;
  }

  /** As after a restart of the town: all that was kept in memory is gone. */
  forget(): void {
    this.#memory = new Memory(this.policy);
    this.#nudges = nudgesIn(this.server.dir);
  }

  async until(isSo: () => Promise<boolean>, what: string | (() => string)): Promise<void> {
    for (let polls = 0; polls < MAX_POLLS; polls += 1) {
      if (await isSo()) return;
      await pause(POLL_MS);
    }
    throw new Error(`waited in vain for ${typeof what === 'string' ? what : what()}`);
  }

  /** The look of the scan, as a town that was just started takes it. */
  asking(): Asking {
    const deps = this.#deps();
    const typed = async () => async (life: Incarnation) => ({ questions: [], sentTexts: await deps.sentTexts(life) });
    return new Asking({
      ...deps,
      sources: new Sources({ ...deps, held: NONE_HELD }),
      typed,
      takeOut: takeOutPutBack(deps),
    });
  }

  /** A new look at dialogs, as a town that was just started has it. */
  dialogs(asksNow: AsksNow = () => undefined): Dialogs {
    return new Dialogs(this.#deps(), asksNow);
  }

  #answering() {
    return { ...this.#typing(), sources: { of: () => Promise.resolve(this.heard) }, named: this.named };
  }

  #typing() {
    return { ...this.#deps(), nudges: this.#nudges, isProtected: this.isProtected };
  }

  #deps() {
    const { tmux, policy, cpu } = this;
    const sentTexts = async (life: Incarnation) => (await this.#nudges.of(life))?.texts ?? [];
    const shared = { memory: this.#memory, queue: this.#queue, sentTexts };
    return { tmux, policy, cpu, packs: PACKS, processes: table, clock: systemClock, ...shared };
  }
}
