/**
 * The ladder (T-2): bell, then IRC or the agent's pane, then a person. Each method is a port: a row that gives its order, or says why it cannot.
 * 1. What was not delivered climbs at once, what stays unanswered climbs when its time is over.
 * 2. It ends with the person: Tickle restarts nothing, files no warrant, kills nothing.
 * 3. The pane stands in for IRC: for an agent that has no nick there, and where a line does not reach it.
 * 4. A page whose agent may not be disturbed is withdrawn, and the agent is judged anew.
 */
import { nicksIn } from '../channels/answers.ts';
import { span } from '../kernel/span.ts';
import { order } from '../kernel/decision.ts';
import type { Ms, NudgeObstacle, Order, Outcome, WallMs } from '../protocol.ts';
import { METHODS, type AgentSeen, type Entry, type Method, type Page, type PageTry } from '../protocol/tickle.ts';
import { endEntry, escalationEntries, SELF, tryEntries } from './entries.ts';
import type { TicklePolicy } from './policy.ts';
import { isAnswered } from './scan.ts';
import { idOf } from './state.ts';

/** The order of a try, why it cannot be tried, or null = it is not there and is passed over. */
type Tried = Order | { readonly error: string } | null;
interface Rung {
  readonly order: (seen: AgentSeen, page: Page, policy: TicklePolicy) => Tried;
}

const silence = (ms: Ms | null): string => (ms === null ? 'so far' : `for ${span(ms)}`);

/** What an agent reads. `way`: how it says how its work stands. */
const words = ({ silentMs }: Pick<Page, 'silentMs'>, way: string): string =>
  `No sign of you ${silence(silentMs)}. Go on with your work, or say how it stands${way}`;

const RUNGS: Readonly<Record<Method, Rung>> = {
  bell: {
    order: ({ name, life }, { number }, { bell, bellLimitMs: limitMs }) =>
      bell === null
        ? null
        : order(idOf('bell', number, name), {
            type: 'ringBell',
            agent: name,
            session: life?.session ?? null,
            command: bell,
            limitMs,
          }),
  },
  irc: {
    order: ({ name }, page, policy) => {
      const nick = nicksIn(policy.nicks).find(({ agent }) => agent === name)?.nick ?? null;
      const text = words(page, ' here');
      return nick === null ? null : order(idOf('irc', page.number, name), { type: 'sayOnIrc', nick, text });
    },
  },
  pane: {
    order: ({ name, life }, page) => {
      if (page.tried.some(({ method, paged }) => method === 'irc' && paged)) return null;
      return life === null || life.origin === 'detached'
        ? { error: 'it has no pane' }
        : order(idOf('nudge', page.number, name), {
            type: 'nudge',
            target: life,
            text: words(page, ': town evidence add "what you do now"'),
            from: SELF,
            raw: false,
          });
    },
  },
};

export interface Climbed {
  readonly page: Page;
  readonly entries: readonly Entry[];
  readonly orders: readonly Order[];
}

export interface Climbing {
  readonly seen: AgentSeen;
  readonly policy: TicklePolicy;
  readonly wall: WallMs;
}

/** `beyond`: the first method is the one behind it; null = the first of all. */
function climbFrom(page: Page, beyond: Method | null, at: Climbing): Climbed {
  const { seen, policy, wall } = at;
  const left = METHODS.slice(beyond === null ? 0 : METHODS.indexOf(beyond) + 1);
  let now = page;
  const entries: Entry[] = [];
  for (const method of left) {
    const tried = RUNGS[method].order(seen, now, policy);
    if (tried === null) continue;
    if ('type' in tried) return { page: { ...now, step: 'ordered', method }, entries, orders: [tried] };
    const failed: PageTry = { method, paged: false, error: tried.error };
    entries.push(...tryEntries(seen.name, now, failed, wall));
    now = { ...now, method, tried: [...now.tried, failed] };
  }
  const told: Page = { ...now, step: 'told', leftMs: 0 };
  return { page: told, entries: [...entries, ...escalationEntries(seen, told, wall)], orders: [] };
}

