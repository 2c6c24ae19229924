/**
 * The variables that agents are started with: a value is taken from the environment of the command that starts them, by name,
 * and kept for later starts (state/sessions/environment.ts). Only the operator's environment counts.
 */
import { isVariable } from '../../../machines/sessions/variables.ts';
import type { SessionSpec } from '../../../machines/protocol.ts';
import { readEnvironment, writeEnvironment } from '../../../state/sessions/environment.ts';
import { missingVariables } from '../../sessions/environment.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { configuredAgents } from '../../config/agents.ts';
import type { Settings } from '../../config/settings.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { quoteName } from './names.ts';

/** Throws Failure for a name that is none, or a value that was written beside it. */
export function checkVariables(names: readonly string[]): readonly string[] {
  const bad = names.find((name) => !isVariable(name));
  if (bad === undefined) return [...new Set(names)];
  const [name = ''] = bad.split('=');
  const isGiven = bad.includes('=') && isVariable(name);
  // What stands on a command line is read by every user of the machine: it is not printed again.
  const text = isGiven
    ? `--env ${name}=… has a value: export ${name} first, then write --env ${name}`
    : `--env ${quoteName(name)} is no name of a variable, or one of the town's own; write --env API_KEY`;
  throw new Failure(EXIT.usage, 'bad_variable', text);
}

/** Keeps the values that are set here; why this session cannot be started with what is kept then, null = it can. */
export async function keepValues(
  context: Context,
  spec: Pick<SessionSpec, 'name' | 'env'>,
  then?: string,
): Promise<string | null> {
  const { name, env = [] } = spec;
  if (env.length === 0) return null;
  const disk = await context.disk();
  const kept = await readEnvironment(disk, name);
  const values: Record<string, string> = { ...kept };
  for (const one of env) {
    const value = process.env[one];
    if (value !== undefined) values[one] = value;
  }
  if (Object.entries(values).some(([one, value]) => kept[one] !== value)) await writeEnvironment(disk, name, values);
  return missingVariables(spec, values, then);
}

/** For the agents of town.toml; a missing value is reported, and the others start all the same. */
export async function keepAllValues(context: Context, settings: Settings): Promise<void> {
  for (const spec of configuredAgents(settings)) {
    const unset = await keepValues(context, spec);
    if (unset !== null) note(unset);
  }
}
