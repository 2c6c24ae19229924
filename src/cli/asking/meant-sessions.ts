/** The sessions that work for many is meant for, and those of them that cannot have it, with the reason. */
import { MONITOR_TAG, WATCHDOG } from '../../../machines/monitor/policy.ts';
import { agentOfSession, sessionOfAgent } from '../../../machines/rigs/names.ts';
import { DEACON_TAG } from '../../../machines/watchdog/policy.ts';
import { coveredBy } from '../../config/glob.ts';
import type { Settings } from '../../config/settings.ts';
import type { SessionView } from '../../overview/sessions.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { glance } from './glance.ts';

interface Meant {
  readonly name: string;
  /** null = it can have work. */
  readonly why: string | null;
}

/** Why a session in this state gets no work; one that runs, or will again, does. */
const UNFIT: Readonly<Record<string, string>> = {
  foreign: 'it is no session of this town; adopt it first',
  unknown: 'its record cannot be read',
  ended: 'it has ended; start it first',
};

/** The town starts it for a duty of its own: work for many is not meant for it. */
function isTownsOwn({ name, tags }: SessionView, { policy: { watchdog } }: Settings): boolean {
  if (name === watchdog.deacon.session) return tags.includes(DEACON_TAG);
  return name === WATCHDOG ? tags.includes(MONITOR_TAG) : /\/(witness|refinery)$/.test(agentOfSession({ name, tags }));
}

function unfit(view: SessionView, settings: Settings): string | null {
  const { name, state, in_tmux: isInTmux, alive } = view;
  if (isTownsOwn(view, settings)) return `it serves the town itself; for it alone: town send ${name}`;
  const glob = coveredBy(name, settings.town.protected);
  if (glob !== null) return `it is protected by ${JSON.stringify(glob)} in [town] protected`;
  if (alive === true && isInTmux === false) return 'it has no pane to type into';
  return UNFIT[state] ?? null;
}

export interface Choice {
  /** In the order of `town session list`. */
  readonly meant: readonly Meant[];
  /** Whether a word names a session, meant or not. */
  readonly isSession: (word: string) => boolean;
}

/** `tag` undefined = all. Throws Failure (1) where the sessions cannot be read. */
export async function sessionsMeant(context: Context, settings: Settings, tag: string | undefined): Promise<Choice> {
  const { sessions } = (await glance(context)).overview;
  if (sessions === null) throw new Failure(EXIT.failed, 'unreadable', 'the sessions cannot be read; see: town doctor');
  const names = new Set(sessions.map(({ name }) => name));
  return {
    meant: sessions
      .filter(({ tags }) => tag === undefined || tags.includes(tag))
      .map((view) => ({ name: view.name, why: unfit(view, settings) })),
    isSession: (word) => names.has(sessionOfAgent(word)),
  };
}
