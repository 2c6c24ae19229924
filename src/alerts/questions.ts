/**
 * What asks a person something, and what to type for it; all else that is told is news. The one table for `town status`, `town
 * report`, `town alerts`, mail and `[notify] command`.
 * 1. News needs nobody: it ends by itself, or is over already. A pardon, a void, and what an operator forced are news.
 * 2. What an older or a newer town told, and this table does not know, asks.
 */
import { ALERT_KINDS, type AlertKind } from '../../machines/protocol/alerts.ts'; // not all of them: `status` pays for it

/** Whom or what an episode is about, fit to be typed. */
interface About {
  /** What stands behind the kind: a session, a hearing, a message, a file. */
  readonly of: string;
  readonly session: string;
}
/** null = it is news. */
type Ask = ((about: About) => readonly string[]) | null;

const attach = ({ session }: About): readonly string[] => [`town session attach ${session}`];
const why = ({ session }: About): readonly string[] => [`town why ${session}`];
const hearing = ({ of }: About): readonly string[] => [`town dog show ${of}`];
const status = ({ session }: About): readonly string[] => [`town session status ${session}`];
const doctor = (): readonly string[] => ['town doctor'];
const startAfter =
  (look: (about: About) => readonly string[]) =>
  (about: About): readonly string[] => [...look(about), `town session start ${about.session}`];

const ASKS: Readonly<Record<AlertKind, Ask>> = {
  'needs-input': attach,
  'agent-error': attach,
  'dance-escalated': (about) => [...why(about), ...attach(about)],
  'dance-failed': hearing,
  'dance-survivors': hearing,
  'dance-overdue': hearing,
  'dance-hopeless': (about) => [...hearing(about), 'town restart'],
  'heard-often': why,
  health: ({ session }) => [
    `town session attach ${session}`,
    `town warrant file ${session} --reason "no answer to health checks"`,
  ],
  'usage-limit': null,
  'agent-changed': ({ session }) => [`town session stop ${session}`, `town session start ${session} -- <command>`],
  'agent-removed': ({ session }) => [`town session stop ${session}`],
  'tmux-server-died': null,
  'tmux-server-keeps-dying': doctor,
  'tmux-unknown': doctor,
  'name-taken': startAfter(attach),
  'start-failing': startAfter(status),
  'crash-loop': startAfter(why),
  'ends-at-once': why,
  'life-unknown': ({ session }) => [`town session status ${session}`, `town session kill ${session} --force`],
  survivors: status,
  'end-waits': status,
  'output-unsaved': attach,
  'deacon-blocked': attach,
  'deacon-unreachable': () => ['town deacon status', 'town boot status'],
  'deacon-no-command': () => ['town config show', 'town restart'],
  'deacon-silent': () => ['town boot status'],
  'deacon-down': status,
  'deacon-mail': ({ of }) => [`town mail read ${of} --for deacon`],
  'daemon-step': () => ['town daemon logs'],
  'file-refused': () => [],
  'config-broken': () => ['town config check', 'town restart'],
  'socket-moved': () => ['town config check', 'town restart'],
  disk: doctor,
  'ledger-fails': () => ['town doctor', 'town daemon logs'],
  'patrol-fails': ({ of }) => (of === 'deacon' ? ['town deacon patrol'] : [`town witness patrol ${of}`]),
};

/** A name in a line that a person may copy into a shell: what is no plain name is left for them to fill in. */
const typed = (name: string, otherwise: string): string =>
  /^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(name) ? name : `<${otherwise}>`;

/** What to type for an open alert, besides taking note of it; null = it is news. */
export function askedBy(episode: string, session: string | null): readonly string[] | null {
  const [kind = '', ...rest] = episode.split('/');
  const known = ALERT_KINDS.find((one) => one === kind);
  if (known === undefined) return [];
  const of = typed(rest.join('/'), 'id');
  return ASKS[known]?.({ of, session: typed(session ?? rest.join('/'), 'session') }) ?? null;
}

/** Whether a message in the person's mailbox waits for them: what the town itself writes tells how something came out. */
export const asks = ({ via }: { readonly via?: string }): boolean => via !== 'town';
