/** Who can be written to (C-16), and the one spelling of each address. */
import { showText } from '../files/show-text.ts';

const EXITS = { unknown_message: 1, unknown_address: 2, too_many_letters: 5 } as const;

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

/** Who can be written to besides the fixed addresses. */
export interface Correspondents {
  readonly rigs: readonly string[];
  /** Sessions of the town, by name: each has a mailbox of its own. */
  readonly sessions: readonly string[];
  /** Addresses of polecats by their sessions' names: those two are one mailbox. */
  readonly polecats?: ReadonlyMap<string, string>;
}

const FIXED = ['mayor', 'overseer', 'deacon'];
const RIG_OFFICES = ['witness', 'refinery'];
/** The session of an agent that holds such an office, as the seeds name it. */
const OFFICE_SESSION = new RegExp(`^gt-(.+)-(${RIG_OFFICES.join('|')})$`);
/** What may stand behind `rig.` in town.toml. */
const RIG = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** A tag of sessions, whose sessions share one mailbox. */
const TAG = /^tag\/[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}$/;
const WORD = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * The one spelling of an address: no trailing slash, `<rig>/<n>` as `<rig>/polecats/<n>`, the session of a rig's agent
 * as the address of it. Throws MailRefused for an unknown address.
 */
export function addressOf(text: string, known: Correspondents): string {
  const { rigs, sessions } = known;
  const plain = text.replace(/\/$/, '');
  if (TAG.test(plain)) return plain;
  const ofRig = agentOf(plain, known);
  if (ofRig !== null) return ofRig;
  if (FIXED.includes(plain) || sessions.includes(plain)) return plain;
  const words = plain.split('/');
  const [first = '', second = '', third] = words;
  if (words.every((word) => WORD.test(word))) {
    if (first === 'channel' && words.length === 2) return plain;
    if (rigs.includes(first) && words.length === 2 && second !== 'polecats') {
      return RIG_OFFICES.includes(second) ? plain : `${first}/polecats/${second}`;
    }
    if (rigs.includes(first) && words.length === 3 && second === 'polecats' && third !== undefined) return plain;
  }
  throw new MailRefused('unknown_address', nobodyHas(text, words, rigs));
}

/** The address of a rig's agent by its session; null = it is none. */
function agentOf(session: string, { rigs, polecats }: Correspondents): string | null {
  const [, rig = '', office = ''] = OFFICE_SESSION.exec(session) ?? [];
  return polecats?.get(session) ?? (rigs.includes(rig) ? `${rig}/${office}` : null);
}

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
