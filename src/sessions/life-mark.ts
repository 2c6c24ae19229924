/**
 * What tmux keeps of a life's record, on its session: how it was started and which life it is. A record that is lost is
 * made anew from it (find-unrecorded.ts).
 * 1. It counts only with the seal of this root's secret: a command that may run again is no foreign text (law 11).
 * 2. It is no second record: later changes of a life stand in the file alone.
 */
import type { Incarnation, SessionSpec } from '../../machines/protocol.ts';
import { decode } from '../../state/files/decode.ts';
import { lifeFile } from '../../state/sessions/schemas.ts';
import { withChecksum } from '../../state/files/checksum.ts';
import { hashOf } from '../../state/sessions/tokens.ts';
import type { TmuxClient } from '../tmux/client.ts';
import { serverOf, type PaneRow } from '../tmux/panes.ts';

export interface Life {
  readonly spec: SessionSpec;
  readonly incarnation: Incarnation;
}

/** A function of a text that only this root can compute. */
type TokenFor = (text: string) => string;

export const LIFE = '@town_life';

/**
 * Never rejects: a start must not fail for it. Without it, as with a command too long for a second tmux call, a life
 * that the town started is still recognised, but not how it was started.
 */
export async function keepLife(tmux: TmuxClient, tokenFor: TokenFor, life: Life): Promise<void> {
  const text = ascii(withChecksum({ schema: 'life/1', ...life }).trim());
  const mark = ['set-option', '-t', life.incarnation.sessionId, LIFE, `${sealOf(tokenFor, text)} ${text}`];
  await tmux.sequence([mark]).catch(() => undefined);
}

/** null = it is none that this root wrote. */
export function readLife(mark: string, tokenFor: TokenFor): Life | null {
  const cut = mark.indexOf(' ');
  const text = mark.slice(cut + 1);
  if (cut < 0 || mark.slice(0, cut) !== sealOf(tokenFor, text)) return null;
  const decoded = decode(text, 'life', lifeFile);
  return decoded.ok ? decoded.value : null;
}

/** The life that is in this pane. Rejects when its server ended meanwhile. */
export async function lifeIn(
  tmux: TmuxClient,
  { sessionId, paneId }: Pick<PaneRow, 'sessionId' | 'paneId'>,
  { uuid, session, agent, origin }: Pick<Incarnation, 'uuid' | 'session' | 'agent' | 'origin'>,
): Promise<Incarnation> {
  return { uuid, session, server: await serverOf(tmux), sessionId, paneId, agent, origin };
}

const sealOf = (tokenFor: TokenFor, text: string): string => hashOf(tokenFor(text));

/** So that it comes back as it is from a tmux of any locale and version: 3.4 prints a backslash before some `$`. */
const ascii = (json: string): string =>
  json.replace(/[$\u007f-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
