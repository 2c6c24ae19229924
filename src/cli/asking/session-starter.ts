/** Which configuration starts a session whenever it is wanted and not there: to forget such a one would undo its stop. */
import { refineryAddress, sessionOfAgent } from '../../../machines/rigs/names.ts';
import type { RigRecord } from '../../../machines/rigs/records.ts';
import { deaconSession } from '../../config/agents.ts';
import type { Settings } from '../../config/settings.ts';
import { witnessSession } from '../../patrols/agent/watch.ts';
import { choicesOf } from '../../rigs/choices.ts';
import type { Context } from '../context.ts';
import { recordsOf } from './yard.ts';

/** As a sentence, with what ends that; null = nothing does, as far as the records of rigs tell. `[[agents]]` are the town's own to look at. */
export async function starterOf(context: Context, name: string): Promise<string | null> {
  const settings = await context.settings();
  if (deaconSession(settings)?.name === name)
    return `${name} is the Deacon's session, which the town starts whenever it is not there; set [deacon] mode = "actor" first`;
  const { found } = await (await recordsOf(context)).rigs();
  return found.map((rig) => startedFor(settings, rig, name)).find((text) => text !== null) ?? null;
}

function startedFor(settings: Settings, rig: RigRecord, name: string): string | null {
  const stays = `Until then it stays down once you stop it: town session stop ${name}`;
  if (name === sessionOfAgent(refineryAddress(rig.name)) && choicesOf(settings, rig).refinery !== null)
    return `${name} is the refinery of ${rig.name}, which the town starts while merge requests wait; take refinery out of [rig.${rig.name}] first. ${stays}`;
  if (witnessSession(settings, rig)?.name === name)
    return `${name} is the witness of ${rig.name}, which the town starts whenever it is not there; set [witness] mode = "actor" first. ${stays}`;
  return null;
}
