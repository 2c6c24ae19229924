/**
 * The acts of a demo without tmux (C-7): one agent starts without a pane, is killed, and lives again. There is no
 * warrant, since no agent can be heard. This file only watches, and calls the town's command.
 */
import type { Proc } from '../../machines/protocol.ts';
import { systemClock } from '../ports/clock.ts';
import { watcher, type ActNeeds } from './acts.ts';
import { CAST, type Player } from './cast.ts';
import type { Moment } from './watch.ts';

/** An agent that was ended and lives again. */
export interface Rebirth {
  readonly session: string;
  readonly pid: number;
  readonly newPid: number;
  /** From the kill to the look that saw the new one. */
  readonly afterMs: number;
}

/** Plays on a town that is up and degraded; null = the agent never lived, or never came back. */
export async function playApart(needs: ActNeeds): Promise<Rebirth | null> {
  const { stage, show } = needs;
  const { until, during } = watcher(needs);
  const { name } = CHILD;
  show.say(`starts an agent without a pane: town session start ${name} -- <command>`);
  await during(stage.enter(CHILD));
  const agentOf = ({ sessions }: Moment): Proc | null => {
    const { state = null, incarnation = null } = sessions.get(name) ?? {};
    const lives = state === 'running' && incarnation !== null && stage.processes.alive(incarnation.agent);
    return lives ? incarnation.agent : null;
  };
  const isEnded = ({ sessions }: Moment): boolean => sessions.get(name)?.state === 'ended';
  const first = agentOf(await until((now) => isEnded(now) || agentOf(now) !== null));
  if (first === null) return null;
  show.say(`kill -9 ${first.pid}: the agent ${name} is gone`);
  const at = systemClock.now();
  stage.processes.signal(first, 'KILL');
  const second = agentOf(await until((now) => isEnded(now) || (agentOf(now)?.pid ?? first.pid) !== first.pid));
  if (second === null || second.pid === first.pid) return null;
  show.say(`the town started ${name} again: pid ${second.pid}`);
  return { session: name, pid: first.pid, newPid: second.pid, afterMs: systemClock.now() - at };
}

/** It lives until it is killed, and needs no terminal. */
const CHILD: Player = named('deaf');

function named(name: string): Player {
  const found = CAST.find((player) => player.name === name);
  if (found === undefined) throw new Error(`the cast has no player ${name}`);
  return { ...found, hasWork: false };
}
