/**
 * A flood of letters (W-1): unknown letters, and those over their sender's budget, are kept apart and counted. Each
 * group has one alert, however many there are.
 */
import type { PatrolAct } from '../patrols/dispatch.ts';
import { stand } from '../patrols/stands.ts';
import type { LetterSeen, WitnessAct, WitnessSeen } from './observation.ts';
import type { WitnessPolicy } from './policy.ts';
import { times } from '../kernel/span.ts';

type Act = WitnessAct | PatrolAct;
type Shelve = Extract<WitnessAct, { act: 'shelve' }>;

const letters = (count: number): string => times(count, 'letter');

/** How an end that a witness asked for came out. */
export const isVerdict = ({ from, subject }: LetterSeen): boolean => from === 'town' && subject.startsWith('VERDICT: ');

/** A witness does not know what this letter wants: it is kept apart. */
export const setAside = ({ id, from, subject }: LetterSeen): Shelve[] => [
  { act: 'shelve', mails: [id], to: 'aside', about: letters(1), why: `${from} wrote "${subject}"` },
];

/** What `handle` says of each letter within its sender's budget, and what becomes of all others. */
export function shelfActs(
  { letters: all, shelf, rig: { name } }: WitnessSeen,
  { lettersPerHour }: Pick<WitnessPolicy, 'lettersPerHour'>,
  handle: (letter: LetterSeen) => readonly Act[],
): Act[] {
  const used = new Map(shelf.handled);
  const acts: Act[] = [];
  const strange: Shelve[] = [];
  const over: LetterSeen[] = [];
  const late = new Set<string>();
  for (const letter of all) {
    const { from, isLate } = letter;
    const count = used.get(from) ?? 0;
    if (count >= lettersPerHour && !isVerdict(letter)) {
      late.add(from);
      if (!isLate) over.push(letter);
      continue;
    }
    const wanted = handle(letter);
    const [first] = wanted;
    if (first?.act === 'shelve') strange.push(first);
    else {
      used.set(from, count + 1);
      acts.push(...wanted);
    }
  }
  const taken = all.filter(({ isLate, from }) => isLate && !late.has(from)).length;
  return [
    ...acts,
    ...strangeActs(strange, shelf.aside, name),
    ...lateActs(over, shelf.later - taken, [...late], { name, lettersPerHour }),
  ];
}

function strangeActs(strange: readonly Shelve[], before: number, rig: string): Act[] {
  const last = strange.at(-1);
  if (last === undefined) return [];
  const mails = strange.flatMap((one) => one.mails);
  const count = before + mails.length;
  const text = `${letters(count)} to ${rig}/witness ${count === 1 ? 'is' : 'are'} of no kind that a witness knows; the last: ${last.why}. Kept: town mail inbox ${rig}/witness`;
  return [stand('high', 'witness-mail', text), { ...last, mails, about: letters(mails.length) }];
}

function lateActs(
  over: readonly LetterSeen[],
  before: number,
  senders: readonly string[],
  { name, lettersPerHour }: { readonly name: string; readonly lettersPerHour: number },
): Act[] {
  const count = before + over.length;
  if (count <= 0 || senders.length === 0) return [];
  const text = `${letters(count)} to ${name}/witness wait: ${senders.join(', ')} wrote more than the ${lettersPerHour} an hour that a witness handles of one sender. They are kept, and handled hour by hour: town mail inbox ${name}/witness`;
  const why = `more than ${lettersPerHour} in an hour`;
  const mails = over.map(({ id }) => id);
  return [
    stand('high', 'witness-budget', text),
    ...(mails.length === 0 ? [] : [{ act: 'shelve', mails, to: 'later', about: letters(mails.length), why } as const]),
  ];
}
