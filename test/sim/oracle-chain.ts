/**
 * What a watchdog chain may never do, and what it must have done, by the log of an outside observer (RULES.md, C). Its own
 * arithmetic: it knows no record and no machine, only what happened.
 */
import { FILES } from '../../state/files/layout.ts';
import { judgeEpisodes } from './oracle-office.ts';
import { DEACON, type Chain } from './chain.ts';
import { ENDS_AT, type ChainHistory } from './chain-history.ts';
import { forcedOf } from './oracle.ts';
import { of, standsAt, type Entry, type Log } from './log.ts';

const SECOND = 1_000;
/** Undisturbed, a dead Deacon lives again within: two ticks, the longest wait of a session, and a mark of a Boot that was killed. */
const FOUND_MS = 60 * SECOND;

/** C-8: undisturbed time in which no Deacon lived. What hinders the looks for it begins the count anew. */
function judgeFinding(log: Log, { isActor }: ChainHistory): string[] {
  if (isActor) return [];
  const asked = new Set<string>(of(log, 'wrote').flatMap(({ life, then }) => (then === 'end' ? [life] : [])));
  const state = { isUp: false, isPaused: false, isHidden: false, lives: 1, isRetired: false };
  let since: number | null = null;
  const found: string[] = [];
  const end: Entry = { t: ENDS_AT, what: 'shown' };
  for (const entry of [...log, end]) {
    const { isUp, isPaused, isHidden, lives, isRetired } = state;
    if (isUp && !isPaused && !isHidden && lives === 0 && !isRetired && since !== null && entry.t - since > FOUND_MS)
      found.push(`no Deacon from ${since} to ${entry.t}, and nothing was in the way`);
    if (entry.what === 'booted' || entry.what === 'ended') state.isUp = entry.what === 'booted';
    else if (entry.what === 'paused' || entry.what === 'resumed') state.isPaused = entry.what === 'paused';
    else if (entry.what === 'hidden' || entry.what === 'shown') state.isHidden = entry.what === 'hidden';
    else if (entry.what === 'born' && entry.session === DEACON) state.lives += entry.t === 0 ? 0 : 1;
    else if (entry.what === 'died' && entry.session === DEACON) {
      state.lives -= 1;
      state.isRetired = asked.has(entry.life);
    } else continue;
    since = entry.t;
  }
  return found;
}

/** Boot judges once per tick, each triage acts once, and nothing is typed to a Deacon that is heard. */
function judgeBoot(log: Log): string[] {
  const found: string[] = [];
  const lives = log.flatMap((one, at) => (one.what === 'booted' ? [at] : []));
  for (const [nth, from] of lives.entries()) {
    const one = log.slice(from, lives[nth + 1]);
    const orders = of(one, 'ordered');
    const ticks = orders.filter(({ issuer, verb }) => issuer === 'daemon' && verb === 'boot');
    const looks = orders.filter(({ issuer, verb }) => issuer === 'boot' && verb === 'observe');
    for (const [n, look] of looks.entries()) {
      const before = looks[n - 1];
      if (before?.round === look.round) found.push(`triage ${look.round} looks twice, at ${before.t} and ${look.t}`);
      const due =
        ticks.filter(({ t }) => t > (before?.t ?? -1) && t <= look.t).length +
        of(one, 'wanted').filter(({ triage }) => triage).length;
      if (due === 0) found.push(`triage ${look.round} at ${look.t}: no tick since the last one`);
    }
    const rounds = orders.flatMap(({ issuer, verb, round }) => (issuer === 'boot' && verb === 'act' ? [round] : []));
    if (new Set(rounds).size < rounds.length) found.push(`a triage acts twice: ${rounds.join(', ')}`);
    for (const { t, round, from: by, life } of of(one, 'typed')) {
      const seen = of(one, 'observed').findLast((o) => o.round === round && o.t <= t);
      if (by !== 'gt-boot' || seen === undefined) continue;
      const heard = log.findLast((h) => h.what === 'saved' && h.life === life && h.t <= seen.t);
      if (heard?.what === 'saved' && heard.stage !== 'closed')
        found.push(`${life} is typed to at ${t}, though ${heard.dance} hears it`);
    }
  }
  return found;
}

/** C-4, law 3, C-10: who is paused is not executed, and only the life that asked ends by its own wish. */
function judgeEnds(log: Log): string[] {
  const found: string[] = [];
  const forced = forcedOf(log);
  for (const { t, life, lookedAt, dance } of of(log, 'signalled')) {
    const pausedAt = standsAt(log, 'paused', 'resumed', lookedAt);
    const isDeacon = of(log, 'born').some((one) => one.life === life && one.session === DEACON);
    if (isDeacon && !forced.has(dance) && pausedAt !== null && pausedAt < lookedAt)
      found.push(`${life} is signalled at ${t}, though paused since ${pausedAt}`);
    if (!log.some((one) => one.what === 'saved' && one.life === life && one.t <= t))
      found.push(`${life} is signalled at ${t} without a hearing`);
  }
  for (const { t, session, life, lives } of of(log, 'startedBeside'))
    found.push(`${session}: ${life} is started at ${t} beside ${lives}, which lives`);
  for (const { life, letter, then, t } of of(log, 'wrote')) {
    if (then === 'nothing') continue;
    const died = of(log, 'died').find((one) => one.life === life && one.t >= t);
    if (died === undefined) found.push(`${letter}: ${life} asked for its end at ${t}, and lives`);
  }
  for (const { life, dance } of of(log, 'saved').filter(({ own, stage }) => own && stage === 'closed')) {
    const letters = of(log, 'wrote').filter((one) => one.life === life && one.then !== 'nothing');
    const died = of(log, 'died').find((one) => one.life === life && (one.of === 'signal' || one.of === 'clearing'));
    if (died === undefined || letters.some(({ then }) => then !== 'end')) continue;
    const born = of(log, 'born').find(({ t, session }) => session === died.session && t > died.t);
    if (born !== undefined)
      found.push(`${born.life} is born at ${born.t}, though ${life} asked to stay ended (${dance})`);
  }
  return found;
}

const FATES: readonly Entry['what'][] = ['hung', 'cameTo', 'died'];

/** What is wrong; empty = nothing. */
export function judgeChain({ log, left, history }: Chain): string[] {
  const isBootOn = history.line === 'all' || history.line === 'boot';
  // Boot alone mends one that hangs: without it a person knows, and that stands.
  const last = of(log, 'born').findLast(({ session }) => session === DEACON)?.life;
  const fate = log.findLast((one) => 'life' in one && one.life === last && FATES.includes(one.what));
  const isHung = fate?.what === 'hung';
  return [
    ...judgeFinding(log, history),
    ...judgeBoot(log),
    ...judgeEnds(log),
    ...judgeEpisodes(log, isHung && !isBootOn ? ['deacon-silent/'] : []),
    ...(isBootOn && isHung ? [`${last ?? ''} hangs in the end, and no part of the town saw to it`] : []),
    // A town without Boot that was killed at a triage which a person asked for keeps its old mark.
    ...of(log, 'refused').map(({ file, why }) => `${file} was refused: ${why}`),
    ...left.filter((path) => isBootOn || path !== FILES.bootRunning).map((path) => `${path} is there in the end`),
  ];
}
