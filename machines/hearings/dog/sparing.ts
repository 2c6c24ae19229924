/**
 * An execution whose target answers or shows life midway: the dog sends no further signal, and the survivor lives on.
 * Without harm it is a pardon. If processes have ended already, a person is alerted. Of forced executions only one for a new login is
 * spared, whose target is not seen at rest any more.
 */
import { isForced, isLoginRestart } from '../dance.ts';
import { doing, refuseTree, retryOf } from './verdicts.ts';
import { s } from './actions.ts';

/** A signal that is under way cannot be called back; it is the last one. */
export const whileSignalled = { guard: 'answeredByCommandLate', actions: 'noteLateLife' } as const;
export const spareWhoAnswers = { guard: 'sparable', target: 'sparing', actions: 'keepNewcomers' } as const;
/** A signal that could not be sent rests on a new look. */
export const lookAnew = [
  { guard: 'answered', target: 'sparing' },
  { guard: 'due', target: 'looking' },
] as const;

export const sparing = s.createStateConfig({
  entry: doing('listTree'),
  // A force order may have come while the dog woke.
  always: { guard: ({ context: { dance } }) => isForced(dance) && !isLoginRestart(dance), target: 'looking' },
  on: {
    ATTACHED: { actions: 'attach' },
    TREE_LISTED: [
      { guard: 'unharmed', target: '#dog.pardoned', actions: 'spare' },
      { guard: 'isTreeEmpty', target: 'clearing' },
      { guard: 'isOurOutcome', target: '#dog.escalated', actions: 'spare' },
    ],
    TREE_REFUSED: refuseTree,
    ...retryOf('sparing'),
  },
});
