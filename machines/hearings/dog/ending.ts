/**
 * How a hearing ends once it is judged: alerting, sending the verdict, closed. What it leaves to a person is on record as an alert
 * before any requester reads the verdict: a process that dies in between repeats the alert, under the same id, and
 * loses none. An alert needs no disk: one that was not sent in its time is sent again.
 */
import { doing, retryOf } from './verdicts.ts';
import { s } from './actions.ts';

/** The states of an end, for the state that was entered with the verdict. */
export const ending = () =>
  s.createStateConfig({
    initial: 'judged',
    states: {
      judged: { always: [{ guard: 'leavesToPerson', target: 'alerting' }, { target: 'sendingVerdict' }] },
      alerting: {
        entry: doing('alert'),
        on: {
          ATTACHED: { actions: 'attach' },
          ALERTED: { guard: 'isOurOutcome', target: 'sendingVerdict' },
          ...retryOf('alerting'),
        },
      },
      sendingVerdict: {
        entry: doing('sendVerdict'),
        on: {
          ATTACHED: { target: 'sendingVerdict', reenter: true, actions: 'attach' }, // one that was on its way as the verdict came is told too
          VERDICT_SENT: { guard: 'isOurOutcome', target: '#dog.closed', actions: 'close' },
          ...retryOf('sendingVerdict'),
        },
      },
    },
  });
