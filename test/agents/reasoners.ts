/** Real agent programs as the reasoner of triage, each by the command that docs/triage.md gives for it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TRIAGE } from '../../machines/triage/policy.ts';
import { requestTriage } from '../../src/triage/requests.ts';
import type { TriageReport } from '../../src/cli/commands/triage.ts';
import { openLedger } from '../../state/ledger/sqlite.ts';
import { playOne } from './play-one.ts';
import { programOf } from './programs.ts';
import type { Stage } from './stage.ts';

const HOUSE = join(import.meta.dirname, '..', '..');
const AGENTS = ['shop/polecats/nux', 'shop/polecats/ada'] as const;

/** The five, and a name that Claude keeps for a tool that is none. */
const OWN = /gt_(?:triage_resolve|mail_send|escalate|nudge|done)$|^DeferredToolPlaceholder$/;

/** By program: the words behind `command = `, as a person copies them. */
function promised(): ReadonlyMap<string, string> {
  const page = readFileSync(join(HOUSE, 'docs', 'triage.md'), 'utf8');
  const commands = [...page.matchAll(/^(?:# )?command = '(.*TOWN_PROMPT_FILE.*)'/gm)].map(
    ([, command = '']) => command,
  );
  return new Map(commands.map((command) => [command.split(' ')[0] ?? '', command]));
}

async function ask(root: string): Promise<string[]> {
  const ledger = openLedger({ root, wall: Date.now });
  const ids: string[] = [];
  try {
    for (const agent of AGENTS) {
      const about = { type: 'stuck_agent', agent, rig: 'shop', why: 'no progress', by: 'shop/witness' } as const;
      ids.push((await requestTriage(ledger, { ...about, now: Date.now(), policy: TRIAGE })).id);
    }
  } finally {
    ledger.close();
  }
  return ids;
}

/** What is not as promised; null = it decided both cases, with the town's tools and no other. */
async function decided(stage: Stage, command: string): Promise<string | null> {
  const root = join(stage.home, '.town');
  mkdirSync(root);
  writeFileSync(
    join(root, 'town.toml'),
    `[rig.shop]\nmax_polecats = 2\n[triage]\ncommand = ${JSON.stringify(command)}\n`,
  );
  const ids = await ask(root);
  const main = join(HOUSE, 'src', 'main.ts');
  const printed = stage.run(process.execPath, main, '--root', root, '--json', 'triage', 'run');
  const { run } = (JSON.parse(printed) as { data: TriageReport }).data;
  const offered = new Set(
    [...stage.log().matchAll(/ of (\S*gt_\S*) "/g)].flatMap(([, tools = '']) => tools.split(',')),
  );
  const others = [...offered].filter((tool) => !OWN.test(tool));
  if (others.length > 0) return `it was offered ${others.join(', ')} too`;
  const missing = ids.filter((id) => run?.resolved.includes(id) !== true);
  return missing.length === 0
    ? null
    : `undecided: ${missing.join(', ')}; ${run?.text ?? 'no run'}; ${run?.output ?? ''}`;
}

/** How many did not do as promised. */
export async function playReasoners(only: readonly string[] | undefined, say: (line: string) => void): Promise<number> {
  let wrong = 0;
  for (const [id, command] of promised()) {
    const program = programOf(id);
    if (only?.includes(id) === false) continue;
    const right = 'decided each case by the five tools, and was offered no other';
    wrong += await playOne(program, [{ as: 'as reasoner', right, say, play: (stage) => decided(stage, command) }]);
  }
  return wrong;
}
