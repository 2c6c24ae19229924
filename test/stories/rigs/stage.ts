/**
 * The sentences of stories about rigs, and what each does to the simulated world: the shipped cycles of the witness, the Deacon and
 * triage play in it, over a simulated git and people who do what the story says. What the patrols did is told in a person's words.
 */
import { newBead, type Bead } from '../../../machines/ledger/bead.ts';
import { close, hook } from '../../../machines/ledger/changes.ts';
import type { Patrolled, PatrolRecord } from '../../../machines/protocol/patrols.ts';
import { addressOf, branchOf, sessionOf } from '../../../machines/rigs/names.ts';
import { CHOICES, type Choice } from '../../../machines/triage/cases.ts';
import { couldNotText, didText } from '../../../machines/patrols/act-words.ts';
import { acknowledge } from '../../../src/ledger/escalations.ts';
import { changeBead } from '../../../src/ledger/change.ts';
import { gateFields } from '../../../src/ledger/gates.ts';
import { items } from '../../../src/ledger/walk.ts';
import { undecidedCases } from '../../../src/triage/requests.ts';
import { resolveCase } from '../../../src/triage/resolve.ts';
import { STATE } from '../../../state/files/policy.ts';
import { PATROLS } from '../../../state/patrols/records.ts';
import { messageOf } from '../../../state/mail/messages.ts';
import { settled } from '../../world/time.ts';
import { Rigs } from '../../sim/rigs.ts';

const RIG = 'shop';
const SECOND = 1_000;
const UNITS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3_600, day: 86_400 };
const ms = (count: string, unit: string): number => Number(count) * (UNITS[unit.replace(/s$/, '')] ?? NaN) * SECOND;
const TIME = '(\\d+) (seconds?|minutes?|hours?|days?)';
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

type Act = (stage: RigStage, ...words: string[]) => unknown;

const tracks = (type: string, ...ids: readonly string[]) =>
  ids.map((on) => ({ on, type, createdAt: '', createdBy: '', extra: {} }));
/** Why a nudge is refused, by what a screen shows. */
const SHOWN: Readonly<Record<string, string>> = { work: 'working', 'a dialog': 'dialog', 'an unknown screen': 'busy' };
/** A bead that a person changes. */
const changed = ({ sim }: RigStage, id: string, to: (one: Bead) => Bead) => changeBead(sim.memory, id, to);

