/** What to type for an alert, as declarations say it. What a hearing left, one that is about an agent, and so on are alike. */
import type { About } from '../protocol.ts';

export const attach = ({ session }: About): readonly string[] => [`town session attach ${session}`];
export const why = ({ session }: About): readonly string[] => [`town why ${session}`];
export const hearing = ({ of }: About): readonly string[] => [`town dog show ${of}`];
export const status = ({ session }: About): readonly string[] => [`town session status ${session}`];
export const doctor = (): readonly string[] => ['town doctor'];
