/**
 * What is told once and has no end, since it is no state of anything: verdicts (a pardon, an execution, a void) and what else
 * the town writes to a mailbox. An alert stands until its cause is gone; one that needs nobody meanwhile is news as well
 * (`asks: null` in its declaration).
 */

/** Whether a message in the person's mailbox waits for them: most of what the town itself writes tells how something came out. */
export const asks = ({ via, needs_response }: { readonly via?: string; readonly needs_response?: boolean }): boolean =>
  via !== 'town' || needs_response === true;
