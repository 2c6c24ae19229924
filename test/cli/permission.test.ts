/** Law 11: who may give which command. A command that is not in the table is no command. */
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { mailboxOf } from '../../src/cli/asking/post.ts';
import { Context } from '../../src/cli/context.ts';
import { tell } from '../../src/terminal/failure.ts';
import { build, run } from '../../src/cli/program.ts';
import { realDisk } from '../../state/files/disk.ts';
import { episode, putAlerts } from '../state/make.ts';
import { TestTown } from './town.ts';

/**
 * reads      it changes nothing, so anybody may
 * operator   no agent
 * as itself  an agent in its own name and for itself only; `other` shows how it would for another
 * the Deacon only where one is a session, and only it
 * a run of triage  only one, by its token; it may do what its tools do and no more
 */
type Who = 'reads' | 'operator' | 'as itself' | 'the Deacon' | 'a run of triage';
interface Row {
  readonly who: Who;
  /** What an agent is refused, exit 5. */
  readonly refused?: readonly string[];
  /** What it is not refused, though it may fail while no town runs. */
  readonly allowed?: readonly string[];
}

const reads: Row = { who: 'reads' };
const operator = (refused = ''): Row => ({ who: 'operator', refused: [refused] });
const itself = (refused: readonly string[], allowed: readonly string[]): Row => ({
  who: 'as itself',
  refused,
  allowed,
});

