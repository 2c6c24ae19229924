/**
 * The dialogs behind open alerts, as they stand on the screens of the sessions now: what they show, and what of it may be
 * answered from elsewhere. Looks only; without such an alert no pane is read.
 */
import { isReport } from '../../../machines/alerts/question.ts';
import { NEEDS_INPUT } from '../../../machines/alerts/things.ts';
import type { Episode } from '../../../state/alerts/episodes.ts';
import { eyesOf, onRecord } from '../../overview/eyes.ts';
import { see } from '../../overview/scene.ts';
import { aroundNow, studiesOf, type Study } from '../../overview/study.ts';
import { dialogOn, type Dialog } from '../../screen/dialog.ts';
import { dialogOf } from '../../sources/question.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';

type Stands = Pick<Episode, 'episode' | 'session' | 'question'>;
/** What an agent reported stands on no screen. */
const isDialog = ({ episode, session, question }: Stands): boolean =>
  episode === `${NEEDS_INPUT.kind}/${session}` && !isReport(question);

/** By the alert about a dialog; `unseen` = it could not be read, `gone` = its agent goes on by now. Never rejects because of tmux. */
export async function dialogsOf(
  context: Context,
  alerts: readonly Stands[],
): Promise<ReadonlyMap<string, Dialog | 'unseen' | 'gone'>> {
  const asking = alerts.filter(isDialog);
  const unseen = asking.map(({ episode }): [string, Dialog | 'unseen' | 'gone'] => [episode, 'unseen']);
  if (asking.length === 0) return new Map();
  const disk = await context.disk();
  const deps = { ...(await eyesOf(await context.settings(), disk, note)), ...(await onRecord(disk)) };
  const { sessions, fault } = await see(deps.tmux);
  if (fault !== null) return new Map(unseen);
  const names = new Set(asking.map(({ session }) => session));
  const panes = sessions
    .filter(({ name }) => names.has(name))
    .flatMap((session) => session.panes.map((pane) => ({ session, pane })));
  const studies = await studiesOf(deps, await aroundNow(deps), panes);
  const lives = new Map(deps.records.map(({ spec, incarnation }) => [spec.name, incarnation?.uuid]));
  const found = asking.flatMap(({ episode, session }): [string, Dialog | 'gone'][] => {
    const study = studies.find((one) => one.ours && one.session === session);
    const dialog = study === undefined ? null : seenOn(study, lives.get(study.session) ?? '');
    return dialog === null ? [] : [[episode, dialog]];
  });
  return new Map([...unseen, ...found]);
}

/** What a program tells of its question itself comes before what stands on its screen. */
function seenOn({ found, screen, picture, verdict, standing, heard }: Study, life: string): Dialog | 'gone' | null {
  const dialog = heard?.asked ? dialogOf(heard.asked, life) : dialogOn({ pack: found.pack, screen, picture }, life);
  if (dialog === null) return verdict.word !== null && verdict.word.state !== 'asks' ? 'gone' : null;
  if (!standing.protected) return dialog;
  return { ...dialog, offers: [], withheld: [...dialog.offers.map(({ label }) => label), ...dialog.withheld] };
}
