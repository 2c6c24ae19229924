/** `town watch`: everything in tmux that looks like an agent, told by its processes. Touches nothing. */
import { basename } from 'node:path';
import { createProcesses, type ProcessTable } from '../../proc/processes.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../failure.ts';
import { clean, table } from '../output.ts';
import { readSessions } from '../../overview/records.ts';
import { seeTmux } from '../../overview/scene.ts';

interface AgentSeen {
  readonly session: string;
  readonly pane: string;
  /** claude, codex, gemini …; null = nothing that looks like an agent. */
  readonly agent: string | null;
  readonly pid: number | null;
  readonly command: string;
  readonly dir: string | null;
  /** A session of this town. */
  readonly ours: boolean;
}

/** Words that a program of this kind is called by, in its own name or in its script's path. */
const KINDS: readonly (readonly [kind: string, words: RegExp])[] = [
  ['claude', /^claude(-code)?$/],
  ['codex', /^codex$/],
  ['gemini', /^gemini(-cli)?$/],
  ['opencode', /^opencode$/],
  ['aider', /^aider$/],
  ['cursor-agent', /^cursor-agent$/],
  ['copilot', /^copilot(-cli)?$/],
];
/** An interpreter's script stands among its first words. */
const WORDS_LOOKED_AT = 3;
const DEEPEST = 8;

function kindOf(argv: readonly string[]): string | null {
  const words = argv.slice(0, WORDS_LOOKED_AT).flatMap((word) => [basename(word), ...word.split('/')]);
  return (
    KINDS.find(([, pattern]) => words.some((word) => pattern.test(word.replace(/\.(js|mjs|cjs|py)$/, ''))))?.[0] ?? null
  );
}

/** The first process below `pid`, or itself, that is an agent's. */
function agentBelow(
  table: ProcessTable,
  children: ReadonlyMap<number, readonly number[]>,
  pid: number,
  depth = 0,
): { readonly pid: number; readonly kind: string } | null {
  const kind = kindOf(table.commandOf(pid)?.argv ?? []);
  if (kind !== null) return { pid, kind };
  if (depth >= DEEPEST) return null;
  for (const child of children.get(pid) ?? []) {
    const found = agentBelow(table, children, child, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

export async function watch(context: Context, options: { readonly all?: boolean }): Promise<void> {
  const scene = await seeTmux(await context.settings());
  if (scene.fault !== null) {
    throw new Failure(EXIT.degraded, 'tmux_unknown', `tmux could not be asked: ${scene.fault}; see \`town doctor\``);
  }
  const processes = createProcesses();
  const children = await processes.children();
  const { found } = await readSessions(await context.disk());
  const ours = new Set(found.map(({ value }) => value.incarnation?.paneId));
  const seen = scene.sessions.flatMap(({ name, panes }) =>
    panes.map(({ paneId, pid }): AgentSeen => {
      const agent = agentBelow(processes, children, pid);
      const proc = processes.proc(agent?.pid ?? pid);
      return {
        session: name,
        pane: paneId,
        agent: agent?.kind ?? null,
        pid: proc?.pid ?? null,
        command: clean((processes.commandOf(agent?.pid ?? pid)?.argv ?? []).join(' ')),
        dir: proc && processes.cwdOf(proc),
        ours: ours.has(paneId),
      };
    }),
  );
  const shown = options.all === true ? seen : seen.filter(({ agent, ours: known }) => agent !== null || known);
  const row = (a: AgentSeen): string[] => [
    a.session,
    a.pane,
    a.agent ?? '-',
    `${a.pid ?? '-'}`,
    a.ours ? 'yes' : 'no',
    a.dir ?? '-',
    a.command,
  ];
  context.answer('watch', shown, () =>
    shown.length === 0
      ? `nothing in tmux (${scene.socketPath}) looks like an agent; --all shows every pane`
      : table(['SESSION', 'PANE', 'AGENT', 'PID', 'OURS', 'DIR', 'COMMAND'], shown.map(row)),
  );
}
