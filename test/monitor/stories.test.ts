/**
 * Golden stories of the monitor: every .txt in stories/ is played sentence by sentence on the real tree of actors, and what the town
 * told, typed and alerted is written under each. `UPDATE_STORIES=1 vitest run test/monitor` rewrites them; the diff is the review.
 */
import { join } from 'node:path';
import { test } from 'vitest';
import type { ReportStatus } from '../../machines/protocol.ts';
import { compareStory, storiesIn } from '../stories/golden.ts';
import { MonitorTown, ORCHESTRATOR, SECOND } from './town.ts';

const FOLDER = join(import.meta.dirname, 'stories');

class Stage {
  readonly town = new MonitorTown();
  #lettersTold = 0;
  #ordersTold = 0;

  /** What was told since it was asked last. */
  take(): string[] {
    const { letters, drive } = this.town;
    const told = letters.slice(this.#lettersTold).map(({ to, type, payload }) => {
      const { worker_id: _, worker_name: name, ...more } = payload;
      return `${to} gets ${type} of ${String(name)}: ${JSON.stringify(more)}`;
    });
    const orders = drive.orders.slice(this.#ordersTold).flatMap((order) => {
      if (order.type === 'nudge') return [`the town types to ${order.target.session}: ${order.text}`];
      if (order.type === 'remind') return [`a timer types to ${order.session}: ${order.text}`];
      if (order.type === 'alert') return [`the town ALERTS (${order.alert.severity}): ${order.alert.text}`];
      return order.type === 'endAlert' ? [`the town ends the alert ${order.episode}: ${order.text}`] : [];
    });
    this.#lettersTold = letters.length;
    this.#ordersTold = drive.orders.length;
    return [...told, ...orders].map((line) => `    ${line}`);
  }
}

type Act = (stage: Stage, ...words: (string | undefined)[]) => void;
const ACTS: readonly (readonly [sentence: RegExp, act: Act])[] = [
  [/^(\w+) is a worker\.$/, ({ town }, name = '') => town.show(name)],
  [/^(\d+) polls? pass(?:es)?\.$/, ({ town }, count) => town.polls(Number(count))],
  [
    /^(\w+) writes a line at each of (\d+) polls\.$/,
    ({ town }, name = '', count) => {
      for (let n = 0; n < Number(count); n += 1) {
        town.write(name);
        town.polls(1);
      }
    },
  ],
  [/^(\w+) writes a line\.$/, ({ town }, name = '') => town.write(name)],
  [
    /^(\w+) reports (\w+)(?:, (\w+))?(?:: (.*))?\.$/,
    ({ town }, name = '', status, outcome, message) => {
      town.report(name, status as ReportStatus, { outcome: outcome ?? null, message: message ?? null });
      town.drive.run(SECOND);
    },
  ],
  [
    /^(\w+) shows the dialog: (.*)$/,
    ({ town }, name = '', detail) =>
      town.show(name, {
        state: 'asks',
        detail: detail ?? null,
        question: `screen:${detail}`,
        source: 'screen, pack generic',
      }),
  ],
  [
    /^(\w+) shows no dialog any more\.$/,
    ({ town }, name = '') => town.show(name, { state: 'unknown', detail: null, source: null }),
  ],
  [
    /^(\w+) prints the error: (.*)$/,
    ({ town }, name = '', error) => town.show(name, { error: error ?? null, lines: ['building', error ?? ''] }),
  ],
  [/^(\w+) prints no error any more\.$/, ({ town }, name = '') => town.show(name, { error: null, mark: ' fresh' })],
  [/^(\w+) runs a tool\.$/, ({ town }, name = '') => town.show(name, { state: 'working', isExcused: true })],
  [/^The time of the tool of (\w+) is over\.$/, ({ town }, name = '') => town.show(name, { isExcused: false })],
  [/^(\w+) stops at a usage limit\.$/, ({ town }, name = '') => town.show(name, { state: 'limited' })],
  [/^(\w+) cannot be seen\.$/, ({ town }, name = '') => town.show(name, { mark: null })],
  [/^(\w+) is seen again\.$/, ({ town }, name = '') => town.show(name, { mark: ' 0' })],
  [/^The town is killed, and starts again\.$/, ({ town }) => town.drive.restart(SECOND)],
  [/^The disk is full\.$/, ({ town }) => void (town.isFull = true)],
  [/^The disk has room\.$/, ({ town }) => void (town.isFull = false)],
  [/^An orchestrator is there\.$/, ({ town }) => void (town.orchestrators = [ORCHESTRATOR])],
  [/^The orchestrator is busy\.$/, ({ town }) => void (town.obstacle = { kind: 'working', what: 'Thinking' })],
  [/^The orchestrator is at rest\.$/, ({ town }) => void (town.obstacle = null)],
  [/^The orchestrator reads its messages\.$/, ({ town }) => town.read()],
  [
    /^A timer (\w+) types "(.*)" to (\w+) every (\d+) seconds\.$/,
    ({ town }, timer = '', message = '', name = '', interval) =>
      void town.drive.ask({ verb: 'startTimer', name, timer, interval: Number(interval), message }),
  ],
  [/^The timer (\w+) is stopped\.$/, ({ town }, timer = '') => void town.drive.ask({ verb: 'stopTimer', timer })],
  [/^(\d+) seconds pass\.$/, ({ town }, seconds) => town.drive.run(Number(seconds) * SECOND)],
];

function actOf(sentence: string): (stage: Stage) => void {
  for (const [pattern, act] of ACTS) {
    const found = pattern.exec(sentence);
    if (found !== null) return (stage) => act(stage, ...found.slice(1));
  }
  throw new Error(`no such sentence: ${sentence}`);
}

test.each(storiesIn(FOLDER))('%s', async (name) => {
  const stage = new Stage();
  await compareStory(FOLDER, name, (sentence) => {
    actOf(sentence)(stage);
    return stage.take();
  });
});
