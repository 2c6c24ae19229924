/** The scenes of an agent's hour: each brings it from rest into a state that the script knows, and back to rest. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  askedAt,
  comes,
  dies,
  empty,
  interrupt,
  isIn,
  markOf,
  prompt,
  rests,
  revive,
  seen,
  settle,
  works,
  type Play,
} from './acts.ts';
import type { Ask } from '../../../src/client/connect.ts';
import { TICKLE_MS, WITHIN } from './policy.ts';

export interface HourScene {
  /** How often it is drawn, beside the others. */
  readonly weight: number;
  /** Programs that have it; absent = all. */
  readonly only?: readonly string[];
  /** At most so often in one walk of an agent; absent = as often as it is drawn. */
  readonly atMost?: number;
  readonly play: (play: Play) => Promise<void>;
}

/** Once a dialog stood for so long it may be an alert. */
const ALERT_FROM_MS = 15_000;
const STANDS_MS = [4_000, 12_000, 40_000, 70_000];
const SAID_S = [8, 14, 24];
const LIMIT_S = 40;
const LIMIT_OVER_MS = 360_000;
const HANG_MS = 50_000;
const TRACE = 'APPROVED-BY-NOBODY';

const turn =
  (mode: string) =>
  async (play: Play): Promise<void> => {
    await works(play, await prompt(play, mode));
    await rests(play);
  };

type Way = (play: Play) => Promise<void>;
const atTerminal: Way = ({ resident: { actor } }) => actor.keys('Enter');
const byEscape: Way = (play) => interrupt(play);
const byTown: Way = async (play) => {
  const { scene, bench, resident, oracle } = play;
  const agent = resident.name;
  const from = Date.now();
  // Who asks for the questions is shown what stands on the screens.
  const dialogOf = async () => {
    const shown = { from: Date.now(), to: Infinity };
    oracle.shown.push(shown);
    const all = await bench.told<readonly Ask[]>('ask', 'list');
    shown.to = Date.now();
    return all.find(({ kind, session }) => kind === 'dialog' && session === agent);
  };
  let ask = await dialogOf();
  while (ask === undefined && Date.now() - from < WITHIN.alertMs + WITHIN.upAgainMs) {
    await pause(WITHIN.pollMs);
    ask = await dialogOf();
  }
  const ms = Date.now() - from;
  oracle.noticed.push({
    scene,
    agent,
    what: 'its question',
    ms,
    limitMs: WITHIN.dialogMs,
    isAcross: oracle.isAcross(from),
  });
  const option = ['yes', '1'].flatMap((word) => ask?.options.find(({ key }) => key === word) ?? [])[0];
  if (ask === undefined || option === undefined) {
    oracle.fault('missed', agent, `its dialog is no question in ${String(ms)} ms: ${JSON.stringify(ask)}`);
    return atTerminal(play);
  }
  if (ms > WITHIN.alertMs + (oracle.isAcross(from) ? WITHIN.upAgainMs : 0))
    oracle.fault('late', agent, `its dialog was a question after ${String(ms)} ms`);
  await bench.told('ask', 'answer', ask.id, option.key).catch((error: unknown) => {
    oracle.fault('missed', agent, `its dialog was not answered: ${String(error)}`);
  });
};

/** It asks, waits for as long as is drawn, and gets its answer so. */
const asking =
  (mode: string, way: Way, runs: boolean | null) =>
  async (play: Play): Promise<void> => {
    const { scene, resident, oracle, chance } = play;
    const agent = resident.name;
    const trace = join(resident.stage.dir, TRACE);
    rmSync(trace, { force: true });
    await prompt(play, `MODE:${mode}`);
    await seen(play, 'blocked');
    oracle.truth(agent, 'asks');
    const standsMs = chance.oneOf(STANDS_MS);
    const cause = oracle.cause(agent, ['needs-input'], { dueMs: WITHIN.alertMs, earliestMs: ALERT_FROM_MS });
    const { from } = cause;
    await oracle.notices({ scene, agent, what: 'dialog', from, limitMs: WITHIN.dialogMs }, isIn('asks'));
    await pause(Math.max(0, from + standsMs - Date.now()));
    oracle.truth(agent);
    await way(play);
    await comes('its dialog never went', WITHIN.turnMs, () =>
      resident.stage.program.blocked.test(resident.actor.screen()) ? null : true,
    );
    oracle.over(cause);
    await rests(play);
    if (runs !== null && existsSync(trace) !== runs)
      oracle.fault('harm', agent, `${scene}: what it asked for ${runs ? 'did not run' : 'ran'}`);
    if (runs === false) await settle(play);
  };

