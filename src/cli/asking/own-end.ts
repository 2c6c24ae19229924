/** A polecat that wishes its own end: by the word of the life that runs, and by its screen, which shows it at rest at a prompt. */
import { polecatIn, sessionOfAgent } from '../../../machines/rigs/names.ts';
import type { World } from '../../../machines/triage/acts.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { readSession } from '../../overview/records.ts';
import type { Study } from '../../overview/study.ts';
import { wishingLife } from '../../patrols/witness/cleanups.ts';
import { askForEnd } from '../../patrols/witness/ends.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import type { Context } from '../context.ts';
import { pokeTown } from './notes.ts';
import { studySession } from '../screens/pane.ts';
import { yardOf } from './yard.ts';

/** Nothing speaks against keys at its prompt: it works at nothing, asks nothing, holds no draft, and no person is there. */
const isAtRest = ({ ours, standing }: Study): boolean =>
  ours && standing.state === 'idle' && standing.mayType && standing.obstacle === null && !standing.person;

export async function wishesEnd(context: Context, ledger: Ledger, agent: string): Promise<World['wishesEnd']> {
  const name = polecatIn(agent);
  if (name === null) return 'no';
  const record = await (await yardOf(context)).records.polecat(name);
  const life = (await readSession(await context.disk(), sessionOfAgent(agent)))?.incarnation ?? null;
  if (record === null || life === null) return 'no';
  const wished = await wishingLife({ ledger, rig: name.rig, bornAt: () => record.at }, name.name);
  if (wished !== life.uuid) return 'no';
  try {
    return isAtRest((await studySession(context, sessionOfAgent(agent), {})).study) ? 'yes' : 'no';
  } catch (error) {
    return error instanceof Failure && error.code === 'tmux_unknown' ? 'unknown' : 'no';
  }
}

/** By a warrant of the witness, as after any POLECAT_DONE. */
export async function endAsWished(context: Context, ledger: Ledger, agent: string, why: string): Promise<string> {
  const name = polecatIn(agent);
  if (name === null) throw new Failure(EXIT.failed, 'no_polecat', `${agent} is no polecat; see \`town polecat list\``);
  const settings = await context.settings();
  const { undoneForMs: patienceMs } = settings.patrols.patrol;
  const needs = { disk: await context.disk(), ledger, rig: name.rig, protects: settings.town.protected };
  const said = await askForEnd({ ...needs, now: Date.now(), patienceMs }, { agent, isVoluntary: true, why });
  await pokeTown(context, 'warrants');
  return said;
}
