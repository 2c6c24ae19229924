/** Whether a letter can be answered. It stands apart from news.ts, which `town status` loads: status needs no mailbox and no zod. */
import { isLetter } from '../../state/mail/boxes.ts';

/** Whether an agent reads what is sent back: none reads the addresses of a person's letters, of the town's, and of a refinery's notices. */
export const isAnswerable = ({ id, via }: { readonly id: string; readonly via: string }): boolean =>
  via === 'agent' && isLetter(id);
