/**
 * `npm run agents`: the real agent programs, each in a network namespace without a way out and with a model that answers by
 * rote, accused before a town of this checkout. Prints agent × scene with the verdict that came; exit 1 where one is wrong.
 *   npm run agents -- [--agent A]… [--scene S]… [--subset] [--default-windows] [--jobs N] [--json FILE]
 *   npm run agents -- promised [--agent A]…
 *   npm run agents -- ears [--agent A]…
 *   npm run agents -- answers [--agent A]…
 *   npm run agents -- dialogs [--agent A]…
 *   npm run agents -- resume [--agent A]…
 *   npm run agents -- sends [--agent A]…
 *   npm run agents -- workers [--agent A]…
 *   npm run agents -- accounts
 *   npm run agents -- halts
 *   npm run agents -- limits
 *   npm run agents -- background
 *   npm run agents -- costs [--agent A]…
 *   npm run agents -- hour [--minutes N] [--seed S] [--agent A]… [--scene S]…
 *   npm run agents -- report FILE…
 *   npm run agents -- record --out DIR [--agent A]… [--size WxH]… [--take T]…
 * `ears`: what a town says of Claude Code, Codex and opencode by the program's own word, without a screen.
 * `answers`: what they ask is answered by IRC, ntfy, the popup of tmux and MCP: once, and not behind a person at the pane.
 * `dialogs`: how soon the status names a dialog, and how soon an answer to it is proved, ten times each.
 * `resume`: Claude Code, Codex and opencode are killed, as a list of words and as a line, and the next life goes on.
 * `sends`: work that an agent takes without a key.
 * `workers`: what an orchestrator is told of agents in each state, and which of them Tickle pages.
 * `accounts`: two of each with one dead login.
 * `halts`: a limit, a refused key and a denied step of Claude Code, by its hooks.
 * `limits`: three of one account after a limit that cut two of them off.
 * `hour`: several agents at once in random scenes before one town that is killed now and then; the seed repeats the walk.
 * `background`: one of `claude --bg`, without a pane.
 * `costs`: what an agent took, by its program's own count, while it makes one call again and again.
 * `promised`: by the commands of the pages one reasons about cases of triage, one patrols a rig, one works there; the subset ends so too.
 * The subset plays a miss once more, alone; what must never happen is never played again. `report` joins kept runs, each scene
 * as it was played last, into the table of docs/agents.md. `record` keeps their screens as fixtures, with a label each. Where namespaces, tmux or the registry are missing it says so
 * and exits 0. Programs are kept below ~/.cache/townwatch/agents ($TOWNWATCH_AGENTS).
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { wordsGiven } from '../../scripts/usage.ts';
import { playAccounts } from './accounts.ts';
import { playAnswers } from './answers.ts';
import { playBackground } from './background.ts';
import { playCosts } from './costs.ts';
import { playDialogs } from './dialogs.ts';
import { playEars } from './ears.ts';
import { playHalts } from './halts.ts';
import { playHour } from './hour/play.ts';
import { playLimits } from './limits.ts';
import { playResume } from './resume.ts';
import { isHarm, PACES, playMatrix, type Cell } from './matrix.ts';
import { PROGRAMS } from './programs.ts';
import { playPatrols } from './patrols.ts';
import { playReasoners } from './reasoners.ts';
import { record } from './record.ts';
import { SCENES, SUBSET } from './scenes.ts';
import { closeStages } from './stage.ts';
import { marksOf, promisesOf } from './tables.ts';
import { TAKES } from './takes.ts';
import { playSends } from './sends.ts';
import { playWorkers } from './workers.ts';

const several = { type: 'string', multiple: true } as const;
const USAGE = `npm run agents -- [--agent A]… [--scene S]… [--subset] [--default-windows] [--jobs N] [--json FILE]
npm run agents -- promised [--agent A]…
npm run agents -- ears [--agent A]…
npm run agents -- answers [--agent A]…
npm run agents -- dialogs [--agent A]…
npm run agents -- resume [--agent A]…
npm run agents -- sends [--agent A]…
npm run agents -- workers [--agent A]…
npm run agents -- accounts
npm run agents -- halts
npm run agents -- limits
npm run agents -- background
npm run agents -- costs [--agent A]…
npm run agents -- hour [--minutes N] [--seed S] [--agent A]… [--scene S]…
npm run agents -- report FILE…
npm run agents -- record --out DIR [--agent A]… [--size WxH]… [--take T]…

Plays real agent programs in scenes, without a network and with a model that answers by rote, and prints agent by scene
with the verdict. Exit 1 if one is wrong. \`ears\` plays the states that a program tells itself;
\`resume\` kills one, whose next life goes on with its conversation; \`sends\` gives one work without a key;
\`accounts\` plays a dead login of two; \`halts\` turns that end early; \`limits\` what
follows a limit; \`background\` one without a pane; \`hour\` leads several agents at once through random scenes
before one town that is killed now and then (60 minutes, --scene draws only these), and prints how soon the town
said each, what it missed, its false alarms and the seed, which repeats the walk; \`costs\` one in a loop; \`workers\` plays what the
monitor and Tickle make of each state; \`promised\` plays the commands that docs/ shows; \`report\` joins runs that
--json kept; \`record\` keeps screens as fixtures.

agents: ${PROGRAMS.map(({ id }) => id).join(', ')}
scenes: ${Object.keys(SCENES).join(', ')}`;
const { values, positionals } = wordsGiven(USAGE, {
  agent: several,
  scene: several,
  size: several,
  take: several,
  subset: { type: 'boolean' },
  'default-windows': { type: 'boolean' },
  jobs: { type: 'string', default: '2' },
  json: { type: 'string' },
  out: { type: 'string', default: 'screens' },
  minutes: { type: 'string', default: '60' },
  seed: { type: 'string', default: String(Date.now() % 100_000) },
});
const [order, ...files] = positionals;
const say = (line: string) => void process.stdout.write(`${line}\n`);

function missing(): string | null {
  const runs = (program: string, ...words: string[]) => spawnSync(program, words, { stdio: 'ignore' }).status === 0;
  if (!runs('tmux', '-V')) return 'tmux is not installed';
  return runs('unshare', '-n', 'ip', 'link', 'set', 'lo', 'up') ? null : 'no network namespace can be made here';
}

async function play(agents: readonly string[], scenes: readonly string[], jobs: number): Promise<Cell[] | null> {
  const programs = PROGRAMS.filter(({ id }) => agents.includes(id));
  return playMatrix({ programs, scenes, pace: values['default-windows'] ? PACES.real : PACES.short, jobs, say });
}

async function judge(): Promise<number> {
  const agents: readonly string[] = values.agent ?? (values.subset ? SUBSET.agents : PROGRAMS.map(({ id }) => id));
  const scenes = values.scene ?? (values.subset ? SUBSET.scenes : Object.keys(SCENES));
  const played = await play(agents, scenes, Number(values.jobs));
  if (played === null) return 0;
  const cells = values.subset ? await again(played) : played;
  const wrong = cells.filter(({ isRight }) => !isRight).length;
  say(`\n${marksOf(cells)}\n\n${promisesOf(cells)}\n\n${cells.length - wrong} of ${cells.length} right`);
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ schema: 'agents/1', data: { cells } }, null, 2)}\n`);
  const odd = values.subset ? await playPromised(agents) : 0;
  return wrong + odd === 0 ? 0 : 1;
}

/** What the pages promise of programs by their commands; how many did not do it. */
const playPromised = async (agents: readonly string[] | undefined): Promise<number> =>
  (await playReasoners(agents, say)) + (await playPatrols(agents, say));

