/** What a run of triage is given by its command: the reasoner's words, and what is so of a case now. */
import { addressOf, polecatIn, sessionOf, sessionOfAgent, wordsOf } from '../../../machines/rigs/names.ts';
import type { TriageCase } from '../../../machines/triage/cases.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { TOWN } from '../../package.ts';
import { createProcesses } from '../../proc/processes.ts';
import { publicationOf } from '../../rigs/publication.ts';
import { worktreeText } from '../../rigs/uncommitted.ts';
import { span } from '../../../machines/kernel/span.ts';
import { clean } from '../../terminal/print.ts';
import type { Described } from '../../triage/prompt.ts';
import type { TriageDeps } from '../../triage/run.ts';
import type { Context } from '../context.ts';
import { yardOf } from './yard.ts';
import { TRIAGE_RECORDS } from '../../triage/policy.ts';
import { newestOf } from '../../ledger/walk.ts';

/** Lines of a description and of a worktree that a case is shown with. */
const { maxLines: MAX_LINES } = TRIAGE_RECORDS;

export async function runDeps(context: Context, ledger: Ledger, cancelled: AbortSignal): Promise<TriageDeps> {
  const { triage } = await context.settings();
  const root = context.existing();
  return {
    root,
    cancelled,
    policy: triage.policy,
    limits: triage.hands,
    command: triage.command,
    ledger,
    now: Date.now,
    disk: await context.disk(),
    processes: createProcesses(),
    describe: (one) => describe(context, ledger, one),
    namesOf,
    serves: (token) => servesBy(root, token),
  };
}

/** An agent by each of its names. */
function namesOf(agent: string): readonly string[] {
  const polecat = polecatIn(agent);
  return polecat === null ? [agent] : [addressOf(polecat), wordsOf(polecat), sessionOf(polecat)];
}

/** The entry of a server for programs that speak MCP. Some hand on no environment: the token stands in it. */
function servesBy(root: string, token: string): object {
  const args = [TOWN, '--root', root, 'mcp', '--role', 'triage'];
  return { mcpServers: { town: { command: process.execPath, args, env: { TOWN_TOKEN: token } } } };
}

/** What would be published stands first: what is long is cut. */
async function describe(context: Context, ledger: Ledger, one: TriageCase): Promise<Omit<Described, 'of'>> {
  const [work] = one.snapshot === null ? [] : await ledger.beads([one.snapshot]);
  const last = one.agent === '' ? null : await newestOf(ledger, one.agent);
  const yard = await yardOf(context);
  const name = polecatIn(one.agent);
  const record = name === null ? null : await yard.records.polecat(name);
  const rig = record === null ? null : await yard.records.rig(record.rig);
  const standing = one.agent === '' ? null : await yard.sessions.standing(sessionOfAgent(one.agent));
  const at = record === null || rig === null ? null : { record, of: { yard, rig } };
  const found = at === null ? null : await publicationOf(at.of, at.record).catch(() => null);
  const publishes = found && { text: clean(found.text, 'lines'), mark: found.mark };
  const lines = [
    publishes?.text ?? '',
    `Why the case was opened, which may quote letters and screens: ${one.context}`,
    ...(standing === null ? [] : [`Its session: ${standing}`]),
    ...(last === null
      ? []
      : [`The last that the agent itself reported, ${span(Date.now() - last.at)} ago: ${last.kind}: ${last.text}`]),
    ...(work === undefined
      ? []
      : [
          `Its work: ${work.id} (${work.status}, ${work.attempts} failed attempts), written by ${work.createdBy}: ${work.title}`,
          work.description,
        ]),
    ...(at === null ? [] : [await worktreeText(at.of, at.record)]),
  ];
  const facts = clean(lines.filter((line) => line !== '').join('\n'), 'lines')
    .split('\n')
    .slice(0, MAX_LINES)
    .join('\n');
  return { facts, publishes };
}
