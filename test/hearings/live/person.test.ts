/** A person at the keys of a real second client: what the town would type waits, and goes out when they have left. Law 6. */
import { describe, expect, test } from 'vitest';
import type { Incarnation, OutcomeBody } from '../../../machines/protocol.ts';
import { peopleAt } from '../../../src/hearings/people.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { withServer } from '../../tmux/server.ts';
import { untilOver } from '../../world/over.ts';
import type { Court } from './court.ts';
import { bash, claude } from './questions.ts';
import { courtWith } from './courts.ts';

/** client_activity counts whole seconds. */
const AWAY = { personWithinMs: 3_000, nudgeEveryMs: 0, maxEnters: 1_000 };
/** Its program misses each Enter until the person took back what they typed, so that they come between two of them. */
const MISSED = 'taken-back';

const box = async (court: Court, target: Incarnation): Promise<string> =>
  (await court.text(target))
    .split('\n')
    .findLast((row) => row.startsWith('❯'))
    ?.slice(2)
    .trim() ?? '';

/** All words of the composer, in one row. */
async function held(court: Court, target: Incarnation): Promise<string> {
  const rows = (await court.text(target)).split('\n');
  const from = rows.findLastIndex((row) => row.startsWith('❯'));
  const to = rows.findIndex((row, at) => at > from && row.startsWith('──'));
  return rows.slice(from, to).join('').trimEnd();
}

/** An agent whose pane a person's terminal shows. */
async function attended(command: readonly string[], ready = '') {
  const { court, target } = await courtWith(command, { ready, policy: AWAY });
  const terminal = untilOver(await withServer());
  const attach = ['env', '-u', 'TMUX', 'tmux', '-S', court.server.socketPath, 'attach', '-t', target.sessionId];
  const come = async (): Promise<void> => {
    await terminal.tmux('new-session', '-d', '-s', 'person', ...attach);
    await court.until(async () => {
      return (await court.server.tmux('list-clients', '-F', '#{client_control_mode}')).includes('0');
    }, 'the client of the person');
  };
  const press = (...keys: string[]): Promise<string> => terminal.tmux('send-keys', '-t', '=person:', ...keys);
  return { court, target, come, press };
}

interface Way {
  readonly type: (court: Court, target: Incarnation) => Promise<OutcomeBody>;
  readonly done: OutcomeBody['type'];
  readonly waits: OutcomeBody['type'];
}
const WAYS: Record<string, Way> = {
  'a nudge': { type: (court, target) => court.nudge(target), done: 'NUDGED', waits: 'NOT_NUDGED' },
  'a question': { type: (court, target) => court.ask(target), done: 'ASKED', waits: 'NOT_ASKED' },
  'a health check': { type: (court, target) => court.check(target), done: 'ASKED', waits: 'NOT_ASKED' },
};

describe.each(Object.entries(WAYS))('%s', (_, { type, done, waits }) => {
  const goesOut = async (court: Court, target: Incarnation): Promise<void> => {
    let last: OutcomeBody | null = null;
    await court.until(
      async () => (last = await type(court, target)).type === done,
      () => `it to go out; last ${JSON.stringify(last)}`,
    );
  };

  // Rules: law 6.
  test('waits while a person types there, and goes out afterwards, into an empty composer', async () => {
    const { court, target, come, press } = await attended(claude('deaf'), 'shortcuts');
    await come();
    await press('draft');
    await court.until(async () => (await box(court, target)) === 'draft', 'the words of the person');
    expect(await type(court, target)).toMatchObject({ type: waits, obstacle: { kind: 'person' } });
    await press(...Array.from({ length: 'draft'.length }, () => 'BSpace'));
    await court.until(async () => (await box(court, target)) === '', 'an empty composer');
    expect(await type(court, target)).toMatchObject({ type: waits, obstacle: { kind: 'person' } });
    await goesOut(court, target);
  });

  // Rules: law 6, D-6.
  test('waits while a person reads a dialog, and goes out once they answered it and left', async () => {
    const dialog = 'printf "Do you want to proceed? [y/N] "; read -r answer; echo "was: $answer"; exec cat';
    const { court, target, come, press } = await attended(bash(dialog), 'y/N');
    await come();
    expect(await type(court, target)).toMatchObject({ type: waits, obstacle: { kind: 'person' } });
    await press('n', 'Enter');
    await goesOut(court, target);
    expect(await court.text(target)).toContain('was: n');
  });

  // Rules: law 6, D-6.
  test('is not sent while a person types behind it, and gets its Enter once they have taken their words back', async () => {
    const { court, target, come, press } = await attended(claude('deaf', '', MISSED), 'shortcuts');
    const first = type(court, target);
    await court.until(async () => (await box(court, target)) !== '', 'our text');
    await come();
    await press('z');
    expect(await first).toMatchObject({ type: waits });
    await court.until(async () => (await held(court, target)).endsWith('z'), 'the sign of the person');
    await press('BSpace');
    await goesOut(court, target);
    expect(await court.text(target)).not.toMatch(/z\s*$/m);
  });
});

// Rules: law 6, law 8.
test('two questions to tmux tell in whose panes people are, however many agents there are', async () => {
  const { court, target, come, press } = await attended(bash('exec cat'));
  const others = [await court.start(bash('exec cat')), await court.start(bash('exec cat'))];
  const asked: string[] = [];
  const tmux = {
    server: () => court.tmux.server(),
    query: (words: readonly string[]) => {
      asked.push(words[0] ?? '');
      return court.tmux.query(words);
    },
  };
  const look = () => peopleAt({ tmux, clock: systemClock, policy: court.policy }, [target, ...others]);
  expect([...(await look())]).toEqual([]);
  expect(asked).toEqual(['list-panes', 'list-clients']);
  await come();
  await press('x');
  await court.until(async () => [...(await look())].join(' ') === target.session, 'the person to be seen');
});
