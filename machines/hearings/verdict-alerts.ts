/**
 * What a verdict leaves to a person: each kind is a row, the first that has words for a dance is what it leaves. Over with the
 * next hearing of that session that comes to a judgement (alerts.ts), and where it is about one life, with that life.
 */
import { attach, hearing, why } from '../alerts/asks.ts';
import { textOfMarks } from '../alerts/question.ts';
import { NEEDS_INPUT } from '../alerts/things.ts';
import { episodeOf, type Alert, type Dance, type Declared, type Severity, type Subject } from '../protocol.ts';
import { BLOCKED, LIMITED } from './dance.ts';
import { savedText } from './saved-work.ts';

interface VerdictAlert extends Declared {
  readonly subject?: Extract<Subject, object>;
  readonly severity: Severity;
  /** Each dance asks a person anew: a second one is told, also where the first was acknowledged. */
  readonly asksAnew?: true;
  /** The text of the alert; null = this dance leaves nothing of the kind. */
  readonly text: (dance: Dance, session: string) => string | null;
}

const see = ({ id }: Dance): string => `See: town dog show ${id}`;
const saved = ({ rescue }: Dance): string => (rescue === null ? '' : ` Rescue: ${savedText(rescue)}.`);
const pardoned =
  (why: string, words: (session: string, reason: string) => string): VerdictAlert['text'] =>
  ({ verdict, reason }, session) =>
    verdict === 'pardoned' && reason.startsWith(why)
      ? `${words(session, reason)} Its hearing ended with a pardon.`
      : null;

export const FAILED: VerdictAlert = {
  kind: 'dance-failed',
  asks: hearing,
  severity: 'high',
  subject: { lifeShows: 'anything', namedBy: 'hearing' },
  text: (dance, session) => {
    const { verdict, killing, reason } = dance;
    if (verdict !== 'failed') return null;
    return `The hearing of ${session} failed${killing ? ' after signals were sent' : ' and nothing was killed'}: ${reason}.${killing ? saved(dance) : ''}${isUnsaved(dance) ? ' It is not known whether its work was saved.' : ''} ${see(dance)}`;
  },
};

/** Signals were sent, and no rescue is on record: the end of its life does not end the question of its work. */
function isUnsaved({ killing, rescue }: Dance): boolean {
  return killing && rescue === null;
}

export const ESCALATED: VerdictAlert = {
  kind: 'dance-escalated',
  severity: 'high',
  asksAnew: true,
  subject: { lifeShows: 'anything' },
  asks: (about) => [...why(about), ...attach(about)],
  answers: ['pardon', 'hear', 'execute'],
  text: (dance, session) =>
    dance.verdict === 'escalated'
      ? `The hearing of ${session} needs a person: ${dance.reason}.${dance.killing ? saved(dance) : ' Nothing was killed.'} ${see(dance)}`
      : null,
};

export const VERDICT_ALERTS: readonly VerdictAlert[] = [
  ESCALATED,
  FAILED,
  {
    ...NEEDS_INPUT,
    severity: 'medium',
    text: pardoned(BLOCKED, (session, reason) => `${session} waits for a person (${reason}); answer it in its pane.`),
  },
  {
    kind: 'usage-limit',
    asks: null,
    severity: 'medium',
    subject: { lifeShows: 'usage limit' },
    text: pardoned(LIMITED, (session, reason) => `${session} does nothing for now: ${reason}.`),
  },
  {
    kind: 'dance-survivors',
    asks: hearing,
    severity: 'high',
    text: (dance, session) => {
      const pids = dance.survivors.map(({ pid }) => pid).join(', ');
      return pids === ''
        ? null
        : `Of ${session}, which was executed, pids ${pids} live on; the town leaves them to you.${saved(dance)} ${see(dance)}`;
    },
  },
];

/** What a dance leaves to a person; null = nothing. No other place decides this. */
export function verdictAlertOf(dance: Dance): Alert | null {
  const { session, uuid } = dance.target;
  for (const row of VERDICT_ALERTS) {
    const text = row.text(dance, session);
    if (text === null) continue;
    const about = { session, severity: row.severity, text };
    if (row.subject === undefined) return { ...about, episode: episodeOf(row, dance.id) };
    const question = row.asksAnew === true && { question: textOfMarks({ request: dance.id }) };
    if (row.subject.namedBy === undefined)
      return { ...about, ...question, episode: episodeOf(row, session), life: uuid };
    return { ...about, episode: episodeOf(row, dance.id), ...(!isUnsaved(dance) && { life: uuid }) };
  }
  return null;
}
