/**
 * News: messages without an end, because they describe no lasting state. These are verdicts (a pardon, an execution, a
 * void) and the town's other letters. An alert stands until its cause is gone; one that asks nothing meanwhile is news
 * as well (`asks: null` in its declaration).
 */

/** Whether a message in the person's mailbox waits for them: most of what the town itself writes tells how something came out. */
export const asks = ({ via, needs_response }: { readonly via?: string; readonly needs_response?: boolean }): boolean =>
  via !== 'town' || needs_response === true;
