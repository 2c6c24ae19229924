/** Names of rigs and polecats: which may be had, and what is called after them. */

/** What a name is made of; a session's name has as many characters at most. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
const MAX_SESSION = 64;
/** Agents that the town has one of, and the person. */
const LEADERS = ['mayor', 'overseer', 'deacon'];
/** First words of addresses that are no rig, and the offices of each rig. */
const ADDRESSES = [...LEADERS, 'channel', 'town'];
const POSTS = ['witness', 'refinery'];
const OFFICES = [...POSTS, 'polecats'];

/** `<rig>/<polecat>`, in words. */
export interface PolecatName {
  readonly rig: string;
  readonly name: string;
}

/** Why a rig cannot have this name, as the end of a sentence; null = it can. `taken`: names in the town's root. */
export function unfitRig(rig: string, taken: readonly string[]): string | null {
  if (!NAME.test(rig)) return 'is no name: letters, digits, _ and -, starting with a letter or digit';
  if (ADDRESSES.includes(rig)) return 'is an address of the town';
  // Case does not matter: on some disks it tells no two folders apart.
  if (taken.some((one) => one.toLowerCase() === rig.toLowerCase())) return 'is a folder of the town';
  return sessionOf({ rig, name: 'x' }).length > MAX_SESSION ? 'is too long' : null;
}

/** As `unfitRig`, for a polecat of a rig that is there. */
export function unfitPolecat({ rig, name }: PolecatName): string | null {
  if (!NAME.test(name)) return 'is no name: letters, digits, _ and -, starting with a letter or digit';
  if (OFFICES.includes(name)) return 'is an office of every rig';
  const { length } = sessionOf({ rig, name });
  return length > MAX_SESSION
    ? `is too long: its session would have ${String(length)} of ${String(MAX_SESSION)} signs`
    : null;
}

/** Characters of a title in a polecat's name. */
const MAX_TITLE = 24;
/** What a number behind such a name may need: `-99`. */
const NUMBER = 3;

/** The polecat that a piece of work asks for: the first words of its title, or its id where they make no name. */
export function nameOfWork(rig: string, { id, title }: { readonly id: string; readonly title: string }): string {
  const room = Math.min(MAX_TITLE, MAX_SESSION - sessionOf({ rig, name: '' }).length - NUMBER);
  const plain = title.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  let name = '';
  for (const word of plain.match(/[a-z0-9]+/g) ?? []) {
    const longer = name === '' ? word.slice(0, room) : `${name}-${word}`;
    if (longer.length > room) break;
    name = longer;
  }
  return unfitPolecat({ rig, name }) === null ? name : id;
}

export const sessionOf = ({ rig, name }: PolecatName): string => `gt-${rig}-${name}`;
export const branchOf = ({ name }: PolecatName): string => `polecat/${name}`;
export const addressOf = ({ rig, name }: PolecatName): string => `${rig}/polecats/${name}`;
export const refineryAddress = (rig: string): string => `${rig}/refinery`;
/** Sessions that are the mayor's, as people and Gas Town name them. */
export const MAYORS = ['mayor', 'hq-mayor'] as const;
/** Its worktree, relative to the town's root. */
export const folderOf = ({ rig, name }: PolecatName): string => `${rig}/polecats/${name}`;
/** As people type it. */
export const wordsOf = ({ rig, name }: PolecatName): string => `${rig}/${name}`;

/** The session of an agent, as an assignee is written; a session's own name is itself. */
export function sessionOfAgent(agent: string): string {
  const polecat = polecatIn(agent);
  return polecat === null ? agent : sessionOf(polecat);
}

/** Its address in full. */
const fullIn = (polecat: PolecatName): string => (POSTS.includes(polecat.name) ? wordsOf(polecat) : addressOf(polecat));

/** Whether both name one agent: its address, its words and its session are written where an assignee is. */
export const isSameAgent = (one: string, other: string): boolean => sessionOfAgent(one) === sessionOfAgent(other);

/** Each spelling in which a ledger may have an agent; its own comes first. */
export function formsOf(agent: string): readonly string[] {
  const polecat = polecatIn(agent);
  if (polecat === null) return [agent, `${agent}/`];
  return [...new Set([agent, addressOf(polecat), wordsOf(polecat), sessionOf(polecat)])];
}

/** The agents that a name may mean. */
export interface KnownAgents {
  readonly rigs: readonly string[];
  readonly sessions: readonly string[];
  /** Those on record. */
  readonly polecats: readonly PolecatName[];
}

/**
 * The address in full of each agent that this may be, by its address, its session, or its bare name; none = there is no such agent. A
 * polecat that is gone is still called by its address.
 */
export function agentsNamed(text: string, { rigs, sessions, polecats }: KnownAgents): readonly string[] {
  const plain = text.replace(/\/$/, '');
  const polecat = polecatIn(plain);
  if (polecat !== null) {
    const isFit = POSTS.includes(polecat.name) || unfitPolecat(polecat) === null;
    return rigs.includes(polecat.rig) && isFit ? [fullIn(polecat)] : [];
  }
  const offices = rigs.flatMap((rig) => POSTS.map((name) => ({ rig, name })));
  const ofRigs = [...polecats, ...offices];
  const bySession = ofRigs.filter((one) => sessionOf(one) === plain);
  if (bySession.length > 0) return [...new Set(bySession.map(fullIn))];
  if (sessions.includes(plain) || LEADERS.includes(plain)) return [plain];
  const called = ofRigs.filter(({ name }) => name === plain).map(fullIn);
  if (called.length > 0) return [...new Set(called)];
  const before = (rig: string): string => sessionOf({ rig, name: '' });
  const gone = rigs.filter((rig) => plain.startsWith(before(rig)));
  return gone
    .map((rig) => ({ rig, name: plain.slice(before(rig).length) }))
    .filter((one) => unfitPolecat(one) === null)
    .map(addressOf);
}

/** How an agent of a rig is written where it acts itself, by the tags that its session was started with; anybody else is its session. */
export function agentOfSession({ name, tags }: { readonly name: string; readonly tags: readonly string[] }): string {
  const rig = tags.find((tag) => tag.startsWith('rig:'))?.slice('rig:'.length) ?? '';
  const before = sessionOf({ rig, name: '' });
  const own = name.slice(before.length);
  if (rig === '' || !name.startsWith(before) || !tags.some((tag) => tag === own || tag === 'polecat')) return name;
  return OFFICES.includes(own) ? `${rig}/${own}` : addressOf({ rig, name: own });
}

/** As an agent's address is written: its name is a polecat's, which another one may have later. */
export const isPolecat = (address: string): boolean => /^[^/]+\/polecats\/[^/]+$/.test(address);

/** `<rig>/<name>`, `<rig>/polecats/<name>` too; null = it is neither. */
export function polecatIn(text: string): PolecatName | null {
  const [, rig, name] = /^([^/]+)\/(?:polecats\/)?([^/]+)$/.exec(text) ?? [];
  return rig === undefined || name === undefined ? null : { rig, name };
}
