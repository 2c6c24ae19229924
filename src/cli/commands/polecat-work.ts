/** `town polecat diff|log`: what a polecat did, from where its branch left main to its worktree as it is. Looks only. */
import { addressOf, branchOf, wordsOf } from '../../../machines/rigs/names.ts';
import { firstLines, times } from '../../../machines/kernel/span.ts';
import type { Commit } from '../../git/from-base.ts';
import { age } from '../../journal/when.ts';
import { diffOf, logOf, type OwnDiff, type OwnWork } from '../../rigs/own-work.ts';
import { dirOf } from '../../rigs/place.ts';
import { RIG_WORK } from '../../rigs/policy.ts';
import { clean, listing, note } from '../../terminal/print.ts';
import { inStyle, type Style } from '../../terminal/streams.ts';
import { polecatCalled } from '../asking/polecat.ts';
import { yardOf } from '../asking/yard.ts';
import type { Context } from '../context.ts';

const short = (commit: string): string => commit.slice(0, RIG_WORK.shortCommit);

const viewOf = ({ rig, name }: { readonly rig: string; readonly name: string }, work: OwnWork) => ({
  rig,
  name,
  address: addressOf({ rig, name }),
  ...work,
});

export async function log(context: Context, text: string): Promise<void> {
  const yard = await yardOf(context);
  const { rig, record } = await polecatCalled(yard, text);
  const work = await logOf({ yard, rig }, record);
  const row = (one: Commit): string[] => [short(one.commit), age(one.at), one.author, one.subject];
  const none = `no commit of its own since ${baseText(work)}`;
  const columns = ['COMMIT', { head: 'AGE', right: true }, { head: 'AUTHOR', drop: 1 }, 'SUBJECT'];
  context.answer('polecat-log', viewOf(record, work), () =>
    [
      headText(wordsOf(record), branchOf(record), work),
      listing(work.commits, none, columns, row)(),
      ...uncommittedLines(work),
    ].join('\n'),
  );
}

const baseText = ({ base, main }: OwnWork): string => `${main === null ? '' : `${clean(main)} at `}${short(base)}`;

function headText(name: string, own: string, work: OwnWork): string {
  const { branch } = work;
  const on = branch === own ? '' : branch === null ? ', on no branch' : `, on the branch ${clean(branch)}`;
  return `${name} since ${baseText(work)}${on}`;
}

function uncommittedLines({ uncommitted }: OwnWork): string[] {
  if (uncommitted.length === 0) return ['everything is committed'];
  return [
    `not committed, ${times(uncommitted.length, 'file')}:`,
    ...firstLines(uncommitted, RIG_WORK.shown).map((name) => `  ${clean(name)}`),
  ];
}

export async function diff(
  context: Context,
  text: string,
  { stat = false }: { readonly stat?: boolean },
): Promise<void> {
  const yard = await yardOf(context);
  const { rig, record } = await polecatCalled(yard, text);
  const work = await diffOf({ yard, rig }, record);
  const head = headText(wordsOf(record), branchOf(record), work);
  // A program that reads patches gets an empty one.
  if (!stat && work.patch === '') note(`${head}: it changed nothing`);
  context.answerPlain('polecat-diff', viewOf(record, work), () =>
    [
      ...(stat || work.patch === null ? [head, ...fileLines(work)] : []),
      ...(stat
        ? []
        : work.patch === null
          ? [`the lines are too many to show; read them there: cd ${dirOf({ yard }, record)}`]
          : [styled(work.patch)]),
    ].join('\n'),
  );
}

function fileLines({ files }: OwnDiff): string[] {
  if (files.length === 0) return ['it changed nothing'];
  const counts = files.map(({ added, removed }) => (added === null ? 'binary' : `+${added} -${removed ?? 0}`));
  const width = Math.max(...counts.map(({ length }) => length));
  return files.map(({ name }, at) => `  ${(counts[at] ?? '').padStart(width)}  ${clean(name)}`);
}

const STYLES: readonly (readonly [begins: string, style: Style])[] = [
  ['diff --git ', 'bold'],
  ['index ', 'bold'],
  ['--- ', 'bold'],
  ['+++ ', 'bold'],
  ['@@ ', 'yellow'],
  ['+', 'green'],
  ['-', 'red'],
];

/** As git colours it. */
const styled = (patch: string): string =>
  patch
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const style = STYLES.find(([begins]) => line.startsWith(begins))?.[1];
      return style === undefined ? line : inStyle(style, line);
    })
    .join('\n');
