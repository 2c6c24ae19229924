/**
 * The dialogs behind open alerts, as they stand on the screens of the sessions now: what they show, and what of it may be
 * answered from elsewhere. Looks only; without such an alert no pane is read.
 */
import { idIn, isReport, marksIn } from '../../../machines/alerts/question.ts';
import { NEEDS_INPUT } from '../../../machines/alerts/things.ts';
import type { OpenAlert } from '../../overview/open-alerts.ts';
import { eyesOf, onRecord, studiesOfOwn } from '../../overview/eyes.ts';
import { isAbout, questionId } from '../../overview/question.ts';
import { see } from '../../overview/scene.ts';
import type { Study } from '../../overview/study.ts';
import { dialogOn, isRequest, mayBeOf, onlyNamed, type Dialog, type DialogOnScreen } from '../../screen/dialog.ts';
import type { Heard } from '../../sources/port.ts';
import { SOURCES } from '../../sources/policy.ts';
import { dialogOf } from '../../sources/question.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';

type Stands = Pick<OpenAlert, 'episode' | 'session' | 'question'>;
/** What an agent reported stands on no screen. */
const isDialog = ({ episode, session, question }: Stands): boolean =>
  episode === `${NEEDS_INPUT.kind}/${session}` && !isReport(question ?? undefined);

/** A dialog that stands now. */
export interface Standing {
  readonly dialog: Dialog;
  /** By which it is known from its first sight to its end. */
  readonly id: string;
  /** Other names of this very question, by another of its ways; each is taken for an answer. */
  readonly names: readonly string[];
}
type Found = Standing | 'unseen' | 'gone';

/**
 * By the alert about a dialog; `unseen` = it could not be read, `gone` = its agent goes on by now. `about`: the whole id of one; panes of
 * other lives are not read. Never rejects because of tmux.
 */
export async function dialogsOf(
  context: Context,
  alerts: readonly Stands[],
  about?: string,
): Promise<ReadonlyMap<string, Found>> {
  const all = alerts.filter(isDialog);
  if (all.length === 0) return new Map();
  const disk = await context.disk();
  const settings = await context.settings();
  const deps = { ...(await eyesOf(settings, disk, note, SOURCES.onceMs)), ...(await onRecord(disk)) };
  const lives = new Map(deps.records.map(({ spec, incarnation }) => [spec.name, incarnation?.uuid]));
  const isMeant = ({ session }: Stands): boolean =>
    about === undefined || mayBeOf(about, lives.get(session ?? '') ?? null);
  const asking = all.filter(isMeant);
  const unseen = asking.map(({ episode }): [string, Found] => [episode, 'unseen']);
  const { sessions, fault } = await see(deps.tmux);
  if (fault !== null) return new Map(unseen);
  const names = new Set(asking.map(({ session }) => session));
  const studies = await studiesOfOwn(deps, sessions, names);
  const found = asking.flatMap(({ episode, session, question }): [string, Found][] => {
    const study = studies.find((one) => one.session === session);
    const stands = study === undefined ? null : seenOn(study, lives.get(study.session) ?? '', question ?? undefined);
    if (stands === null || stands === 'gone') return stands === null ? [] : [[episode, stands]];
    return [[episode, { ...stands, dialog: onlyNamed(stands.dialog, settings.asks.offer) }]];
  });
  return new Map([...unseen, ...found]);
}

/** What a program tells of its question itself comes before what stands on its screen. `told`: the question of the alert. */
function seenOn(study: Study, life: string, told: string | undefined): Standing | 'gone' | null {
  const { found, screen, picture, verdict, standing, heard } = study;
  const shown = dialogOn({ pack: found.pack, screen, picture }, life);
  const dialog = heard?.asked ? dialogOf(heard.asked, life) : shown;
  if (dialog === null) return verdict.word !== null && verdict.word.state !== 'asks' ? 'gone' : null;
  const named = namesOf(dialog, { shown, heard, life }, told);
  if (!standing.protected) return { dialog, ...named };
  const withheld = [...dialog.offers.map(({ label }) => label), ...dialog.withheld];
  return { dialog: { ...dialog, offers: [], withheld }, ...named };
}

interface Ways extends Pick<Study, 'heard'> {
  readonly shown: DialogOnScreen | null;
  readonly life: string;
}

/** What its program says that it asks, and the program's own mark of that; undefined = it says neither. */
function toldBy({ asked, word, mark }: Heard): { readonly words: string; readonly mark: string | undefined } {
  if (asked) return { words: asked.question, mark: asked.mark ?? asked.id };
  return { words: (word?.detail ?? '').replace(/^[a-z ]+: /u, ''), mark };
}

/** What the program tells and what stands on the screen are one question where the one shows the words of the other. */
function namesOf({ id: now, way }: Dialog, { shown, heard, life }: Ways, told: string | undefined): Names {
  const { words, mark } = heard === null ? { words: '', mark: undefined } : toldBy(heard);
  const isOne = shown !== null && words !== '' && isAbout(shown, words);
  const names = isOne && shown.id !== now ? [now, shown.id] : [now];
  const id = idIn(told);
  if (id === undefined || names.includes(id)) return { id: id ?? now, names };
  const isSure = isOne || (way === 'request' && isRequest(id));
  return { id: isSure && mark !== undefined && isAsked(told, life, mark) ? id : now, names };
}
type Names = Pick<Standing, 'id' | 'names'>;

/** Whether the alert is about the request with this mark. */
function isAsked(told: string | undefined, life: string, request: string): boolean {
  const { request: known } = marksIn(told ?? '');
  return known !== undefined && known === marksIn(questionId(life, { request })).request;
}
