/** An agent at a permission dialog in a running town: `status`, the list and an alert name it with what it asks, until it is answered. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HANDS } from '../../src/ports/policy.ts';
import { TestTown, until } from './town.ts';

const CLAUDE = join(import.meta.dirname, '../fixtures/agents/claude');
const ASKS = 'Do you want to proceed?';
const EPISODE = 'needs-input/builder';

interface View {
  readonly name: string;
  readonly asks: string | null;
}
interface Data {
  readonly sessions: readonly View[];
  readonly questions: readonly { readonly text: string }[];
}
interface Told {
  readonly alert: string | undefined;
  readonly question: string | undefined;
  readonly inStatus: string | null | undefined;
  readonly inList: string | null | undefined;
  readonly words: string;
}

const asksIn = (views: readonly View[]) => views.find(({ name }) => name === 'builder')?.asks;

class Town extends TestTown {
  /** What its doors say once its alerts name the builder, or no longer do: each is asked after the alert was seen. */
  async toldOnce(alerted: boolean): Promise<Told> {
    await until(
      () => this.episodes(),
      (episodes) => episodes.includes(EPISODE) === alerted,
    );
    return this.told();
  }

  /** What its doors say of the builder. */
  async told(): Promise<Told> {
    const [{ sessions, questions }, list, alerts, plain] = await Promise.all([
      this.data<Data>('status'),
      this.data<View[]>('session', 'list'),
      this.data<{ episode: string; text: string }[]>('alerts', 'list'),
      this.run('status'),
    ]);
    return {
      alert: alerts.find(({ episode }) => episode === EPISODE)?.text,
      question: questions.find(({ text }) => text.includes('builder'))?.text,
      inStatus: asksIn(sessions),
      inList: asksIn(list),
      words: plain.stdout,
    };
  }
}

// Rules: P-4, law 7.
test('a permission dialog is named by status, list and alert with what it asks, and all three end with its answer', async () => {
  // The numbers of a user's town: they add up to less than a minute.
  expect(HANDS.askingLookMs + HANDS.askingReadMs + HANDS.asksAfterMs).toBeLessThan(60_000);
  const town = await new Town().up();
  await town.agent('other', [CLAUDE, 'bare']);
  await town.agent('builder', [CLAUDE, 'dialog']);
  const told = await town.toldOnce(true);
  expect(told).toMatchObject({
    alert: `builder waits for a person. It asks: "${ASKS}". Answer it in its pane.`,
    question: expect.stringContaining(ASKS) as string,
    inStatus: ASKS,
    inList: ASKS,
  });
  expect(told.words).toMatch(/1 asks you/);
  expect(told.words).not.toContain('nothing asks you anything');
  expect((await town.run('session', 'list')).stdout).toMatch(/builder .*it asks: Do you want to proceed\?/);
  expect(await town.episodes()).toEqual([EPISODE]);
  // As a person does in that pane.
  town.tmux('send-keys', '-t', '=builder:', '1');
  const over = await town.toldOnce(false);
  expect([over.question, over.inStatus, over.inList]).toEqual([undefined, null, null]);
  expect(over.words).not.toMatch(/asks you|waits for a person/);
  expect(await town.episodes()).toEqual([]);
});
