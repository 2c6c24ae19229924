/** The process of the channels, and the answers that come by it, over the real ports. */
import { ANSWERS } from '../../machines/channels/policy.ts';
import { agentOfSession } from '../../machines/rigs/names.ts';
import { nicksIn } from '../../machines/channels/answers.ts';
import { AskBook } from '../../state/channels/asks.ts';
import { Spool } from '../../state/channels/spool.ts';
import { textOf } from '../../state/files/disk.ts';
import { restoredAt } from '../../state/process/restored.ts';
import { questionsOf, sayAllWell, type AllWellNeeds } from '../channels/all-well.ts';
import { Asks, type Place } from '../channels/asks.ts';
import { AnswersByRule, type ByRuleNeeds } from '../channels/by-rule.ts';
import { ChannelsProcess } from '../channels/child.ts';
import { takeMention, type MentionNeeds } from '../channels/mentions.ts';
import type { Listening, Reach } from '../channels/port.ts';
import { reachOf } from '../alerts/reach.ts';
import { askKeyOf } from '../channels/proof.ts';
import { channelsIn } from '../channels/settings.ts';
import { townPlace } from './questions-place.ts';
import { FITS } from '../config/fits.ts';
import type { Settings } from '../config/settings.ts';
import { channelsCommand, ownProgram } from '../guard/launch.ts';
import { dialogNow, type AnswerDeps } from '../hearings/dialog-now.ts';
import { mistakeIn } from '../hearings/nudge.ts';
import { findPane } from '../hearings/pane.ts';
import { peopleAt, personAt } from '../hearings/people.ts';
import type { HandsNeeds } from '../host/hands-needs.ts';
import type { Tmux } from '../ports/ports.ts';
import type { Asking } from '../overview/asking.ts';
import { marksOf, questionId } from '../overview/question.ts';
import { readSessions } from '../overview/records.ts';
import { askProgram } from '../proc/ask-program.ts';
import { dialogOf } from '../sources/question.ts';

export interface Channels {
  readonly process: ChannelsProcess;
  readonly asks: Asks;
  /** Until `stop`. */
  readonly attend: (stop: AbortSignal) => Promise<unknown>;
}

type Eyes = AnswerDeps & { readonly asking: Pick<Asking, 'answered'> };

/** `secret`: of the root. `spoke`: takes what an agent says under its own nick. */
export async function channelsOf(
  needs: HandsNeeds,
  secret: string,
  eyes: Eyes,
  spoke: Listening['spoke'],
): Promise<Channels> {
  const { settings, host, store, quarantine, announce } = needs;
  const { mayAnswer } = settings;
  const log = (text: string): void => host.logger.warn(text);
  const book = new AskBook({ disk: host.disk, quarantine });
  const spool = new Spool(host.disk);
  const tell: AllWellNeeds['tell'] = (notice, of) => spool.add(notice, of, host.clock.wall());
  const { rules, key } = await answering(book, mayAnswer, secret, log);
  const asks = new Asks({
    book,
    rules,
    key,
    places: placesOf(needs, eyes),
    tell,
    clock: host.clock,
    log,
  });
  const take: Asks['take'] = (heard) => asks.take(heard);
  const peopleIn = async (sessions: readonly string[]): Promise<ReadonlySet<string>> => {
    const records = await Promise.all(sessions.map((session) => store.session(session)));
    return peopleAt(
      eyes,
      records.flatMap((record) => record?.incarnation ?? []),
    );
  };
  const byRule = byRuleOf(needs, eyes, book);
  const { perHour, perHourInAll } = settings.notify;
  const nicks = nicksIn(settings.policy.tickle.nicks);
  const orders = { ...settings, mayAnswer: rules, perHour, perHourInAll, key, nicks };
  const offer: Asks['offerOfTown'] = (of) => asks.offerOfTown(of);
  const child = {
    peopleAt: peopleIn,
    reach: reachIn(needs, eyes.tmux),
    offer,
    settings: orders,
    command: channelsCommand(),
    clock: host.clock,
    announce,
    log,
    take,
    spoke,
    mentioned: mentionsOf(needs, eyes, tell),
  };
  const process = new ChannelsProcess(child);
  const attend = (stop: AbortSignal): Promise<unknown> =>
    Promise.all([asks.attend(), byRule.attend(stop), sayAllWell(wellOf(needs, spool, tell), stop)]);
  return { process, asks, attend };
}

function wellOf({ settings, host }: HandsNeeds, spool: Spool, tell: AllWellNeeds['tell']): AllWellNeeds {
  const { root, notify, channels } = settings;
  return {
    hours: channelsIn(channels).length === 0 ? null : notify.allWell,
    questions: () => questionsOf(ownProgram('main'), root),
    isSaid: (since) => spool.isSaid('well', since),
    tell,
    clock: host.clock,
    log: (text) => host.logger.warn(text),
  };
}