/** A machine that is busy with other tests may be too slow once. */
async function again(cells: readonly Cell[]): Promise<Cell[]> {
  const last: Cell[] = [];
  for (const cell of cells) {
    const isOver = cell.isRight || isHarm(cell);
    last.push(isOver ? cell : ((await play([cell.agent], [cell.scene], 1))?.[0] ?? cell));
  }
  return last;
}

function report(files: readonly string[]): number {
  const kept = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as { data: { cells: Cell[] } });
  const last = new Map(kept.flatMap(({ data }) => data.cells).map((cell) => [`${cell.agent} ${cell.scene}`, cell]));
  const cells = [...last.values()];
  say(`${marksOf(cells)}\n\n${promisesOf(cells)}`);
  return 0;
}

async function keep(): Promise<number> {
  const programs = PROGRAMS.filter(({ id }) => values.agent?.includes(id) ?? true);
  const sizes = values.size ?? ['120x40', '80x24', '200x50'];
  const missed = await record({ programs, sizes, takes: values.take ?? Object.keys(TAKES), out: values.out, say });
  say(`${missed} missed`);
  return missed === 0 ? 0 : 1;
}

const hour = (): Promise<number> => {
  const agents = values.agent ?? ['claude', 'codex', 'opencode'].flatMap((id) => [id, id]);
  return playHour({ agents, minutes: Number(values.minutes), seed: Number(values.seed), scenes: values.scene, say });
};

async function run(): Promise<number> {
  if (order === 'report') return report(files);
  if (order === 'record') return keep();
  if (order === 'ears') return playEars(values.agent, say);
  if (order === 'answers') return playAnswers(values.agent, say);
  if (order === 'dialogs') return playDialogs(values.agent, say);
  if (order === 'resume') return playResume(values.agent, say);
  if (order === 'sends') return playSends(values.agent, say);
  if (order === 'workers') return playWorkers(values.agent ?? ['claude', 'codex'], say);
  if (order === 'accounts') return playAccounts(say);
  if (order === 'halts') return playHalts(say);
  if (order === 'limits') return playLimits(say);
  if (order === 'background') return playBackground(say);
  if (order === 'hour') return hour();
  if (order === 'costs') return playCosts(values.agent, say);
  return order === 'promised' ? Math.min(1, await playPromised(values.agent)) : judge();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void closeStages().finally(() => process.exit(1)));
const why = order === 'report' ? null : missing();
if (why !== null) say(`skipped: ${why}`);
else process.exitCode = await run();