const SENTENCES: readonly (readonly [pattern: string, act: Act])[] = [
  [`${TIME} pass(?:es)?`, (stage, count, unit) => stage.pass(ms(count, unit))],
  ['The bead (\\S+) is filed', (stage, id) => stage.bead(id)],
  [
    'The bead (\\S+) is filed, which waits for (\\S+)',
    (stage, id, on) => stage.bead(id, { dependencies: tracks('blocks', on) }),
  ],
  [
    'The bead (\\S+) waits for nothing any more',
    (stage, id) => changed(stage, id, (one) => ({ ...one, dependencies: [] })),
  ],
  [`The clock is set forward by ${TIME}`, ({ sim }, count, unit) => sim.setClock(ms(count, unit))],
  [`The clock is set back by ${TIME}`, ({ sim }, count, unit) => sim.setClock(-ms(count, unit))],
  [
    'What is escalated is read',
    async (stage) => {
      const { memory } = stage.sim;
      for await (const { description } of items((page) => memory.list({ labels: ['gt:escalation'] }, page)))
        for (const line of description.split('\n').filter((one) => one !== '')) stage.say(line);
    },
  ],
  [
    'What stands for a person is read',
    async (stage) => {
      const text = (await stage.sim.desk.read(PATROLS.place('deacon'), STATE.maxRecordBytes)) ?? '{}';
      const { stands = {} } = JSON.parse(text) as Partial<PatrolRecord>;
      const texts = Object.values(stands).flatMap((one) => Object.values(one));
      for (const text of texts.length === 0 ? ['nothing'] : texts) stage.say(text);
    },
  ],
  [
    'The bead (\\S+) is closed',
    (stage, id) => changed(stage, id, (one) => close(one, 'a person closed it', stage.sim.iso)),
  ],
  [
    'The bead (\\S+) is handed to the refinery',
    (stage, id) => changed(stage, id, (one) => ({ ...one, status: 'in_progress', assignee: `${RIG}/refinery` })),
  ],
  [
    'The bead (\\S+) is taken off its hook',
    (stage, id) =>
      changed(stage, id, (one) => ({ ...one, status: 'deferred', assignee: '', updatedAt: stage.sim.iso })),
  ],
  [
    'The bead (\\S+) is on the hook of (\\S+)',
    (stage, id, who) =>
      changed(stage, id, (one) => {
        const hooked = hook(one, who, stage.sim.iso);
        return hooked.ok ? hooked.bead : one;
      }),
  ],
  [
    `The gate (\\S+) is to open within ${TIME}`,
    (stage, id, count, unit) =>
      stage.bead(id, { type: 'gate', extra: gateFields('human', ms(count, unit), undefined) }),
  ],
  [
    'The convoy (\\S+) tracks (\\S+) and (\\S+)',
    (stage, id, one, other) => stage.bead(id, { type: 'convoy', rig: '', dependencies: tracks('tracks', one, other) }),
  ],
  [
    '(\\S+) commits a step',
    ({ sim, polecat }, name) => {
      const { uuid } = polecat(name).record;
      sim.git.work(uuid);
      sim.git.commit(uuid, sim.wall);
    },
  ],
  ['(\\S+) leaves something uncommitted', ({ sim, polecat }, name) => sim.git.work(polecat(name).record.uuid)],
  ['(\\S+) commits on a second branch', ({ sim, polecat }, name) => sim.git.scattered.add(polecat(name).record.uuid)],
  [
    'A person brings the commits of (\\S+) together',
    ({ sim, polecat }, name) => sim.git.scattered.delete(polecat(name).record.uuid),
  ],
  ['(\\S+) pushes', ({ sim, polecat }, name) => sim.git.push(polecat(name).record.uuid)],
  ['(\\S+) dies', ({ sim, polecat }, name) => sim.agents.end(polecat(name).life, 'crash')],
  ['(\\S+) answers no hearing', ({ sim, polecat }, name) => sim.agents.hang(polecat(name).life, true)],
  [
    'The screen of (\\S+) shows (a dialog|work|an unknown screen|nothing of that)',
    ({ sim, polecat }, name, what) => {
      const { screens } = sim.people;
      const { session } = polecat(name);
      if (what === 'nothing of that') screens.delete(session);
      else screens.set(session, SHOWN[what] ?? what);
    },
  ],
  [
    '(\\S+) reports that it is (working|idle|stuck|done)',
    ({ sim, polecat }, name, word) => sim.people.say(polecat(name).agent, 'report', word),
  ],
  [
    '(\\S+) says that it begins to finish',
    ({ sim, polecat }, name) => sim.people.say(polecat(name).agent, 'done-intent', 'done'),
  ],
  ['(\\S+) writes "([^"]*)"', (stage, name, subject) => stage.sim.people.mail(RIG, subject, '', stage.addressOf(name))],
  [
    '(\\S+) writes "([^"]*)": (.*)',
    (stage, name, subject, body) =>
      stage.sim.people.mail(RIG, subject, body.replaceAll('\\n', '\n'), stage.addressOf(name)),
  ],
  ['The refinery merges (\\S+)', (stage, name) => stage.merge(name, 'MERGED', true)],
  ['The refinery says falsely that it merged (\\S+)', (stage, name) => stage.merge(name, 'MERGED', false)],
  ['The refinery could not merge (\\S+): (.*)', (stage, name, why) => stage.merge(name, 'MERGE_FAILED', true, why)],
  [
    'The refinery ends',
    ({ sim }) => sim.agents.end(sim.agents.living(sessionOf({ rig: RIG, name: 'refinery' })), 'crash'),
  ],
  [
    `The overseer chooses (${CHOICES.join('|')}) for (\\S+)`,
    async (stage, choice, name) => {
      const { memory, wall } = stage.sim;
      const one = (await undecidedCases(memory)).find(({ agent, id }) => agent.endsWith(name) || id === name);
      if (one === undefined) throw new Error(`no case of ${name} is open`);
      const chosen = { choice: choice as Choice, note: 'go on', by: 'overseer', now: wall, among: null } as const;
      await resolveCase(memory, one.id, chosen);
      // Time passes for the step that carries it out.
      const done = stage.sim.carryOut();
      await settled();
      await stage.pass(SECOND);
      await done;
    },
  ],
  [
    `The reasoner chooses (${CHOICES.join('|')}|nothing)`,
    ({ sim }, choice) => (sim.chooses = choice as Choice | 'nothing'),
  ],
  ['The model calls are counted', (stage) => stage.say(`model calls: ${stage.sim.modelCalls}`)],
  [
    'The overseer takes note of what is escalated',
    async (stage) => {
      const { memory, iso } = stage.sim;
      for await (const { id } of items((page) => memory.list({ labels: ['gt:escalation'] }, page)))
        await changed(stage, id, (one) => acknowledge(one, 'overseer', iso));
    },
  ],
  ['The town is killed', ({ sim }) => sim.kill()],
  [`No one can see sessions for ${TIME}`, ({ sim }, count, unit) => (sim.blindUntil = sim.time.now + ms(count, unit))],
  [`The Deacon is ${TIME} late`, ({ sim }, count, unit) => (sim.deaconLateMs = ms(count, unit))],
  ['The Deacon beats', ({ sim }) => (sim.deaconLateMs = null)],
  ['The rig names no agent', ({ sim }) => (sim.agent = null)],
  [
    'The bead (\\S+) is looked at',
    async (stage, id) => {
      const [one] = await stage.sim.memory.beads([id]);
      const whose = one?.assignee === '' ? 'on no hook' : `of ${one?.assignee}`;
      const found = one && `${one.status}, ${whose}, after ${one.attempts} failed attempts`;
      stage.say(`${id} is ${found ?? 'not there'}`);
    },
  ],
  [
    'What (\\S+) holds is looked at',
    (stage, name) => {
      const { git } = stage.sim;
      const isThere = [...git.trees.values()].some(({ record }) => record.name === name);
      stage.say(
        `the worktree of ${name} is ${isThere ? 'there' : 'gone'}; ${git.rescued.size} pieces are rescued, ${git.lost.length} lost`,
      );
    },
  ],
  [
    'The mail of (\\S+) is read',
    async (stage, address) => {
      const mail = await stage.sim.boxOf(address).inbox();
      if (mail.length === 0) stage.say(`${address} has no mail`);
      for (const { subject } of mail) stage.say(`${address} has mail: ${subject}`);
    },
  ],
  [
    'The notes of the witness are read',
    async (stage) => {
      for await (const { text } of items((page) => stage.sim.memory.evidence(`${RIG}/witness/patrol`, page)))
        stage.say(`noted: ${text}`);
    },
  ],
];

/** What a line of a story does. Throws where no sentence is like it. */
export function actOf(line: string): (stage: RigStage) => unknown {
  for (const [pattern, act] of SENTENCES) {
    const found = new RegExp(`^${pattern}\\.$`).exec(line);
    if (found !== null) return (stage) => act(stage, ...found.slice(1));
  }
  throw new Error(`no such sentence: ${line}`);
}
