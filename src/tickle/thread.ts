/** The thread of the stall watch, as the town's own thread sees it. It looks every minute: a thread of the patrols would hold twice the memory. */
import type { Ms } from '../../machines/protocol.ts';
import type { Damage } from '../../state/ledger/file.ts';
import { Thread } from '../proc/thread.ts';
import { TICKLE_THREAD } from './policy.ts';
import type { Given, Question, Said } from './worker.ts';

export interface ThreadNeeds {
  /** Absolute. */
  readonly root: string;
  readonly limitMs: Ms;
  readonly log: (text: string) => void;
  readonly damaged: (damage: Damage) => void;
}

const WORDS: Readonly<Record<Question['do'], string>> = {
  read: 'reading evidence',
  add: 'writing evidence',
  write: 'writing evidence',
  findWork: 'looking for work',
};

export const tickleThread = ({ root, limitMs, log, damaged }: ThreadNeeds): Thread<Question, Said> =>
  new Thread<Question, Said>({
    name: 'the thread of the stall watch',
    program: 'tickle/worker',
    given: () => ({ root }) satisfies Given,
    heap: TICKLE_THREAD.heap,
    atOnce: TICKLE_THREAD.atOnce,
    limitMs,
    restMs: TICKLE_THREAD.restMs,
    inWords: (question) => WORDS[question.do],
    heard: (said) => {
      if ('note' in said) log(said.note);
      else damaged(said.damage);
    },
    log,
  });
