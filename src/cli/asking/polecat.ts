/** The polecat that a word means, with its rig. */
import { polecatIn, wordsOf } from '../../../machines/rigs/names.ts';
import type { PolecatRecord, RigRecord } from '../../../machines/rigs/records.ts';
import type { Yard } from '../../rigs/yard.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { agentIn } from '../naming/agents.ts';
import { quoteName } from '../naming/names.ts';
import { find } from '../naming/resolve.ts';
import { rigNamed } from './yard.ts';

export interface Polecat {
  readonly rig: RigRecord;
  readonly record: PolecatRecord;
}

/** `<rig>/<name>` of a polecat, also of one that is to be made, by any of its names; another text as it is. Throws Failure (2) for a name that several have. */
export async function wordsNamed({ records }: Yard, text: string): Promise<string> {
  const polecat = polecatIn(agentIn(text, { ...(await records.agents()), sessions: [] }) ?? text);
  return polecat === null ? text : wordsOf(polecat);
}

/** By its whole name. Throws Failure (2) where there is none. */
export async function polecatNamed(yard: Yard, text: string): Promise<Polecat> {
  const name = polecatIn(await wordsNamed(yard, text));
  if (name === null) {
    const why = `${quoteName(text)} names no polecat; write <rig>/<name>, see \`town polecat list\``;
    throw new Failure(EXIT.usage, 'bad_name', why);
  }
  const rig = await rigNamed(yard.records, name.rig);
  const record = await yard.records.polecat(name);
  if (record !== null) return { rig, record };
  const why = `${rig.name} has no polecat ${quoteName(name.name)}; see \`town polecat list ${rig.name}\``;
  throw new Failure(EXIT.usage, 'unknown_polecat', why);
}

const KIND = { what: 'polecat', list: 'town polecat list', code: 'unknown_polecat' };

/** For a look: also by the beginning of its name, or by the bead that it works on. Throws Failure (2) for none, and for several. */
export async function polecatCalled(yard: Yard, text: string): Promise<Polecat> {
  const { found } = await yard.records.polecats();
  const candidates = found.flatMap((value) => {
    const one = { number: '', session: null, isOpen: true, at: value.at, value };
    return [{ ...one, id: wordsOf(value) }, ...(value.bead === null ? [] : [{ ...one, id: value.bead }])];
  });
  const record = find(await wordsNamed(yard, text), candidates, KIND);
  return record === undefined ? polecatNamed(yard, text) : { record, rig: await rigNamed(yard.records, record.rig) };
}
