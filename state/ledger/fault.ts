/** Why the ledger did not do what it was asked for: one sentence, a word for programs, and the exit code of a command. */
export type FaultCode =
  /** What was to be written is none of its kind. */
  | 'bad_bead'
  /** No answer within the time of the call. */
  | 'ledger_busy'
  /** Made by a later version of the town. */
  | 'ledger_newer'
  /** Not ours: another program's file, a link, another user's file. */
  | 'ledger_foreign'
  /** The disk is full, read-only or broken. */
  | 'ledger_disk'
  | 'ledger_damaged'
  | 'unreadable_bead';

export class LedgerFault extends Error {
  override readonly name = 'LedgerFault';
  readonly code: FaultCode;
  readonly exit: 1 | 2;

  constructor(code: FaultCode, text: string, options?: ErrorOptions) {
    super(text, options);
    this.code = code;
    this.exit = code === 'bad_bead' ? 2 : 1;
  }
}
