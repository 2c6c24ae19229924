/** Who can be written to (C-16), and the one spelling of each address. */
import { firstNames } from '../../machines/kernel/span.ts';
import { agentsNamed, type KnownAgents } from '../../machines/rigs/names.ts';
import { showText } from '../files/show-text.ts';

const EXITS = { unknown_message: 2, unknown_address: 2, ambiguous: 2, too_many_letters: 5 } as const;

/** Refusal of a call. `exit` is the exit code for the command line. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
  readonly code: keyof typeof EXITS;
  readonly exit: number;

  constructor(code: keyof typeof EXITS, text: string) {
    super(text);
    this.code = code;
    this.exit = EXITS[code];
  }
}

const FIXED = ['mayor', 'overseer', 'deacon'];
/** Agents that a sentence names. */
const MAX_NAMED = 6;
const RIG_OFFICES = ['witness', 'refinery'];
/** What may stand behind `rig.` in town.toml. */
const RIG = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** A tag of sessions, whose sessions share one mailbox. */
const TAG = /^tag\/[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}$/;
const CHANNEL = /^channel\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The one spelling of an address. Throws MailRefused for an unknown one, and for a name that several agents have. */
export function addressOf(text: string, known: KnownAgents): string {
  const plain = text.replace(/\/$/, '');
  if (TAG.test(plain) || CHANNEL.test(plain)) return plain;
  const [address, ...others] = agentsNamed(text, known);
  if (address === undefined) throw new MailRefused('unknown_address', nobodyHas(text, plain.split('/'), known.rigs));
  if (others.length === 0) return address;
  throw new MailRefused('ambiguous', severalHave(text, [address, ...others]));
}

/** As a sentence. */
export const severalHave = (text: string, addresses: readonly string[]): string =>
  `${showText(text)} may be any agent of ${firstNames(addresses, MAX_NAMED)}; write its whole address`;

function nobodyHas(text: string, [rig = '', office = '', more]: readonly string[], rigs: readonly string[]): string {
  const known = [
    ...FIXED,
    'channel/<name>',
    'tag/<tag>',
    ...[...new Set(rigs)].map((one) => `${one}/witness|refinery|<polecat>`),
  ].join(', ');
  const lacksRig = more === undefined && RIG_OFFICES.includes(office) && RIG.test(rig);
  const mend = lacksRig
    ? ` For ${showText(text)} add the rig: town rig add ${rig} --repo PATH, or write [rig.${rig}] into town.toml.`
    : '';
  return `There is no address ${showText(text)}; known are ${known} and sessions by name.${mend}`;
}