/** The words behind the command; `other` and `protected` are sessions, the caller is the agent of `builder`. */
const COMMANDS: Readonly<Record<string, Row>> = {
  up: operator(),
  down: { who: 'operator', refused: ['', '--purge'] },
  reload: operator(),
  restart: operator(),
  status: reads,
  health: reads,
  // It makes a town of its own and touches no other.
  demo: reads,
  doctor: reads,
  'config check': reads,
  'config show': reads,
  'config trust': operator('/tmp'),
  'daemon run': operator(),
  'daemon status': reads,
  'daemon logs': reads,
  'warrant file': itself(['other --reason x --by mayor'], ['other --reason x', 'builder --reason x --by builder']),
  'warrant list': reads,
  'warrant show': reads,
  'warrant cancel': operator('w-dog-1'),
  alive: itself(['M2X9'], []),
  'dog pool status': reads,
  'dog dances': reads,
  'dog show': reads,
  why: reads,
  'channel list': reads,
  'channel test': operator('ntfy'),
  'channel deliver': operator(),
  'session list': reads,
  'session status': reads,
  'session start': itself(
    [
      'other',
      'new -- sh',
      'gone',
      'protected',
      'builder -- sh',
      'builder --dir /tmp',
      'builder --tag x',
      'builder --restart permanent',
      'builder --env HOME',
      'other --restart never',
    ],
    ['builder'],
  ),
  'session stop': { who: 'operator', refused: ['other', 'builder', 'builder --force', 'other --no-wait'] },
  'session restart': { who: 'operator', refused: ['other', 'builder', 'builder --force'] },
  'session remove': operator('builder'),
  'session attach': reads,
  'session logs': reads,
  'session adopt': { who: 'operator', refused: ['other', 'builder', 'foreign --process sh'] },
  'session kill': { who: 'operator', refused: ['other', 'other --force', 'builder --force'] },
  'rig add': operator('shop --repo /tmp'),
  'rig set': { who: 'operator', refused: ['shop --remote', 'shop --base other'] },
  'rig list': reads,
  'rig show': reads,
  'rig remove': operator('shop'),
  'polecat spawn': { who: 'operator', refused: ['shop nux -- sh', 'shop builder', 'shop nux --from main -- sh'] },
  'polecat list': reads,
  'polecat status': reads,
  'polecat git-state': reads,
  'polecat log': reads,
  'polecat diff': reads,
  'polecat check': operator('shop/nux'),
  'polecat nuke': { who: 'operator', refused: ['shop/nux', 'shop/nux --push'] },
  send: { who: 'operator', refused: ['builder hello', '--all hello', '--tag worker hello', '--cancel abc', '--list'] },
  nudge: itself(['other hello', 'protected hello', 'builder --raw /exit'], ['builder hello']),
  watch: reads,
  workers: reads,
  'watchdog start': operator('builder'),
  'watchdog stop': operator(),
  'watchdog status': reads,
  'report-status': itself(['working --session other'], ['working']),
  explain: reads,
  record: reads,
  'rules test': reads,
  'rules list': reads,
  'rules check': reads,
  'boot status': reads,
  'boot triage': operator(),
  'tickle status': reads,
  'tickle scan': operator(),
  'tickle cycle': operator(),
  'tickle page': operator('builder'),
  'tickle start': operator(),
  'tickle stop': operator(),
  'deacon status': reads,
  'deacon heartbeat': { who: 'the Deacon', refused: [''] },
  'deacon health-check': itself(['', 'other', 'protected'], ['builder']),
  'deacon patrol': { who: 'the Deacon', refused: [''] },
  'deacon stale-hooks': operator(),
  'deacon redispatch': operator('tw-1'),
  'plugin list': reads,
  'plugin run': operator('nightly'),
  'witness list': reads,
  'witness status': reads,
  'witness patrol': operator('shop'),
  'triage list': reads,
  'triage show': reads,
  'triage resolve': { who: 'operator', refused: ['tw-1 NUDGE', 'tw-1 COMMIT_AND_PUSH --all'] },
  'triage run': operator(),
  'triage done': { who: 'a run of triage', refused: [''] },
  mcp: operator('--role operator'),
  skill: reads,
  'deacon pause': operator(),
  'deacon resume': operator(),
  handoff: itself([], ['-s x']),
  'mail send': itself(
    ['overseer --subject x --from mayor', 'deacon --subject x --from other'],
    ['overseer --subject x'],
  ),
  'mail inbox': itself(['--for overseer', '--for other'], ['']),
  'mail read': itself(['m-1 --for other'], ['m-1']),
  'mail archive': itself(
    ['m-1 --for other', 'm-1 --for overseer', '--all --for other', '--before 1d --for overseer'],
    ['m-1', '--all', '--from mayor --read'],
  ),
  'mail check': itself(['--for other', '--inject --for overseer'], ['', '--inject']),
  questions: operator(),
  answer: operator('1 seen'),
  'ask list': operator(),
  'ask show': operator('1'),
  'ask answer': operator('1 seen'),
  'alerts list': reads,
  'alerts poll': itself(['--for orchestrator'], ['--for worker']),
  timeline: reads,
  report: reads,
  costs: reads,
  completion: reads,
  plan: itself([], ['nothing.md --rig shop']),
  sling: operator('tw-1 shop'),
  refinery: operator('shop'),
  'service install': operator(),
  'service uninstall': operator(),
  'service status': reads,
  'hooks install': operator('claude'),
  'hooks uninstall': operator('claude'),
  'hooks status': reads,
  'bead create': itself(['x --actor mayor'], ['x', 'x --actor builder --assignee other']),
  'bead list': reads,
  'bead ready': reads,
  'bead show': reads,
  'bead update': itself([], ['tw-1 --status open']),
  'bead close': itself([], ['tw-1']),
  'bead approve': operator('tw-1'),
  'bead reopen': itself([], ['tw-1']),
  'bead hook': itself([], ['tw-1 builder']),
  'bead unhook': itself([], ['tw-1']),
  'bead squash': itself([], ['tw-1']),
  'bead dep add': itself([], ['tw-1 tw-2']),
  'bead dep remove': itself([], ['tw-1 tw-2']),
  'bead dep list': reads,
  'bead import': itself([], ['nothing.jsonl']),
  'bead export': reads,
  'bead gate create': itself(['x --timeout 1h'], []),
  'bead gate list': reads,
  'bead gate check': itself([], ['', '--escalate']),
  'convoy create': itself([], ['x tw-1']),
  'convoy list': reads,
  'convoy show': reads,
  'convoy add': itself([], ['tw-1 tw-2']),
  'convoy close': itself([], ['tw-1']),
  escalate: itself(['x --actor mayor'], ['x', 'x -s high']),
  'escalation list': reads,
  ack: itself(['usage-limit/other', 'usage'], ['tw-1']),
  'evidence add': itself(['x --author mayor'], ['x', 'x --author builder']),
  'evidence list': reads,
  bd: reads,
};

