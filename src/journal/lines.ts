/** Every kind of journal line, by subsystem; reading one, and telling it. What no subsystem lists is shown as it stands. */
import type { WrittenLine } from '../../state/journal.ts';
import { alerts } from './alerts.ts';
import { hearings } from './hearings.ts';
import { kind, asWords, type HeldBy, type Kind, type Kinds } from './kind.ts';
import { patrols } from './patrols.ts';
import { sessions } from './sessions.ts';
import { town } from './town.ts';
import { watchdog } from './watchdog.ts';

export const STORIES = [hearings, sessions, watchdog, alerts, patrols, town] as const;
/** By name. */
const KINDS = new Map(STORIES.flatMap(({ kinds }) => Object.entries<Kind<unknown>>(kinds)));
export const KIND_NAMES: readonly string[] = [...KINDS.keys()];
const OTHER = kind({}, () => '');

type Each<Of> = Of extends Kinds ? HeldBy<Of> : never;
type About = ReturnType<typeof OTHER.read>;
/** What a line holds, by its kind; null = one that this town does not know. */
export type Line = (Each<(typeof STORIES)[number]['kinds']> | (About & { readonly kind: null })) & {
  readonly at: string;
  readonly written: WrittenLine;
} & Pick<Kind<unknown>, 'chapter' | 'ends'>;

export type LineOf<Kind extends Line['kind']> = Extract<Line, { readonly kind: Kind }>;

/** Those of this kind. */
export const linesOf = <Kind extends Line['kind']>(lines: readonly Line[], of: Kind): LineOf<Kind>[] =>
  lines.filter((line): line is LineOf<Kind> => line.kind === of);

export function read(written: WrittenLine): Line {
  const known = KINDS.get(written.kind);
  const { chapter, ends } = known ?? OTHER;
  const held = (known ?? OTHER).read(written) as About;
  return { ...held, at: written.at, kind: known === undefined ? null : written.kind, written, chapter, ends } as Line;
}

/** One journal line as a sentence, without its time: what it holds and nothing more. */
export function sentence(line: WrittenLine): string {
  const known = KINDS.get(line.kind);
  if (known !== undefined) return known.tell(line);
  if (line.kind.startsWith('dance.')) return `the hearing went on: ${line.kind.slice('dance.'.length)}`;
  const { at: _, kind: what, session: __, ...rest } = line;
  return `${what} ${asWords(rest)}`;
}
