/** The sentences of stories about Tickle, and what is told below each: what an agent gets, a person hears, and the ledger keeps. */
import type { Order } from '../../../machines/protocol.ts';
import { MINUTE, SECOND, TickleTown, type Noted } from '../../tickle/town.ts';

type Act = (stage: Stage, ...words: string[]) => void;

export class Stage {
  readonly #policy: { enabled?: boolean; bell?: readonly string[] } = {};
  #town: TickleTown | null = null;
  #toldOrders = 0;
  #toldEntries = 0;
  #lastScan = '';

  set(policy: { enabled?: boolean; bell?: readonly string[] }): void {
    Object.assign(this.#policy, policy);
  }
  get town(): TickleTown {
    return (this.#town ??= new TickleTown(this.#policy));
  }

  /** What came since the last sentence. */
  take(): string[] {
    const orders = this.town.drive.orders.slice(this.#toldOrders);
    this.#toldOrders += orders.length;
    const entries = [...this.town.ledger.values()].slice(this.#toldEntries);
    this.#toldEntries += entries.length;
    const told = [
      ...orders.flatMap((order) => orderText(order)),
      ...entries.flatMap((entry) => this.#entryText(entry)),
    ];
    return told.map((line) => `    ${line}`);
  }

  /** A scan is told when it says something new. */
  #entryText({ id: _, tag, tags: __, ...more }: Noted): string[] {
    if (tag !== 'scan') return [`ledger: ${tag} ${JSON.stringify(more)}`];
    const { cycle: ___, stalled = [], ...rest } = more;
    const names = (stalled as readonly { agent: string; not_paged?: string }[]).map(({ agent, not_paged: why }) =>
      why === undefined ? agent : `${agent}: ${why.replace(/\d+ (ms|min|s|h).*(?= ago)/, 'some time')}`,
    );
    const text = JSON.stringify({ ...rest, stalled: names });
    if (text === this.#lastScan) return [];
    this.#lastScan = text;
    return [`ledger: scan ${text}`];
  }
}

function orderText(order: Order): string[] {
  switch (order.type) {
    case 'nudge':
      return [`${order.target.session} reads: ${order.text}`];
    case 'ringBell':
      return [`the bell of ${order.agent} rings`];
    case 'alert':
      return [`a person is ALERTED (${order.alert.severity}): ${order.alert.text}`];
    case 'endAlert':
      return [`the alert ${order.episode} ends: ${order.text}`];
    case 'reply':
      return [`the caller hears: ${JSON.stringify(order.reply.ok ? order.reply.value : order.reply.text)}`];
    default:
      return [];
  }
}

const ms = (count: string, unit: string): number => Number(count) * (unit.startsWith('minute') ? MINUTE : SECOND);

const SENTENCES: readonly (readonly [sentence: RegExp, act: Act])[] = [
  [/^Tickle is off\.$/, (stage) => stage.set({ enabled: false })],
  [/^There is a bell\.$/, (stage) => stage.set({ bell: ['ring'] })],
  [/^The bell fails: (.+)\.$/, ({ town }, why = '') => void (town.bell = why)],
  [
    /^(\w+) was silent for (\d+) (\w+)\.$/,
    ({ town }, name = '', count = '', unit = '') => void town.agent(name, ms(count, unit)),
  ],
  [
    /^(\w+) never showed a sign, and has no session\.$/,
    ({ town }, name = '') => void town.agent(name, null, { life: null }),
  ],
  [/^(\w+) shows a sign\.$/, ({ town }, name = '') => town.sign(name)],
  [
    /^(\w+) shows a sign of a time to come\.$/,
    ({ town }, name = '') => change(town, name, { signAt: town.drive.now + 60 * MINUTE }),
  ],
  [
    /^(\w+) signals fatigue (.+) and confidence (.+)\.$/,
    ({ town }, name = '', fatigue = '', confidence = '') => {
      change(town, name, { signals: { fatigue: Number(fatigue), confidence: Number(confidence) } });
    },
  ],
  [/^The hook of (\w+) is empty\.$/, ({ town }, name = '') => change(town, name, { hook: 'empty' })],
  [/^(\w+) asks a person\.$/, ({ town }, name = '') => change(town, name, { spared: 'it asks a person' })],
  [/^(\w+) is answered\.$/, ({ town }, name = '') => change(town, name, { spared: null })],
  [/^(.+) looks after (\w+)\.$/, ({ town }, owner = '', name = '') => change(town, name, { owner })],
  [
    /^A draft stands at (\w+)\.$/,
    ({ town }, name = '') => void town.obstacles.set(name, { kind: 'busy', what: 'a draft stands in its composer' }),
  ],
  [/^The ledger is (locked|open)\.$/, ({ town }, is) => void (town.isLost = is === 'locked')],
  [/^(\d+) (minutes?|seconds?) pass(?:es)?\.$/, ({ town }, count = '', unit = '') => town.run(ms(count, unit))],
  [
    /^The town is killed, and starts again after (\d+) (\w+)\.$/,
    ({ town }, count = '', unit = '') => town.kill(ms(count, unit)),
  ],
  [/^The operator orders: (scan|cycle|start|stop)\.$/, ({ town }, wants) => void town.ask(wants as 'scan')],
  [/^The operator orders: page (\w+)\.$/, ({ town }, name = '') => void town.ask('page', name)],
];

const change = (town: TickleTown, name: string, more: Partial<ReturnType<TickleTown['agent']>>): void => {
  Object.assign(town.agents.get(name) ?? town.agent(name), more);
};

export function actOf(sentence: string): (stage: Stage) => void {
  for (const [pattern, act] of SENTENCES) {
    const words = pattern.exec(sentence);
    if (words !== null) return (stage) => act(stage, ...words.slice(1));
  }
  throw new Error(`no sentence of these stories: ${sentence}`);
}
