/**
 * The agents that a caller names. Each door asks here once, and passes on the address in full. Who calls is known by its token alone.
 */
import { agentsNamed, sessionOfAgent, type KnownAgents } from '../../../machines/rigs/names.ts';
import { severalHave } from '../../../state/mail/addresses.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { nearest } from '../../terminal/nearest.ts';
import type { Context } from '../context.ts';
import { checkName, quoteName } from './names.ts';

/** Rigs that were added or stand in town.toml, polecats on record, sessions. */
async function knownAgents(context: Context): Promise<KnownAgents> {
  const { RigRecords } = await import('../../../state/rigs/records.ts');
  const { sessionNames } = await import('../../overview/records.ts');
  const disk = await context.disk();
  const [{ rigs }, added, sessions] = await Promise.all([
    context.settings(),
    new RigRecords({ disk }).agents(),
    sessionNames(disk),
  ]);
  return { ...added, rigs: [...new Set([...Object.keys(rigs), ...added.rigs])], sessions };
}

/** The address in full of the one agent; null = there is none. Throws Failure (2) for a name that several have. */
export function agentIn(word: string, known: KnownAgents): string | null {
  const [address = null, ...others] = agentsNamed(word, known);
  if (address === null || others.length === 0) return address;
  throw new Failure(EXIT.usage, 'ambiguous', severalHave(word, [address, ...others]));
}

function unknown(word: string, { rigs, sessions, polecats }: KnownAgents): Failure {
  const names = [...polecats.map(({ rig, name }) => `${rig}/${name}`), ...rigs.flatMap(officesOf), ...sessions];
  const near = nearest(word, names);
  const next = near === null ? `see \`town session list\` and \`town polecat list\`` : `did you mean ${near}?`;
  return new Failure(EXIT.usage, 'unknown_agent', `there is no agent ${quoteName(word)}; ${next}`);
}
const officesOf = (rig: string): string[] => [`${rig}/witness`, `${rig}/refinery`];

/** The address in full of the one agent. Throws Failure (2) where there is none, and for a name that several have. */
export async function agentCalled(context: Context, word: string): Promise<string> {
  const known = await knownAgents(context);
  const address = agentIn(word, known);
  if (address !== null) return address;
  throw unknown(word, known);
}

/** Whose work it becomes: an agent's, by its address in full, or a person's, by a word of their own. Throws as `agentCalled`. */
export async function assigneeCalled(context: Context, word: string): Promise<string> {
  if (word === '') return word;
  const known = await knownAgents(context);
  const address = agentIn(word, known);
  if (address === null && /^gt-|\//.test(word)) throw unknown(word, known);
  return address ?? word;
}

/** As `assigneeCalled`, for who looks for beads: an agent whose rig is gone may have some still. */
export async function assigneeSought(context: Context, word: string): Promise<string> {
  return word === '' ? word : (agentIn(word, await knownAgents(context)) ?? word);
}

/** The session of the agent; a word that is no agent's as it is. Throws Failure (2) for a name that several have. */
export async function sessionMeant(context: Context, word: string): Promise<string> {
  const known = await knownAgents(context);
  // Of a polecat that is gone, its session may have the name of another rig's too.
  const sessions = new Set(agentsNamed(word, known).map(sessionOfAgent));
  const [only = word] = sessions;
  return sessions.size > 1 ? sessionOfAgent(agentIn(word, known) ?? word) : only;
}

/** As `sessionMeant`; throws Failure (2) too for a word that can name no session. */
export const sessionNamed = async (context: Context, word: string): Promise<string> =>
  checkName(await sessionMeant(context, word));
