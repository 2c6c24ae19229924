/** Who works in a simulated rig: polecats of every kind, a refinery, and what both say. They live on when the town is killed. */
import { branchOf, addressOf, sessionOfAgent } from '../../machines/rigs/names.ts';
import { close } from '../../machines/ledger/changes.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import type { ReportStatus } from '../../machines/protocol/monitor.ts';
import { REPORTS } from '../../state/monitor/reports.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { Failure } from '../../src/terminal/failure.ts';
import { messageOf } from '../../state/mail/messages.ts';
import type { Life } from './agent-plans.ts';
import type { Rigs } from './rigs.ts';

const MINUTE = 60_000;
const SECOND = 1_000;

/** How a life of a polecat goes. */
const WAYS = [
  ...(['done', 'done', 'done', 'done', 'done twice', 'done silently', 'done unpushed', 'done dirty'] as const),
  ...(['dies', 'dies dirty', 'dies unpushed', 'hangs', 'stuck', 'asks', 'intends', 'closes', 'idles dirty'] as const),
] as const;
type Way = (typeof WAYS)[number];

export class People {
  readonly #sim: Rigs;
  #letters = 0;
  #merges = 0;
  /** Words of calls for help, each once. */
  readonly cries: string[] = [];
  /** Why nothing can be typed into a session: `busy`, `dialog`, `limited`. */
  readonly screens = new Map<string, string>();

  constructor(sim: Rigs) {
    this.#sim = sim;
  }