/** Where the book cannot be read, channels offer no question until the next start: no earlier answer is at stake. */
async function answering(
  book: AskBook,
  rules: Settings['mayAnswer'],
  secret: string,
  log: (text: string) => void,
): Promise<{ readonly rules: Settings['mayAnswer']; readonly key: string }> {
  if (rules.length === 0) return { rules, key: '' };
  try {
    return { rules, key: askKeyOf(secret, await book.salt()) };
  } catch (error) {
    log(`no channel offers a question until the town starts again: ${textOf(error)}`);
    return { rules: [], key: '' };
  }
}

function reachIn({ settings, host }: HandsNeeds, tmux: Pick<Tmux, 'query'>): Reach {
  const { disk, processes, clock, ask } = host;
  return reachOf({
    tmux,
    processes,
    disk,
    tag: settings.policy.monitor.orchestratorTag,
    nudge: (request) => ask(request),
    wall: () => clock.wall(),
    log: (text) => host.logger.warn(text),
  });
}

function mentionsOf(
  { settings, host }: HandsNeeds,
  { isProtected }: AnswerDeps,
  tell: MentionNeeds['tell'],
): Listening['mentioned'] {
  const nicks = nicksIn(settings.policy.tickle.nicks);
  const receiver: MentionNeeds['receiver'] = async (name) => {
    const agent = nicks.find(({ nick }) => nick.toLowerCase() === name.toLowerCase())?.agent ?? name;
    const records = (await readSessions(host.disk)).found.map(({ value }) => value);
    const found = records.find(({ spec }) => spec.name === name || agentOfSession(spec) === agent);
    return found === undefined ? null : { session: found.spec.name, tags: found.spec.tags };
  };
  const mistake: MentionNeeds['mistake'] = (session, text) =>
    isProtected(session) ? `${session} is a protected name` : mistakeIn(text, settings.hands);
  const needs: MentionNeeds = { rules: settings.mayAnswer, receiver, mistake, ask: host.ask, tell };
  return (mention) => takeMention(needs, mention);
}

function placesOf({ settings, host, store }: HandsNeeds, eyes: Eyes): Record<'dialogs' | 'town', Place> {
  return {
    dialogs: {
      limitMs: ANSWERS.lookMs,
      now: async (session) => {
        const { incarnation = null, spec } = (await store.session(session)) ?? {};
        if (incarnation === null) return null;
        const { uuid: life } = incarnation;
        const dialog = await dialogNow(eyes, incarnation);
        return dialog && { ...dialog, session, life, tags: spec?.tags ?? [], marks: questionId(life, marksOf(dialog)) };
      },
      answer: async ({ session, life, dialog, question }, { label: option }, { from, text }) => {
        const at = host.clock.now();
        const own = text === '' ? {} : { text };
        const reply = await host.ask({ verb: 'answer', name: session ?? '', dialog, question, option, ...own }, from);
        if (reply.ok) eyes.asking.answered.note(life, at);
        return reply;
      },
    },
    town: townPlace({
      ask: (words, limitMs, input) =>
        askProgram([...ownProgram('main'), '--root', settings.root, 'ask', ...words], limitMs, input),
      tags: async (session) => (await store.session(session))?.spec.tags ?? [],
    }),
  };
}

function byRuleOf({ settings, host, store }: HandsNeeds, eyes: AnswerDeps, book: AskBook): AnswersByRule {
  const standing: ByRuleNeeds['standing'] = async () => {
    const records = (await readSessions(host.disk)).found.map(({ value }) => value);
    const lives = records.flatMap(({ spec: { name: session, tags }, state, incarnation }) =>
      state === 'running' && incarnation !== null && !eyes.isProtected(session) ? [{ session, tags, incarnation }] : [],
    );
    const heard = await eyes.sources.of(lives.map(({ incarnation }) => incarnation));
    return lives.flatMap(({ session, tags, incarnation: { uuid: life } }) => {
      const { asked } = heard.get(life) ?? {};
      return asked === undefined ? [] : [{ session, tags, life, dialog: dialogOf(asked, life) }];
    });
  };
  // Of a pane that cannot be found it is not known that it is not used.
  const isAt = async (session: string): Promise<boolean> => {
    const { incarnation = null } = (await store.session(session)) ?? {};
    const found = incarnation && (await findPane(eyes, incarnation));
    return found?.kind !== 'found' || (await personAt(eyes, found.sessionIds)) !== null;
  };
  const isCopy = async (): Promise<boolean> => (await restoredAt(host.disk)) !== null;
  const log = (text: string): void => host.logger.info(text);
  const { clock, ask: request } = host;
  return new AnswersByRule({ book, rules: settings.askRules, fits: FITS, request, standing, isAt, isCopy, clock, log });
}
