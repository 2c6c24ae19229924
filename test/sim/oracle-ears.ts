/**
 * What a town may never do with agents that it hears of, by the log of an outside observer (T, M): its own arithmetic.
 */
import { isLoginRestart } from '../../machines/hearings/dance.ts';
import type { Dance } from '../../machines/protocol.ts';
import { COOLDOWN_MS, type Ears } from './ears.ts';
import { TO_GO_ON, judgeGoOn } from './oracle-limits.ts';
import { judgeEpisodes } from './oracle-office.ts';
import { anyOf, of, standsAt, type Log } from './log.ts';

const SECOND = 1_000;
/** An agent that stands so is left alone. */
const SPARED = ['dialog', 'asks', 'limited', 'logged_out', 'person'];
/** From a look to the order that rests on it. */
const SLACK_MS = 2 * SECOND;
/** From the last key to the record of it. */
const RECORD_MS = 15 * SECOND;
/** A dialog that lasts so long is known: the looks, and how long it must last. */
const NOTICED_MS = 20 * SECOND;
/** So many lives in a row that end with a conversation are the reason for another one. */
const DEATHS = 3;

/** How this life was at that time, and since when. */
function stateAt(log: Log, life: string, at: number): { readonly state: string; readonly since: number } {
  const last = of(log, 'became').findLast((one) => one.life === life && one.t <= at);
  return { state: last?.state ?? 'idle', since: last?.t ?? 0 };
}

/** Law 6, T-1: nothing is typed or rung at one that asks, is limited or logged out, or at whose keys a person is. */
function judgeDisturbed({ log, agents, minds }: Ears): string[] {
  const found = of(log, 'typed').flatMap(({ t, life, truth, from }) =>
    SPARED.includes(truth) && !(truth === 'limited' && from === TO_GO_ON)
      ? [`${life} was typed to at ${t}, though it showed: ${truth} (${from})`]
      : [],
  );
  for (const { t, life: uuid } of [...of(log, 'rang'), ...of(log, 'hailed')]) {
    const life = agents.lives.get(uuid);
    if (life === undefined) continue;
    const { state, since } = stateAt(log, uuid, t);
    const { program, screen } = minds.sources[life.session.plan.name] ?? {};
    // The screen alone shows a limit at which no turn ended.
    const isKnown = program === 'true' && (state !== 'limited' || screen === 'true');
    if (isKnown && SPARED.includes(state) && t - since > SLACK_MS)
      found.push(`${uuid} was paged at ${t}, though it has been ${state} since ${since}`);
    const session = life.session.plan.name;
    const person = of(log, 'hindered').find(
      (one) => one.session === session && one.cause === 'person' && one.t + SLACK_MS < t && one.until > t,
    );
    if (person !== undefined)
      found.push(`${uuid} was paged at ${t}, though a person has typed there since ${person.t}`);
  }
  const rangs = Map.groupBy(of(log, 'rang'), (one) => one.life);
  const hails = Map.groupBy(of(log, 'hailed'), (one) => one.life);
  for (const [life, rings] of [...rangs, ...hails])
    for (const [n, { t }] of rings.entries()) {
      const next = rings[n + 1];
      if (next !== undefined && next.t - t < COOLDOWN_MS - SECOND)
        found.push(`${life} was paged at ${t} and again at ${next.t}`);
    }
  return found;
}

/** Work that is on record is typed, in its order, and once where no kill came between the last key and the record. */
function judgeSends(log: Log): string[] {
  const found: string[] = [];
  const ended = of(log, 'ended').map(({ t }) => t);
  for (const { send, session, t } of of(log, 'sent')) {
    const typed = of(log, 'typed').filter(({ text }) => text === `do ${send}`);
    if (typed.length === 0) found.push(`${send}, sent to ${session} at ${t}, was never typed`);
    for (const [n, one] of typed.entries()) {
      const next = typed[n + 1];
      if (next !== undefined && !ended.some((end) => end >= one.t && end <= one.t + RECORD_MS))
        found.push(`${send} was typed at ${one.t} and again at ${next.t}`);
    }
  }
  return found;
}

/** M-11: a conversation is gone on with, and its first prompt is given once. */
function judgeConversations(log: Log): string[] {
  const found: string[] = [];
  for (const [session, spoken] of Map.groupBy(of(log, 'spoke'), (one) => one.session))
    for (const [n, { t, conversation, resumed }] of spoken.entries()) {
      const before = spoken[n - 1];
      if (resumed || before === undefined) continue;
      const lives = spoken.slice(0, n).filter((one) => one.conversation === before.conversation).length;
      if (lives < DEATHS)
        found.push(
          `${session}: ${conversation} was begun anew at ${t}, after ${lives} lives with ${before.conversation}`,
        );
    }
  return found;
}

