/** One pane of a session in tmux, anybody's, studied as the town would judge it. Needs no running town and touches nothing. */
import { nearest } from '../../terminal/nearest.ts';
import { eyesOf, onRecord } from '../../overview/eyes.ts';
import { see, type SessionSeen } from '../../overview/scene.ts';
import { aroundNow, studiesOf, type Study } from '../../overview/study.ts';
import type { Packs } from '../../screen/packs.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { quoteName } from '../naming/names.ts';
import { note } from '../../terminal/print.ts';
import { find, sessionsNamed } from '../naming/resolve.ts';

export interface PaneOptions {
  readonly pane?: string | undefined;
}

export interface Studied {
  readonly study: Study;
  readonly packs: Packs;
  /** The session's panes, when it has several; else empty. */
  readonly others: readonly string[];
}

/** Throws Failure: 4 when tmux gives no answer, 2 for a session or pane that is not there. */
export async function studySession(context: Context, name: string, { pane }: PaneOptions): Promise<Studied> {
  const disk = await context.disk();
  const deps = { ...(await eyesOf(await context.settings(), disk, note)), ...(await onRecord(disk)) };
  const { sessions, fault, socketPath } = await see(deps.tmux);
  if (fault !== null)
    throw new Failure(EXIT.degraded, 'tmux_unknown', `tmux could not be asked: ${fault}; see \`town doctor\``);
  const session = sessionCalled(sessions, name, socketPath);
  const panes = session.panes.filter(({ paneId }) => pane === undefined || paneId === pane);
  const ids = session.panes.map(({ paneId }) => paneId);
  if (panes.length === 0) {
    const text = `${quoteName(name)} has no pane ${quoteName(pane ?? '')}; it has ${ids.join(', ')}`;
    throw new Failure(EXIT.usage, 'unknown_pane', text);
  }
  const around = await aroundNow(deps);
  const placed = panes.map((one) => ({ session, pane: one }));
  const study = (await studiesOf(deps, around, placed)).toSorted((a, b) => rank(a) - rank(b))[0];
  if (study === undefined) throw new TypeError('a pane that is there has a study');
  return { study, packs: deps.packs, others: ids.filter((id) => id !== study.pane.paneId) };
}

function sessionCalled(sessions: readonly SessionSeen[], name: string, socketPath: string): SessionSeen {
  const kind = { what: 'session', list: 'town watch --all', code: 'unknown_session' };
  const names = sessions.map((session) => session.name);
  const meant = find(name, sessionsNamed(names), kind);
  const found = sessions.find((session) => session.name === meant);
  if (found !== undefined) return found;
  const near = nearest(name, names);
  const hint = near === null ? '' : `; did you mean ${quoteName(near)}?`;
  const text = `no session ${quoteName(name)} is in tmux (${socketPath})${hint}; see \`town watch --all\``;
  throw new Failure(EXIT.usage, 'unknown_session', text);
}

/** The pane with the agent first: of several the one that is known best. */
function rank({ ours, found: { by } }: Study): number {
  if (ours) return 0;
  return by === 'process' ? 1 : by === 'title' ? 2 : 3;
}