async function limit(play: Play): Promise<void> {
  const { scene, resident, oracle, chance } = play;
  const agent = resident.name;
  // Each limit of a model is another one.
  const lastsS = LIMIT_S + play.marks.length;
  await prompt(play, `MODE:limit:${String(lastsS)}`);
  await seen(play, 'limit');
  // To opencode it is an error of its turn.
  const states = resident.stage.program.id === 'opencode' ? ['limited', 'error'] : ['limited'];
  oracle.truth(agent, ...states);
  const kinds = ['account-limited', ...(states.includes('error') ? ['agent-error', 'needs-input'] : [])];
  const cause = oracle.cause(agent, kinds, { dueMs: WITHIN.alertMs });
  const { from } = cause;
  await oracle.notices({ scene, agent, what: 'limit', from, limitMs: WITHIN.stateMs }, isIn(...states));
  if (resident.stage.program.id === 'opencode') {
    // It tries again by itself, ever more rarely.
    await pause(Math.max(0, from + lastsS * 1_000 - WITHIN.slackMs - Date.now()));
    oracle.truth(agent);
    await comes('it never went on', LIMIT_OVER_MS, () =>
      resident.stage.program.limit.test(resident.actor.screen()) ? null : true,
    );
  } else if (resident.stage.program.id !== 'claude') {
    await pause(WITHIN.alertMs);
    await turn('MODE:stream:12')(play);
  } else {
    if (chance.isHit(0.5)) await resident.actor.keys('Escape');
    const endsAt = from + lastsS * 1_000;
    await pause(Math.max(0, endsAt - Date.now() - WITHIN.slackMs));
    oracle.truth(agent);
    await oracle.notices(
      { scene, agent, what: 'its end', from: endsAt, limitMs: LIMIT_OVER_MS },
      ({ account }) => (account?.barred ?? null) === null,
    );
  }
  oracle.over(cause);
  await rests(play);
  await settle(play);
}

async function login(play: Play): Promise<void> {
  const { scene, resident, oracle } = play;
  const agent = resident.name;
  const isClaude = resident.stage.program.id === 'claude';
  await prompt(play, 'MODE:error');
  await seen(play, isClaude ? 'login' : 'error');
  oracle.truth(agent, 'logged_out', ...(isClaude ? [] : ['error']));
  const cause = oracle.cause(agent, ['account-logged-out', ...(isClaude ? [] : ['agent-error', 'needs-input'])], {
    dueMs: WITHIN.alertMs,
  });
  const { from } = cause;
  await oracle.notices(
    { scene, agent, what: 'dead login', from, limitMs: WITHIN.stateMs },
    isIn('logged_out', 'error'),
  );
  await pause(WITHIN.alertMs);
  oracle.truth(agent);
  await prompt(play, 'MODE:stream:12');
  await rests(play);
  // Where a login is no file, only an agent that rests for a while shows that it works.
  await pause(WITHIN.restMs);
  oracle.over(cause);
}

async function hang(play: Play): Promise<void> {
  await works(play, await prompt(play, 'MODE:hang'));
  await pause(HANG_MS);
  play.oracle.truth(play.resident.name);
  await interrupt(play);
  await empty(play);
  await rests(play);
  await settle(play);
}

const PAGE = 'No sign of you';
const pages = ({ resident }: Play): number => resident.stage.log().split(PAGE).length - 1;

