/** One run of the reasoner: a program that is bounded in time with all that it starts, and what it is told by its environment. */
import { agentEnvironment } from '../proc/environment.ts';
import { endMarked, runMarked, type RunEnded, type RunWanted } from '../proc/marked-run.ts';

/** Every process of a run has it in its environment. */
const MARK = 'TOWN_REASONER';

interface ReasonerWanted extends Omit<RunWanted, 'mark' | 'env'> {
  readonly id: string;
  /** The town's. */
  readonly root: string;
  /** Files, absolute. */
  readonly prompt: string;
  readonly mcp: string;
  readonly token: string;
}

export function runReasoner({ id, root, prompt, mcp, token, ...wanted }: ReasonerWanted): Promise<RunEnded> {
  const own = { TOWN_ROOT: root, TOWN_ROLE: 'triage', TOWN_TOKEN: token };
  const files = { TOWN_PROMPT_FILE: prompt, TOWN_MCP_CONFIG: mcp };
  const env = { ...agentEnvironment(process.env), ...own, ...files };
  return runMarked({ ...wanted, mark: { name: MARK, id }, env });
}

/** What a run that was killed left behind. */
export const endAll = (id: string, rest: Parameters<typeof endMarked>[1]): Promise<number> =>
  endMarked({ name: MARK, id }, rest);