interface Told {
  readonly at: number;
  readonly type: string;
  readonly life: string;
}

function lettersIn({ disk, wall, time }: Ears): Told[] {
  return [...disk.files()].flatMap(([path, text]) => {
    const at = /^mail\/tag[^/]*\/(?:new|cur|archive)\/.*worker-(\d+)-/.exec(path)?.[1];
    if (at === undefined) return [];
    const { subject, body } = JSON.parse(text) as { subject: string; body: string };
    const { payload } = JSON.parse(body) as { payload: { worker_id: string } };
    return [{ at: Number(at) - (wall - time.now), type: subject, life: payload.worker_id }];
  });
}

/** M-4, M-5: what was told of a worker is told again only after it was another way meanwhile. */
function judgeLetters(world: Ears): string[] {
  const { log, agents, minds } = world;
  const found: string[] = [];
  for (const letters of Map.groupBy(lettersIn(world), ({ life, type }) => `${life} ${type}`).values()) {
    const all = letters.toSorted((one, other) => one.at - other.at);
    for (const [n, { life, type, at }] of all.entries()) {
      const next = all[n + 1];
      const { program, screen } = minds.sources[agents.lives.get(life)?.session.plan.name ?? ''] ?? {};
      // A stuck one that made a step is told of anew, and the log has no steps.
      const isStuck = type === 'worker.stuck';
      if (next === undefined || isStuck || program !== 'true' || screen !== 'true') continue;
      const changed = anyOf(log, 'became', 'reported').some(
        (one) => one.life === life && one.t >= at - SLACK_MS && one.t <= next.at,
      );
      if (!changed) found.push(`${life} was told of twice: ${type} at ${at} and at ${next.at}`);
    }
  }
  return found;
}

/** Law 7: of a dialog that lasts a person hears soon, where a town runs that can see it and both its sources are honest. */
function judgeNoticed({ log, agents, minds }: Ears): string[] {
  const found: string[] = [];
  for (const { t, life, state } of of(log, 'became')) {
    const session = agents.lives.get(life)?.session.plan.name ?? '';
    const { program, screen } = minds.sources[session] ?? {};
    if (state !== 'asks' || program !== 'true' || screen !== 'true') continue;
    const within = (one: { readonly t: number }): boolean => one.t >= t && one.t <= t + NOTICED_MS;
    const last = anyOf(log, 'booted', 'ended').findLast((one) => one.t < t);
    const isOver = of(log, 'became').some((one) => one.life === life && one.t > t && within(one));
    const isDisturbed =
      anyOf(log, 'ended', 'hidden', 'died').some(within) || standsAt(log, 'hidden', 'shown', t) !== null;
    if (isOver || isDisturbed || last?.what !== 'booted' || last.t + NOTICED_MS > t) continue;
    const told = anyOf(log, 'alert', 'recovered').filter(({ episode }) => episode === `needs-input/${session}`);
    const isTold =
      told.some((one) => one.what === 'alert' && within(one)) || told.findLast((one) => one.t < t)?.what === 'alert';
    if (!isTold) found.push(`${life} has asked since ${t}, and no person heard of it`);
  }
  return found;
}

/** M-9, law 6: a life ends for a new login only at rest, and under no person's hands. */
function judgeRenewed({ log, agents }: Ears): string[] {
  return of(log, 'signalled').flatMap(({ t, life, record }) => {
    // An operator's order heeds neither.
    const { warrants } = JSON.parse(record ?? '{}') as Partial<Pick<Dance, 'warrants'>>;
    if (warrants === undefined || !isLoginRestart({ warrants })) return [];
    const { state, since } = stateAt(log, life, t);
    const session = agents.lives.get(life)?.session.plan.name;
    const person = of(log, 'hindered').find(
      (one) => one.session === session && one.cause === 'person' && one.t + SLACK_MS < t && one.until > t,
    );
    if (person !== undefined) return [`${life} was ended at ${t}, though a person has typed there since ${person.t}`];
    if ((state !== 'working' && state !== 'asks') || t - since <= SLACK_MS) return [];
    return [`${life} was ended at ${t}, though it has been ${state} since ${since}`];
  });
}

export function judgeEars(world: Ears): string[] {
  const { log } = world;
  return [
    ...judgeEpisodes(log),
    ...judgeDisturbed(world),
    ...judgeSends(log),
    ...judgeConversations(log),
    ...judgeLetters(world),
    ...judgeNoticed(world),
    ...judgeRenewed(world),
    ...judgeGoOn(world),
  ];
}
