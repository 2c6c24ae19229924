/** Questions of alerts: what they declare to be answered with, and the dialog that stands for one. */
import { idIn } from '../../../machines/alerts/question.ts';
import type { OpenAlert } from '../../overview/open-alerts.ts';
import type { Dialog } from '../../screen/dialog.ts';
import { alertId } from './asking.ts';
import type { Standing } from './dialogs.ts';
import type { Option, Unnumbered } from './question.ts';
import type { RuledBy } from './ruled-by.ts';

const SEEN: Option = { word: 'seen', does: 'no further alert; it stands in this list until it is over' };
/**
 * What the answers come to that alerts declare: of a hearing that was left to a person (commands/decide.ts), and of a root that came back
 * from a copy. That is not seen away: what waits would stand still without a word.
 */
const DECLARED: Readonly<Record<string, Omit<Option, 'word'>>> = {
  pardon: { does: 'let it live: nothing is done to it, and this is asked no more' },
  hear: { does: 'hear it again: an answer pardons it, silence ends it, with its work saved first' },
  execute: { does: 'end it without another hearing, with its work saved first', isGrave: true },
  go: { does: 'go on: what waits is typed, sent and given out as this copy holds it', isGrave: true },
};
const declaredOption = (word: string): Option[] => {
  const known = DECLARED[word];
  return known === undefined ? [] : [{ word, ...known }];
};
/** What was acknowledged is not to be acknowledged again. */
export const seenOnce = (acked: boolean): readonly Option[] => (acked ? [] : [SEEN]);

const optionOf = ({ word, does, label, text, isGrave }: Dialog['offers'][number]): Option => {
  return { word, does, label, needsText: text !== undefined, ...(isGrave === true && { isGrave }) };
};

/** A dialog whose options were read stands for the alert about it; one that is gone takes the alert along. */
export function ofDialog(
  alert: OpenAlert,
  stands: Standing | 'unseen' | 'gone' | undefined,
  ruledBy: RuledBy,
): Unnumbered[] {
  if (stands === 'gone') return [];
  if (stands === undefined) return ofAlert(alert);
  if (stands === 'unseen') return ofAlert(alert).map((one) => ({ ...one, isUnseen: true }));
  const { dialog, id, names } = stands;
  const { question, whole, withheld, way, offers, expiresAt } = dialog;
  // What a rule compares is what its writer reads here.
  const shows = way === 'request' && dialog.kind === 'permission' ? (whole ?? dialog.shows) : dialog.shows;
  const options = [...offers.map(optionOf), ...seenOnce(alert.acked || alert.isNew === true)];
  const text = `${alert.session} asks: ${question}`;
  const { episode, session, since, type } = alert;
  const more = {
    alerts: [episode],
    body: '',
    dialog: {
      id: dialog.id,
      question,
      shows,
      withheld,
      way,
      ...ruledBy(alert.session, dialog),
      ...(expiresAt !== undefined && { expiresAt }),
    },
  };
  return [
    { kind: 'dialog', id, names, session, since, text, options, type: type ?? [], isAcked: alert.acked, ...more },
  ];
}

function ofAlert(alert: OpenAlert): Unnumbered[] {
  const { episode, session, since, text, severity, type = [], answers = [], acked } = alert;
  if (type === null) return [];
  // One about a dialog that cannot be read is printed with the number of that.
  const of = idIn(alert.question ?? undefined);
  const more = { names: of === undefined ? [] : [of], alerts: [episode], body: '', isAcked: acked };
  const id = alertId(alert);
  const declared = answers.flatMap(declaredOption);
  const options = declared.length > 0 ? declared : seenOnce(acked);
  return [{ kind: 'alert', id, session, since, text: `${severity}: ${text}`, options, type, ...more }];
}
