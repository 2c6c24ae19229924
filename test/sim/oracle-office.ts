/**
 * Law 8, judged by what a person was told: one start and one end for each time that a cause stood, none told while all is well,
 * none over while its cause stands, none open after it. Its own arithmetic: it knows no record and no machine.
 */
import { anyOf, of, type EntryOf, type Log } from './log.ts';
import type { Office } from './office.ts';

/** A cause stood from `from` to `to`; what is told of it is over by `overBy`. */
export interface Stood {
  readonly from: number;
  readonly to: number;
  readonly overBy: number;
}
/** What must be told of each time, and what may be: episodes, or `kind/` for any of this kind, each time another. */
export interface Expected {
  readonly tells: readonly string[];
  readonly may: readonly string[];
  readonly stood: readonly Stood[];
  /** Nothing of it can be recorded while it stands: no record shows what a town told that is killed then. */
  readonly isUnrecorded?: boolean;
  readonly endsAt: number;
}

type Told = EntryOf<'alert' | 'recovered'>;

/** A town that was killed in the middle of telling tells again; no other says the same thing twice. */
function judgeOrder(log: Log, episode: string): string[] {
  const found: string[] = [];
  let last = null as Told | null;
  let isAgainAllowed = false;
  for (const entry of anyOf(log, 'alert', 'recovered', 'ended')) {
    if (entry.what === 'ended') isAgainAllowed = true;
    else if (entry.episode === episode) {
      if (last === null && entry.what === 'recovered') found.push(`${episode} is over at ${entry.t} and never began`);
      if (last?.what === entry.what && !isAgainAllowed)
        found.push(`${episode}: ${entry.what} at ${last.t} and again at ${entry.t}`);
      last = entry;
      isAgainAllowed = false;
    }
  }
  if (last?.what === 'alert') found.push(`${episode} was never over`);
  return found;
}

/** Where the life that was heard lives on, a person alone ends these. */
const LEFT_TO_PERSON = ['dance-escalated/', 'dance-failed/'];

/** All that a person was told. `stays`: kinds that may be open in the end. */
export function judgeEpisodes(log: Log, stays: readonly string[] = []): string[] {
  const episodes = new Set(anyOf(log, 'alert', 'recovered').map(({ episode }) => episode));
  const may = [...stays, ...LEFT_TO_PERSON];
  const isLeft = (one: string): boolean => one.endsWith('never over') && may.some((kind) => one.startsWith(kind));
  return [...episodes].flatMap((episode) => judgeOrder(log, episode).filter((one) => !isLeft(one)));
}

const isOf = (episode: string, expected: string): boolean =>
  expected.endsWith('/') ? episode.startsWith(expected) : episode === expected;

function judgeTime({ t, what, episode }: Told, stood: readonly Stood[]): string[] {
  const cause = stood.find(({ from, overBy }) => t >= from && t <= overBy);
  if (cause === undefined) return [`${episode}: ${what} at ${t}, though all is well`];
  return what === 'recovered' && t < cause.to ? [`${episode} is over at ${t}, while its cause stands`] : [];
}

/** What is wrong; empty = nothing. */
export function judgeOffice({ log, open }: Office, { tells, may, stood, isUnrecorded = false }: Expected): string[] {
  const told = anyOf(log, 'alert', 'recovered');
  const episodes = [...new Set(told.map(({ episode }) => episode))];
  const found = open.map((path) => `${path} is open in the end`);
  found.push(...of(log, 'refused').map(({ file, why }) => `${file} was refused: ${why}`));
  for (const one of told) found.push(...judgeTime(one, stood));
  for (const episode of episodes) {
    if (!(isUnrecorded || episode === 'disk') || !log.some(({ what }) => what === 'ended'))
      found.push(...judgeOrder(log, episode));
    if (![...tells, ...may].some((one) => isOf(episode, one)))
      found.push(`${episode} was told, and nothing is wrong there`);
  }
  for (const episode of tells)
    for (const { from, to, overBy } of stood)
      for (const [what, since, by] of [
        ['alert', from, to],
        ['recovered', to, overBy],
      ] as const)
        if (
          !told.some((one) => isOf(one.episode, episode) && one.what === what && one.t >= since && one.t <= by) &&
          !(
            isUnrecorded &&
            what === 'recovered' &&
            log.some((one) => one.what === 'ended' && one.t >= from && one.t <= by)
          )
        )
          found.push(`${episode}: no ${what} between ${since} and ${by}`);
  return found;
}
