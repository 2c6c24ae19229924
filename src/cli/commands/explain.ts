/** `town explain`: what a live session shows, which rule told its state, and what the town could do there now. Touches nothing. */
import { conversationView, screenView } from '../../overview/agent-view.ts';
import type { Study } from '../../overview/study.ts';
import { kindByTitle } from '../../screen/agents.ts';
import type { Packs } from '../../screen/packs.ts';
import type { Context } from '../context.ts';
import { clean } from '../../terminal/print.ts';
import { drawing } from '../screens/drawing.ts';
import { studySession, type PaneOptions, type Studied } from '../screens/pane.ts';
import { screenText } from '../session-table.ts';
import { linesOf, packText, readingLines, readingOf, type Line, type Reading } from '../screens/reading.ts';

/** Throws Failure: 4 when tmux gives no answer, 2 for a session or pane that is not there. */
export async function explain(context: Context, name: string, options: PaneOptions): Promise<void> {
  const { study, packs, others } = await studySession(context, name, options);
  const { pack } = study.found;
  const reading = inTheWay(study, readingOf({ pack, source: packs.fileOf(pack.name) }, study.screen));
  const { picture, pane, would, ours, pid, found, command } = study;
  const data = {
    session: clean(study.session),
    pane: pane.paneId,
    other_panes: others,
    ours,
    ended: pane.dead,
    ...reading,
    screen: screenView(study.verdict),
    conversation: conversationView(study.heard?.conversation ?? null),
    by: found.by,
    pid,
    command: (command?.argv ?? []).map((word) => clean(word)),
    why_pack: whyPack(study, packs),
    size: sizeOf(study),
    cursor: picture.cursor,
    alternate: picture.alternate,
    title: clean(picture.title),
    line_mode: picture.lineMode,
    obstacle: study.standing.obstacle,
    enter: enterText(study, reading),
    would,
    rows: picture.rows.map((row) => clean(row)),
  };
  context.answerPlain('explain', data, () => [
    drawing({ rows: picture.rows, cursorRow: picture.cursor?.y ?? null }, reading),
    '',
    linesOf([
      ...head(study, { others }),
      ...readingLines(reading),
      ...programLines(study),
      ['Enter', data.enter],
      ['question', questionText(would)],
      ['pack', packText(reading)],
      ['', data.why_pack],
    ]),
  ]);
}

const IN_THE_WAY: Readonly<Record<string, string>> = {
  'copy mode': 'the pane is in copy mode',
  'a shell in front': 'a shell is in front, and would run it',
  'a secret is typed': 'its terminal hides what is typed, as for a password',
};

/** The screen alone does not tell who takes the keys. */
function inTheWay({ standing: { obstacle, leftOver } }: Study, reading: Reading): Reading {
  if (obstacle !== null) return { ...reading, may_type: false, why_not: IN_THE_WAY[obstacle] ?? obstacle };
  return leftOver
    ? { ...reading, why_not: 'an old question of the town stands there, which it takes out first' }
    : reading;
}

function head(study: Study, { others }: Pick<Studied, 'others'>): Line[] {
  const { session, pane, picture } = study;
  const size = sizeOf(study);
  const more = others.length === 0 ? '' : `; --pane shows ${others.join(', ')}`;
  const shape = [
    size === null ? '' : `${size.width}x${size.height}`,
    picture.alternate === true ? 'alternate screen' : '',
  ];
  const about = [...shape, pane.dead ? 'its program has ended' : ''].filter((part) => part !== '').join(', ');
  return [['session', `${clean(session)} ${pane.paneId}${about === '' ? '' : `, ${about}`}${more}`]];
}

function sizeOf({ picture: { width, height } }: Study): { readonly width: number; readonly height: number } | null {
  return width === null || height === null ? null : { width, height };
}

/** What its program says itself, and how it is by both; none where it says nothing. */
function programLines({ heard, verdict }: Study): Line[] {
  if (heard === null) return [];
  const { word, conversation } = heard;
  const detail = (word?.detail ?? '') === '' ? '' : ` (${clean(word?.detail ?? '')})`;
  const said = word === null ? 'no state' : `${word.state}${detail}, by ${word.source}`;
  return [
    ['program', `says ${said}${conversation === null ? '' : `; conversation ${clean(conversation)}`}`],
    ['together', screenText(screenView(verdict), Date.now())],
  ];
}

/** The effect of an Enter that the town does not press. */
function enterText({ standing, found: { pack } }: Study, { state, composer, options }: Reading): string {
  if (standing.obstacle !== null) return `would not reach an agent: ${standing.obstacle}`;
  if (standing.leftOver) return 'would send the old question of the town';
  if (composer !== null && composer.draft !== '') return 'would send the half-typed line';
  const chosen = options.find((option) => option.chosen);
  if (chosen !== undefined) return `would choose ${JSON.stringify(chosen.label)}`;
  if (state === 'blocked' || state === 'login' || state === 'picker') return 'would answer or choose something there';
  if (composer !== null) return 'would do nothing: its composer is empty';
  return pack.complete
    ? 'would do something that is not known here'
    : 'would be read by the program, with an unknown effect';
}

const ACTS: Readonly<Record<Study['would']['act'], string>> = {
  ask: 'would be typed',
  wait: 'would wait',
  tell: 'would not be typed, and a person alerted',
  end: 'is not asked of a life that has ended',
  nothing: 'is never asked here',
};

function questionText({ act, why, once_adopted }: Study['would']): string {
  return `${ACTS[act]}: ${why}${once_adopted ? ', once `town session adopt` made it ours' : ''}`;
}

/** By which evidence this pack judges, and no other. */
function whyPack({ found: { by, program, kind }, picture, ours, pid }: Study, packs: Packs): string {
  const titled = kindByTitle(packs.identities(), picture.title);
  const title =
    titled === null
      ? 'its title names no agent'
      : `its title ${JSON.stringify(clean(picture.title))} speaks of ${titled}`;
  const run = program === null ? '' : clean(program.argv.join(' '));
  if (program !== null && (by === 'record' || by === 'process'))
    return `process ${program.pid} runs it: ${cut(run)}${ours ? `, below what the town ${by === 'record' ? 'knows as its agent' : 'watches'}` : ''}; ${title}`;
  if (by === 'record')
    return `the town knows its agent as ${clean(kind ?? '?')} (process ${pid ?? '?'}), which no pack knows; ${title}`;
  if (by === 'title') return `no process here is an agent; ${title}`;
  return `no process here is an agent that a pack knows; ${title}`;
}

/** A command line says enough by its beginning. */
const LONGEST_COMMAND = 80;
const cut = (text: string): string => (text.length > LONGEST_COMMAND ? `${text.slice(0, LONGEST_COMMAND)}…` : text);
