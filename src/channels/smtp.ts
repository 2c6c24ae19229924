/** Messages by mail. The library is loaded at the first one. */
import { CHANNELS } from '../../machines/channels/policy.ts';
import { plainText } from './message.ts';
import { Undelivered, type Channel } from './port.ts';
import { mustBe, secretOf } from './secrets.ts';
import { MAIL_ADDRESS, type ChannelSettings } from './settings.ts';

/** Too long, or against the rules of the server: it will never take this very mail. All else may be mended, also an address. */
const NEVER: readonly number[] = [552, 554];
const isFinal = ({ responseCode = 0, command = '' }: Refusal): boolean =>
  NEVER.includes(responseCode) && command === 'DATA';

interface Refusal {
  readonly responseCode?: number;
  readonly command?: string;
  readonly message: string;
}

function addressOf(text: string | null, key: string): string {
  const address = mustBe(text, key);
  if (MAIL_ADDRESS.test(address)) return address;
  throw new Undelivered(`${key} is not one plain address`);
}

export const smtp = (settings: ChannelSettings['smtp']): Channel => ({
  limitMs: CHANNELS.mailMs,
  send: async (message, signal) => {
    const { port, encryption, user, password } = settings;
    const host = mustBe(settings.server, '[smtp] server');
    const from = addressOf(settings.from, '[smtp] from');
    const to = addressOf(settings.to, '[smtp] to');
    const pass = secretOf(password, '[smtp] password');
    const { createTransport } = await import('nodemailer');
    const times = {
      connectionTimeout: CHANNELS.mailGreetingMs,
      greetingTimeout: CHANNELS.mailGreetingMs,
      socketTimeout: CHANNELS.mailMs,
    };
    // Until its last line is written a server has no mail (RFC 5321, 4.1.1.4). The library's errors do not say how far it came: its log does.
    let isWritten = false as boolean;
    const ignore = (): void => undefined;
    const hear = (entry: unknown): void => void (isWritten ||= (entry as { tnx?: unknown }).tnx === 'message');
    const transport = createTransport({
      host,
      port,
      secure: encryption === 'tls',
      requireTLS: encryption === 'starttls',
      ignoreTLS: encryption === 'none',
      ...(user !== null && { auth: { user, pass: pass ?? '' } }),
      ...times,
      logger: { trace: ignore, debug: ignore, info: hear, warn: ignore, error: ignore, fatal: ignore },
    });
    try {
      const { response } = await transport.sendMail({
        // Closes the connection: nothing of an attempt that was given up goes on beside the next.
        signal,
        from,
        to,
        subject: message.title,
        text: plainText(message),
        // The same once more has the same: the reader's program joins them.
        messageId: `<${message.id}@townwatch>`,
        // No other program answers it by itself.
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return response;
    } catch (error) {
      const refusal = error as Refusal;
      const why = signal.aborted ? 'the server did not answer in time' : refusal.message;
      throw new Undelivered(why, {
        isFinal: isFinal(refusal),
        isUnsure: isWritten && refusal.responseCode === undefined,
      });
    }
  },
});
