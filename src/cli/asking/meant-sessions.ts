/** The sessions that work for many is meant for, and those of them that cannot have it, with the reason. */
import { coveredBy } from '../../config/glob.ts';
import type { Settings } from '../../config/settings.ts';
import type { SessionView } from '../../overview/sessions.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { glance } from './glance.ts';

export interface Meant {
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

function unfit({ name, state, in_tmux: isInTmux, alive }: SessionView, settings: Settings): string | null {
  const glob = coveredBy(name, settings.town.protected);
  if (glob !== null) return `it is protected by ${JSON.stringify(glob)} in [town] protected`;
  if (alive === true && isInTmux === false) return 'it has no pane to type into';
  return UNFIT[state] ?? null;
}

/** `tag` undefined = all. In the order of `town session list`. Throws Failure (1) where the sessions cannot be read. */
export async function sessionsMeant(
  context: Context,
  settings: Settings,
  tag: string | undefined,
): Promise<readonly Meant[]> {
  const { sessions } = (await glance(context)).overview;
  if (sessions === null) throw new Failure(EXIT.failed, 'unreadable', 'the sessions cannot be read; see: town doctor');
  return sessions
    .filter(({ tags }) => tag === undefined || tags.includes(tag))
    .map((view) => ({ name: view.name, why: unfit(view, settings) }));
}
