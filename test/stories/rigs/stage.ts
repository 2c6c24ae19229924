/**
 * The sentences of stories about rigs, and what each does to the simulated world: the shipped cycles of the witness, the Deacon and
 * triage play in it, over a simulated git and people who do what the story says. What the patrols did is told in a person's words.
 */
import { newBead, type Bead } from '../../../machines/ledger/bead.ts';
import type { Patrolled, PatrolRecord } from '../../../machines/protocol/patrols.ts';
import { addressOf, branchOf, sessionOf } from '../../../machines/rigs/names.ts';
import { couldNotText, didText } from '../../../machines/patrols/act-words.ts';
import { messageOf } from '../../../state/mail/messages.ts';
import { settled } from '../../world/time.ts';
import { Rigs } from '../../sim/rigs.ts';

export const RIG = 'shop';
export const SECOND = 1_000;
/** Ids that come of chance, by the order in which they are told. */
const IDS = /\btw-(?:[a-z]+-)?[0-9a-z]{6,}\b/g;

export class RigStage {
  readonly sim = new Rigs({
    seed: 1,
    rigs: [RIG],
    maxPolecats: 2,
    work: 0,
    withinMs: 0,
    untilMs: Infinity,
    calm: true,
    isScripted: true,
  });
  readonly #ids = new Map<string, string>();
  readonly #heard = new Set<string>();
  readonly #stands = new Set<string>();
  #lines: string[] = [];
  #isOpen = false;
  #merges = 0;

  constructor() {
    this.sim.told = (of, found) => this.#tell(of, found);
    this.sim.saved = (record) => this.#sayWhatStands(record);
    this.sim.escalated = (open) =>
      this.#sayWhatStands({
        of: 'ledger',
        claims: open.map(({ id: name, ...more }) => ({ kind: 'escalation', name, ...more })),
      });
  }

  /** What was told since the last sentence. */
  take(): string[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#heard.clear();
    return lines;
  }

  say(line: string): void {
    const text = line.replace(IDS, (id) => {
      if (!this.#ids.has(id)) this.#ids.set(id, `bead#${this.#ids.size + 1}`);
      return this.#ids.get(id) ?? id;
    });
    this.#lines.push(`    ${this.#clock()}  ${text}`);
  }

  async pass(spanMs: number): Promise<void> {
    const until = this.sim.time.now + spanMs;
    if (!this.#isOpen) await this.sim.open();
    this.#isOpen = true;
    // The clock stands at the end of the span, after any last thing to happen.
    this.sim.time.at(until, () => undefined);
    await this.sim.pass(() => until);
    await settled();
  }

  bead(id: string, more: Partial<Bead> = {}): Promise<unknown> {
    const given = { title: `do ${id}`, createdBy: 'mayor', createdAt: this.sim.iso, rig: RIG };
    return this.sim.memory.put(newBead({ ...given, ...more, id }), { expects: 0, write: id });
  }

  /** The polecat that was last started for this bead, or has this name. */
  readonly polecat = (name: string) => {
    const tree = [...this.sim.git.trees.values()].findLast(({ record }) => record.name === name);
    if (tree === undefined) throw new Error(`no polecat ${name} has a worktree`);
    const { record } = tree;
    const life = this.sim.agents.newest(sessionOf(record));
    if (life === undefined) throw new Error(`no polecat ${name} was started`);
    return { record, life, agent: addressOf(record), session: sessionOf(record) };
  };

  /** Of a polecat by its name; anybody else is called as they sign. */
  addressOf(name: string): string {
    const isPolecat = [...this.sim.git.trees.values()].some(({ record }) => record.name === name);
    return isPolecat ? addressOf({ rig: RIG, name }) : name;
  }

  async merge(name: string, word: 'MERGED' | 'MERGE_FAILED', isTrue: boolean, why = ''): Promise<void> {
    const { sim } = this;
    const box = sim.boxOf(`${RIG}/refinery`);
    const ready = (await box.inbox()).find((mail) => messageOf(mail)?.polecat === name);
    if (ready === undefined) throw new Error(`the refinery has no request of ${name}`);
    await box.archive(ready.id);
    this.#merges += 1;
    const branch = branchOf({ rig: RIG, name });
    const issue = messageOf(ready)?.issue ?? '';
    const says =
      word === 'MERGED' ? `Merge-Commit: ${sim.git.merge(RIG, branch, this.#merges, isTrue)}` : `Error: ${why}`;
    await sim.people.mail(RIG, `${word} ${name}`, `Branch: ${branch}\nIssue: ${issue}\n${says}\n`, `${RIG}/refinery`);
  }

  #tell(of: string, { deeds }: Patrolled): void {
    const who = of === 'deacon' ? 'the Deacon' : `the witness of ${of}`;
    for (const { act, about, done, text } of deeds) {
      const line = `${who} ${done ? didText(act, about) : couldNotText(act, about)}: ${text.replaceAll('\n', ' ')}`;
      if (this.#heard.has(line)) continue;
      this.#heard.add(line);
      this.say(line);
    }
  }

  /** What began to stand for a person, and what does not any more. */
  #sayWhatStands({ of, claims }: Pick<PatrolRecord, 'of' | 'claims'>): void {
    for (const { kind, name, text } of claims ?? []) {
      const key = `${of}/${kind}/${name}`;
      if (!this.#stands.has(key)) this.say(`there stands for a person: ${kind} ${name === '' ? of : name}: ${text}`);
      this.#stands.add(key);
    }
    const now = new Set((claims ?? []).map(({ kind, name }) => `${of}/${kind}/${name}`));
    for (const key of [...this.#stands].filter((one) => one.startsWith(`${of}/`) && !now.has(one))) {
      this.#stands.delete(key);
      this.say(`it is over: ${key.slice(of.length + 1).replace(/\/$/, '')}`);
    }
  }

  #clock(): string {
    const seconds = Math.floor(this.sim.time.now / SECOND);
    const two = (n: number): string => String(n).padStart(2, '0');
    return `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  }
}
