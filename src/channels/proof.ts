/**
 * The secret of a message that offers a question: who knows it has read that message, on that channel. Made from a key that only the town
 * and its process of channels have, so that it stands in no file.
 */
import { channelOfCaller } from '../../machines/channels/answers.ts';
import type { Heard } from './port.ts';

/** 75 bits. */
const PROOF_SIGNS = 15;
const SIGNS = 'abcdefghjkmnpqrstuvwxyz023456789';

const hmac = (key: string, text: string): Buffer =>
  process.getBuiltinModule('node:crypto').createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest();

/** `secret`: of the root. `salt`: of the questions' file: when that is lost, no earlier message counts. */
export const askKeyOf = (secret: string, salt: string): string => hmac(secret, `asks/${salt}`).toString('hex');

/** A person can type it. */
export const proofOf = (key: string, channel: string, number: number): string =>
  [...hmac(key, `${channel}/${String(number)}`).subarray(0, PROOF_SIGNS)]
    .map((byte) => SIGNS[byte % SIGNS.length])
    .join('');

/** By the secret of the message; on IRC by the account that the server knows. */
export function isProved(key: string, { from, number, proof }: Pick<Heard, 'from' | 'number' | 'proof'>): boolean {
  const channel = channelOfCaller(from);
  if (proof === null) return channel === 'irc';
  const [right, said] = [Buffer.from(proofOf(key, channel, number)), Buffer.from(proof)];
  return right.length === said.length && process.getBuiltinModule('node:crypto').timingSafeEqual(right, said);
}