export const begin = (number: number, at: Climbing): Climbed => {
  const { seen, policy } = at;
  const page: Page = {
    number,
    uuid: seen.life?.uuid ?? null,
    step: 'ordered',
    lastAt: seen.lastAt,
    silentMs: seen.silentMs,
    forMs: 0,
    leftMs: 0,
    coolMs: policy.cooldownMs,
    tried: [],
    method: 'bell',
  };
  return climbFrom(page, null, at);
};

/** Nothing answered it. */
export const climb = (page: Page, at: Climbing): Climbed => climbFrom(page, page.method, at);

const CUT_OFF = 'the town was cut off meanwhile';

/** A try reached the agent, or may have: of a bell that was cut off only the agent knows. */
export const mayHaveReached = ({ tried }: Page): boolean =>
  tried.some(({ paged, isUnsure }) => paged || isUnsure === true);

/** The same try once more; its id is the same, so that what was done is not done again. */
export function again(page: Page, at: Climbing): Climbed {
  // A bell that was cut off may have been rung: it is not rung twice, and no line is said twice.
  if (page.method !== 'pane') return failed(page, { error: CUT_OFF, isUnsure: true }, at);
  const tried = RUNGS[page.method].order(at.seen, page, at.policy);
  return tried !== null && 'type' in tried ? { page, entries: [], orders: [tried] } : climb(page, at);
}

type Failure = Pick<PageTry, 'isUnsure'> & { readonly error: string };

function failed(page: Page, failure: Failure, at: Climbing): Climbed {
  const one: PageTry = { method: page.method, paged: false, ...failure };
  return withTry(page, one, at, (tried) => climb(tried, at));
}

const reached = (page: Page, at: Climbing, by: Pick<PageTry, 'by'> = {}): Climbed =>
  withTry(page, { method: page.method, paged: true, error: null, ...by }, at, (tried) => ({
    page: { ...tried, step: 'waiting', leftMs: at.policy.ackMs },
    entries: [],
    orders: [],
  }));

/** A sign that came while the try was out ends the page: only now is it known whether the try can have woken the agent. */
function withTry(page: Page, one: PageTry, at: Climbing, goOn: (tried: Page) => Climbed): Climbed {
  const tried: Page = { ...page, tried: [...page.tried, one] };
  const next = isAnswered(page, at.seen) ? endPage(tried, at) : goOn(tried);
  return { ...next, entries: [...tryEntries(at.seen.name, page, one, at.wall), ...next.entries] };
}

/** The agent showed a sign. */
export const endPage = (page: Page, { seen, wall }: Climbing): Climbed => ({
  page: { ...page, step: 'over', leftMs: 0 },
  entries: [endEntry(seen.name, page, seen, wall)],
  orders: [],
});

/** What came of a try; null = the page is withdrawn, since the agent may not be disturbed now. */
export function afterTry(page: Page, event: Outcome, at: Climbing): Climbed | null {
  switch (event.type) {
    case 'BELL_RUNG':
      return event.error === null ? reached(page, at) : failed(page, { error: event.error }, at);
    case 'SAID_ON_IRC': {
      const { error, isUnsure } = event;
      return error === null ? reached(page, at) : failed(page, { error, ...(isUnsure && { isUnsure }) }, at);
    }
    case 'NUDGED':
      return reached(page, at);
    case 'NOT_NUDGED':
      return afterObstacle(page, event.obstacle, at);
    default:
      return failed(
        page,
        {
          error: 'why' in event ? event.why : 'it came to nothing',
          ...(page.method !== 'pane' && { isUnsure: true }),
        },
        at,
      );
  }
}

function afterObstacle(page: Page, obstacle: NudgeObstacle, at: Climbing): Climbed | null {
  switch (obstacle.kind) {
    // One nudge in a while, by any asker (law 5): this one counts as Tickle's too.
    case 'recent':
      return reached(page, at, obstacle.from === SELF ? {} : { by: obstacle.what });
    case 'dialog':
    case 'person':
    case 'limited':
    case 'gone':
    case 'replaced':
      return null;
    case 'unknown':
      return failed(page, { error: obstacle.why }, at);
    case 'paneless':
    case 'busy':
    case 'working':
    case 'protected':
    case 'refused':
    case 'unfit':
      return failed(page, { error: obstacle.what }, at);
  }
}