/** At rest for longer than the threshold of Tickle: one page, which it answers. */
async function silence(play: Play): Promise<void> {
  const { scene, resident, oracle } = play;
  const agent = resident.name;
  await turn('MODE:stream:8')(play);
  const from = Date.now();
  const before = pages(play);
  oracle.truth(agent, 'idle', 'working');
  // A town that was killed pages no agent at first.
  const dueAt = (): number =>
    Math.max(from + TICKLE_MS.threshold, (oracle.kills.at(-1) ?? -Infinity) + WITHIN.upAgainMs + TICKLE_MS.grace);
  while (pages(play) === before && Date.now() < dueAt() + WITHIN.alertMs) await pause(WITHIN.pollMs);
  const at = Date.now();
  if (pages(play) === before)
    oracle.fault('missed', agent, `${scene}: silent for ${String(at - from)} ms, and no page`);
  else {
    const ms = at - dueAt();
    oracle.noticed.push({ scene, agent, what: 'page', ms, limitMs: TICKLE_MS.scan, isAcross: oracle.isAcross(from) });
    if (ms > TICKLE_MS.scan + 2 * WITHIN.slackMs)
      oracle.fault('late', agent, `${scene}: paged ${String(ms)} ms after its threshold`);
  }
  await rests(play);
}

/** Too short to be seen at work. */
async function flood(play: Play): Promise<void> {
  await prompt(play, 'MODE:flood:60000');
  await rests(play);
}

async function exit(play: Play): Promise<void> {
  await dies(play, () => play.resident.actor.say('/exit'));
}

/** It sums up its conversation, and goes on with the same one. */
async function compact(play: Play): Promise<void> {
  const { scene, resident, oracle } = play;
  const agent = resident.name;
  await turn('MODE:stream:8')(play);
  const before = oracle.view(agent)?.conversation?.id;
  const asked = resident.stage.log().length;
  oracle.truth(agent);
  await resident.actor.say('/compact');
  await comes('it never summed up', WITHIN.turnMs, () => (resident.stage.log().length > asked ? true : null));
  await rests(play);
  await settle(play);
  const after = oracle.view(agent)?.conversation?.id;
  if (after !== before)
    oracle.fault('harm', agent, `${scene}: its conversation was ${String(before)}, and is ${String(after)}`);
}

const send =
  (isBusy: boolean) =>
  async (play: Play): Promise<void> => {
    const { scene, resident, oracle, town, chance } = play;
    if (isBusy) await works(play, await prompt(play, `MODE:stream:${String(chance.oneOf(SAID_S))}`));
    const mark = markOf(play);
    oracle.truth(resident.name);
    const from = Date.now();
    await town.send(resident.name, `${mark} MODE:prose`);
    await comes(`${scene}: the work never came`, WITHIN.turnMs, () => askedAt(play, mark)).catch(() => {
      oracle.fault('missed', resident.name, `${scene}: sent ${String(Date.now() - from)} ms ago, and never given`);
    });
    await rests(play);
  };

export const HOUR: Readonly<Record<string, HourScene>> = {
  text: { weight: 3, play: (play) => turn(`MODE:stream:${String(play.chance.oneOf(SAID_S))}`)(play) },
  tool: { weight: 3, play: (play) => turn(`MODE:tool:${String(play.chance.oneOf(SAID_S))}`)(play) },
  flood: { weight: 1, play: flood },
  'asks, terminal': { weight: 2, play: asking('permission', atTerminal, true) },
  'asks, town': { weight: 2, play: asking('permission', byTown, true) },
  'asks, Esc': { weight: 2, play: asking('permission', byEscape, false) },
  'question, terminal': { weight: 1, play: asking('ask', atTerminal, null) },
  'question, town': { weight: 1, play: asking('ask', byTown, null) },
  limit: { weight: 1, atMost: 3, play: limit },
  login: { weight: 1, atMost: 3, play: login },
  hang: { weight: 1, play: hang },
  silence: { weight: 1, atMost: 4, play: silence },
  exit: { weight: 1, atMost: 3, play: exit },
  // A conversation that ended three lives in a row is begun anew (M-11).
  'kill -9': { weight: 1, atMost: 2, play: revive },
  compact: { weight: 1, atMost: 3, play: compact },
  send: { weight: 2, play: send(false) },
  'send, at work': { weight: 1, play: send(true) },
};
