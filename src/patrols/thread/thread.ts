/** The thread in which patrols work, as the town's own thread sees it: what it asks of its town, and what the town hears from it. */
import { textOf } from '../../../state/files/disk.ts';
import type { Damage } from '../../../state/ledger/file.ts';
import type { Ms, Reply, Request } from '../../../machines/protocol.ts';
import type { Settings } from '../../config/settings.ts';
import type { Overview } from '../../overview/overview.ts';
import { Thread } from '../../proc/thread.ts';
import { PATROL_HANDS } from '../policy.ts';
import type { Granted, Wish } from './client.ts';
import type { Given, Question, Said } from './worker.ts';

const { cyclesAtOnce, threadHeap } = PATROL_HANDS;

/** What the thread may ask of its town. */
export interface TownOfThread {
  ask(request: Request): Promise<Reply>;
  overview(): Promise<Overview>;
}

export interface ThreadNeeds {
  readonly settings: Settings;
  readonly town: TownOfThread;
  readonly limitMs: Ms;
  readonly log: (text: string) => void;
  readonly damaged: (damage: Damage) => void;
}

export const restOf = ({ process }: Pick<Settings, 'process'>): Ms => process.patrolRestMs;

export function patrolThread({ settings, town, limitMs, log, damaged }: ThreadNeeds): Thread<Question, Said> {
  // The last that a patrol read without a mistake: the next thread begins with it.
  let latest = settings;
  return new Thread<Question, Said>({
    name: 'the thread of the patrols',
    program: 'patrols/thread/worker',
    given: () => ({ settings: latest }) satisfies Given,
    heap: threadHeap,
    atOnce: cyclesAtOnce,
    limitMs,
    restMs: restOf(settings),
    inWords,
    heard: (said, say) => {
      if ('note' in said) log(said.note);
      else if ('damage' in said) damaged(said.damage);
      else if ('configured' in said) latest = said.configured;
      else void granted(town, said).then(say);
    },
    log,
  });
}

function inWords(question: Question): string {
  if (question.do !== 'order') return question.do;
  const { order } = question;
  return 'of' in order ? `the patrol of ${order.of}` : order.type;
}

const granted = (town: TownOfThread, { wish, wanted }: Wish): Promise<Granted> =>
  (wanted === null ? town.overview() : town.ask(wanted)).then(
    (value): Granted => ({ wish, ok: true, value }),
    (error: unknown): Granted => ({ wish, ok: false, why: textOf(error) }),
  );