let town: TestTown;
beforeAll(async () => {
  town = new TestTown('[town]\nprotected = ["protected"]\n[deacon]\nmode = "session"\n');
  for (const name of ['builder', 'other', 'protected', 'hq-deacon']) town.session(name);
  town.session('gone', { state: 'ended' });
  town.dance('dog-1', 'other');
  const disk = realDisk(town.root, 1);
  await disk.mkdir('alerts');
  await putAlerts(disk, episode('usage-limit/other', { session: 'other' }));
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The exit code of the command line in this process, and what it says. */
async function as(token: string | undefined, words: readonly string[]): Promise<{ exit: number; text: string }> {
  vi.stubEnv('TOWN_TOKEN', token);
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockReturnValue(true);
  try {
    return { exit: await run(new Context({ root: town.root, json: false, rest: words }), words), text: '' };
  } catch (error) {
    const { exit, lines } = tell(error);
    return { exit, text: lines.join('\n') };
  } finally {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  }
}

function leaves(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(' ')];
  return command.commands.flatMap((inner) => leaves(inner, [...path, inner.name()]));
}
const cases = (of: 'refused' | 'allowed', ...whose: readonly Who[]): string[] =>
  Object.entries(COMMANDS).flatMap(([name, row]) =>
    whose.includes(row.who) ? (row[of] ?? []).map((more) => `${name} ${more}`.trim()) : [],
  );

// Rules: law 11.
test('every command stands in the table', () => {
  const program = build(() => Promise.resolve());
  expect(Object.keys(COMMANDS).sort()).toEqual(leaves(program).sort());
});

describe('a command', () => {
  test.each(cases('refused', 'operator', 'as itself', 'the Deacon'))('an agent may not: %s', async (line) => {
    const { exit, text } = await as('token-of-builder', line.split(' '));
    expect([exit, text]).toEqual([5, expect.stringMatching(/builder|the operator/)]);
    for (const folder of ['deacon/dogs/warrants', 'deacon/dogs/answers', 'daemon', 'mail'])
      expect(town.names(folder)).toEqual([]);
  });

  test.each([...cases('refused', 'operator', 'as itself', 'the Deacon'), ...cases('allowed', 'as itself')])(
    'an empty token, or that of a life that is over, may not: %s',
    async (line) => {
      for (const token of ['', 'token-of-gone'])
        expect(await as(token, line.split(' '))).toMatchObject({
          exit: 5,
          text: expect.stringMatching(/TOWN_TOKEN belongs to no living/) as string,
        });
    },
  );

  test.each(cases('allowed', 'as itself'))('an agent may, as itself: %s', async (line) => {
    expect((await as('token-of-builder', line.split(' '))).exit).not.toBe(5);
  });

  // Rules: P-14, law 11.
  test('the tools of a reasoner are served to no caller without its token: a model would decide as the operator', async () => {
    expect(await as(undefined, ['mcp', '--role', 'triage'])).toMatchObject({
      exit: 5,
      text: expect.stringContaining('there is no TOWN_TOKEN') as string,
    });
  });

  test('the agent of a protected session starts nothing either; the operator does', async () => {
    expect(await as('token-of-protected', ['session', 'start', 'protected'])).toMatchObject({
      exit: 5,
      text: 'protected is protected by "protected" in [town] protected; the operator may start it',
    });
    for (const name of ['protected', 'other', 'gone']) {
      expect(await as(undefined, ['session', 'start', name])).toMatchObject({ exit: 3 });
    }
  });

  // Rules: law 6.
  test('the agent of a protected session leaves its note and asks for no end', async () => {
    expect((await as('token-of-protected', ['handoff', '-s', 'x'])).exit).toBe(0);
    const from = async (address: string): Promise<string[]> => {
      const { box } = await mailboxOf(new Context({ root: town.root, json: false, rest: [] }), address);
      return (await box.inbox()).flatMap(({ from, subject }) => (from === 'protected' ? [subject] : []));
    };
    expect([await from('protected'), await from('deacon')]).toEqual([['HANDOFF: x'], []]);
  });

  test('the Deacon in a session beats, patrols and checks others, and no more than that', async () => {
    expect((await as('token-of-hq-deacon', ['deacon', 'heartbeat'])).exit).toBe(0);
    expect((await as('token-of-hq-deacon', ['deacon', 'patrol', '--once'])).exit).toBe(0);
    expect((await as('token-of-hq-deacon', ['deacon', 'health-check', 'other'])).exit).toBe(3);
    for (const words of [
      ['boot', 'triage'],
      ['session', 'start', 'other'],
      ['deacon', 'pause'],
    ])
      expect((await as('token-of-hq-deacon', words)).exit).toBe(5);
  });
});
