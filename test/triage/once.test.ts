/**
 * What was chosen is carried out once, however often the town is killed meanwhile: each choice is played with a kill before and after
 * each act and each write, and goes on in a new process.
 */
import { expect, test } from 'vitest';
import { PATROL } from '../../machines/patrols/policy.ts';
import { OPTIONS, TRIAGE_TYPES, type Choice, type TriageType } from '../../machines/triage/cases.ts';
import { TRIAGE } from '../../machines/triage/policy.ts';
import { carryOut, type TriageHands } from '../../src/triage/carry-out.ts';
import { requestTriage } from '../../src/triage/requests.ts';
import { caseCalled, resolveCase } from '../../src/triage/resolve.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { ESCALATION } from '../../src/ledger/escalations.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import type { Disk } from '../../state/files/disk.ts';
import { SimDisk } from '../world/disk.ts';
import { NUX } from '../patrols/seen.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
/** More orders than any choice takes, kills among them. */
const MOST_ORDERS = 12;

type Standing = 'lives' | 'ended';

/** Agents and files, which outlive a killed town. What came about is in `effects`. */
class World {
  readonly disk = new MemoryLedger();
  readonly effects: string[] = [];
  readonly #ids = new Set<string>();
  #points = 0;
  #kill = Promise.withResolvers<'killed'>();
  readonly #killAt: number;
  readonly #files = new SimDisk();

  constructor(killAt: number) {
    this.#killAt = killAt;
  }

  get points(): number {
    return this.#points;
  }

  /** A point before the work, and one after it. A process that is killed there does nothing any more. */
  async point<T>(work: () => Promise<T>): Promise<T> {
    await this.#pass();
    const done = await work();
    await this.#pass();
    return done;
  }

  async #pass(): Promise<void> {
    this.#points += 1;
    if (this.#points - 1 !== this.#killAt) return;
    this.#kill.resolve('killed');
    await new Promise(() => undefined);
  }

  /** One order in a process of its own. */
  async order(id: string, standing: Standing): Promise<void> {
    this.#kill = Promise.withResolvers();
    await Promise.race([carryOut(this.#hands(standing), id), this.#kill.promise]);
  }

  /** Something that its receiver knows by an id. */
  #once(id: string, what: string): Promise<void> {
    return this.point(() => {
      if (!this.#ids.has(id)) this.effects.push(what);
      this.#ids.add(id);
      return Promise.resolve();
    });
  }

  get #ledger(): Ledger {
    const { disk } = this;
    return new Proxy<Ledger>(disk, {
      get: (_, name) => {
        if (name === 'put') return (...words: Parameters<Ledger['put']>) => this.point(() => disk.put(...words));
        const value: unknown = Reflect.get(disk, name, disk);
        return typeof value === 'function' ? (value.bind(disk) as unknown) : value;
      },
    });
  }

  /** A note is durable once its file has its name. */
  get #notes(): Disk {
    const disk = this.#files.mount();
    return { ...disk, rename: (...words) => this.point(() => disk.rename(...words)) };
  }

  #hands(standing: Standing): TriageHands {
    const said = (id: string, what: string) => this.#once(id, what).then(() => what);
    return {
      ledger: this.#ledger,
      disk: this.#notes,
      now: () => NOW,
      policy: { ...TRIAGE, ...PATROL },
      isTransient: () => false,
      standing: () => Promise.resolve({ standing, isAnother: false }),
      hasMayor: () => Promise.resolve(true),
      wishesEnd: () => Promise.resolve('no'),
      end: (agent) => said('end', `end ${agent}`),
      nudge: (agent, _, since) => this.#once(`nudge/${agent}/${String(since)}`, `nudge ${agent}`),
      start: (agent) => this.#once('start', `start ${agent}`),
      warrant: (agent, id) => this.#once(id, `warrant ${agent}`),
      mail: ({ id, to }) => this.#once(id, `mail ${to}`),
      save: (agent) => said('save', `save ${agent}`),
      leave: (agent) => said('leave', `leave ${agent}`),
      discard: async (agent, _, then) => {
        if (!this.#ids.has('discard')) await this.point(() => Promise.resolve());
        await then();
        return said('discard', `discard ${agent}`);
      },
    };
  }
}

interface Outcome {
  readonly effects: readonly string[];
  readonly work: object;
  readonly escalations: number;
  readonly outcome: string;
}

async function played(
  type: TriageType,
  choice: Choice,
  standing: Standing,
  killAt: number,
): Promise<[Outcome, number]> {
  const world = new World(killAt);
  const { disk } = world;
  await disk.put(bead('tw-1', { rig: 'shop', status: 'hooked', assignee: NUX }), { expects: 0, write: 'tw-1' });
  const about = { type, agent: NUX, rig: 'shop', why: 'odd', by: 'shop/witness', now: NOW, policy: TRIAGE };
  const { id } = await requestTriage(disk, about);
  const mark = { shown: 'c:f' };
  await resolveCase(disk, id, { choice, note: 'go on', by: 'triage', now: NOW, among: null, ...mark });
  for (let nth = 0; nth < MOST_ORDERS && (await caseCalled(disk, id)).state === 'resolved'; nth += 1)
    await world.order(id, standing);
  const { outcome, state, isPersons } = await caseCalled(disk, id);
  expect(state).toBe(choice === 'ESCALATE' ? 'open' : 'closed');
  expect(isPersons).toBe(choice === 'ESCALATE');
  const [work] = await disk.beads(['tw-1']);
  const { status, assignee, attempts, closeReason } = work!;
  const escalations = (await disk.list({ labels: [ESCALATION] }, { limit: 9 })).items.length;
  return [
    { effects: world.effects, work: { status, assignee, attempts, closeReason }, escalations, outcome },
    world.points,
  ];
}

const CASES = TRIAGE_TYPES.flatMap((type) =>
  OPTIONS[type].flatMap((choice) => (['lives', 'ended'] as const).map((standing) => [choice, type, standing] as const)),
);

// Rules: P-15.
test.each(CASES)(
  '%s of %s, whose agent %s: a kill at any point changes nothing of what comes about',
  async (choice, type, standing) => {
    const [whole, points] = await played(type, choice, standing, Infinity);
    for (let at = 0; at < points; at += 1)
      expect([at, (await played(type, choice, standing, at))[0]]).toEqual([at, whole]);
  },
);