  /** A polecat's session was started. */
  born(record: PolecatRecord, life: Life): void {
    const { chance, scene } = this.#sim;
    if (scene.isScripted === true) return;
    const way: Way = this.#sim.calm ? 'done' : chance.oneOf(WAYS);
    const lasts = 2 * MINUTE + chance.upTo(25 * MINUTE);
    const worker = new Polecat(this.#sim, this, record, life);
    void this.mail(record.rig, `POLECAT_STARTED ${record.name}`, '', addressOf(record));
    for (const part of [0.25, 0.5, 0.75]) this.#sim.in(part * lasts, () => worker.move());
    this.#sim.in(lasts, () => void worker.end(way));
  }

  async say(agent: string, kind: string, text: string): Promise<void> {
    const { memory, wall } = this.#sim;
    this.#letters += 1;
    await memory.addEvidence({ id: `said-${this.#letters}`, author: agent, kind, text, at: wall });
  }

  /** The present life's word about itself. */
  report(agent: string, status: ReportStatus): void {
    const { agents, disk, wall: at } = this.#sim;
    const session = sessionOfAgent(agent);
    const uuid = agents.newest(session)?.uuid ?? '';
    const { path, text } = REPORTS.fileOf({ session, uuid, status, message: null, outcome: null, at });
    disk.put(path, text);
  }

  async mail(rig: string, subject: string, body: string, from: string, to = `${rig}/witness`): Promise<void> {
    this.#letters += 1;
    const life = this.#sim.agents.newest(sessionOfAgent(from))?.uuid;
    const words = {
      id: `letter-${this.#letters}`,
      from,
      subject,
      body,
      ...(life !== undefined && { incarnation: life }),
    };
    const flags = { via: 'agent', urgent: false, needs_response: false } as const;
    await this.#sim.boxOf(to).send({ ...words, ...flags, sentAt: this.#sim.wall });
  }

  async cry(rig: string, name: string, what: string): Promise<void> {
    const words = `${what} cry-${this.cries.length}-`;
    this.cries.push(words);
    await this.mail(rig, `HELP: ${name}`, words, `${rig}/polecats/${name}`);
  }

  /** Takes one merge request, as long as it lives. */
  async refine(rig: string, life: Life): Promise<void> {
    const { chance, git, calm, scene } = this.#sim;
    if (!life.alive || scene.isScripted === true) return;
    const box = this.#sim.boxOf(`${rig}/refinery`);
    const next = (await box.inbox()).find((mail) => messageOf(mail)?.type === 'MERGE_READY');
    const message = next === undefined ? null : messageOf(next);
    if (next !== undefined && message !== null) {
      const { polecat, issue } = message;
      const branch = message.branch ?? branchOf({ rig, name: polecat ?? '' });
      const luck = calm ? 0 : chance.next();
      this.#merges += 1;
      await box.archive(next.id);
      if (luck < 0.75 || luck >= 0.9) {
        const commit = git.merge(rig, branch, this.#merges, luck < 0.97);
        const body = `Branch: ${branch}\nIssue: ${issue ?? ''}\nMerge-Commit: ${commit}\n`;
        await this.mail(rig, `MERGED ${polecat ?? ''}`, body, `${rig}/refinery`);
      } else if (luck < 0.87) {
        const body = `Branch: ${branch}\nIssue: ${issue ?? ''}\nError: the tests fail\n`;
        await this.mail(rig, `MERGE_FAILED ${polecat ?? ''}`, body, `${rig}/refinery`);
      }
    }
    if (!calm && chance.isHit(0.01)) this.#sim.agents.end(life, 'crash');
    this.#sim.in(30 * SECOND + chance.upTo(3 * MINUTE), () => void this.refine(rig, life));
  }

  /** Words are typed to the agent of this session. */
  hear(session: string): void {
    const { agents, chance, calm } = this.#sim;
    if (agents.living(session) === undefined) throw new Failure(1, 'not_running', `${session} does not run`);
    const screen = this.screens.get(session);
    if (screen !== undefined) throw new Failure(1, `nudge_${screen}`, `${session} was not nudged: ${screen}`);
    if (!calm && chance.isHit(0.1)) throw new Failure(5, 'nudge_working', `${session} works`);
  }
}

class Polecat {
  readonly #sim: Rigs;
  readonly #people: People;
  readonly #record: PolecatRecord;
  readonly #life: Life;

  constructor(sim: Rigs, people: People, record: PolecatRecord, life: Life) {
    [this.#sim, this.#people, this.#record, this.#life] = [sim, people, record, life];
  }

  move(): void {
    if (!this.#life.alive) return;
    const { git, wall } = this.#sim;
    git.work(this.#record.uuid);
    git.commit(this.#record.uuid, wall);
  }

  /** What is on its hook still. */
  async #isMine(): Promise<boolean> {
    const [bead] = await this.#sim.memory.beads([this.#record.bead ?? '']);
    return bead?.assignee === addressOf(this.#record);
  }

  async #done(): Promise<void> {
    const { rig, name, bead } = this.#record;
    const body = this.#sim.chance.isHit(0.5) ? `Exit: completed\nIssue: ${bead ?? ''}\n` : '';
    await this.#people.mail(rig, `POLECAT_DONE ${name}`, body, addressOf(this.#record));
  }

  async end(way: Way): Promise<void> {
    const { git, wall, memory } = this.#sim;
    const [{ rig, name, uuid, bead }, life, people] = [this.#record, this.#life, this.#people];
    if (!life.alive || !(await this.#isMine())) return;
    const agent = addressOf(this.#record);
    switch (way) {
      case 'done':
      case 'done twice':
        git.push(uuid);
        await this.#done();
        if (way === 'done twice') await this.#done();
        return;
      case 'done silently':
        git.push(uuid);
        return people.say(agent, 'done-intent', 'done');
      case 'done unpushed':
        return this.#done();
      case 'done dirty':
        git.work(uuid);
        return this.#done();
      case 'dies dirty':
        git.work(uuid);
        this.#sim.agents.end(life, 'crash');
        return;
      case 'dies':
        git.push(uuid);
        this.#sim.agents.end(life, 'crash');
        return;
      case 'dies unpushed':
        this.#sim.agents.end(life, 'crash');
        return;
      case 'hangs':
        this.#sim.agents.hang(life, true);
        return;
      case 'stuck':
        people.report(agent, 'error');
        return;
      case 'asks': {
        const cry = this.#sim.chance.oneOf(['urgent:', 'decide which way:', 'it failed:', 'I am lost:']);
        await people.cry(rig, name, cry);
        if (this.#sim.chance.isHit(0.5)) await people.cry(rig, name, cry);
        this.#sim.in(20 * MINUTE, () => void this.end('done'));
        return;
      }
      case 'intends':
        await people.say(agent, 'done-intent', 'done');
        this.#sim.agents.end(life, 'crash');
        return;
      case 'closes':
        git.push(uuid);
        await changeBead(memory, bead ?? '', (one) => close(one, 'it says so', new Date(wall).toISOString()));
        return;
      case 'idles dirty':
        git.work(uuid);
        people.report(agent, 'idle');
    }
  }
}

/** Warrants are heard within minutes: an agent that wished it ends, a deaf one ends too, others answer and live on. */
export function hearing(sim: Rigs, session: string, force: boolean): void {
  const life = sim.agents.living(session);
  if (life === undefined) return;
  if (!force && !life.isHung && (sim.calm || sim.chance.isHit(0.7))) return;
  sim.git.rescue(life.uuid);
  sim.agents.end(life, 'signal');
}
