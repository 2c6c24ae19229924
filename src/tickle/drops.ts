/**
 * Takes the files that programs drop into evidence/, one record of evidence each, without a command or MCP.
 * 1. The token in a file says whose record it is, and counts while that agent lives; a name in it would prove nothing. Another user's file
 *    is not read.
 * 2. A file gets a name of the town's before it is read, so that a program may drop the next one under its own name. It goes once its
 *    record is durable, and its id comes from the file itself: killed in between, the same record is made again, and changes nothing.
 * 3. What is no evidence is put aside with its reason. Of an agent, and of bad files, so many a minute are taken; the rest is removed, and
 *    counted in one line of the log.
 */
import type { SessionRecord } from '../../machines/protocol.ts';
import { agentOfSession } from '../../machines/rigs/names.ts';
import { fingerprint } from '../../state/files/checksum.ts';
import { textOf, unreadable, type Disk, type Stat } from '../../state/files/disk.ts';
import { FOLDERS, isRecordName } from '../../state/files/layout.ts';
import type { Quarantine } from '../../state/files/quarantine.ts';
import { DROPPED, textOfDropped, type Dropped } from '../../state/ledger/dropped.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type { Evidence } from '../../state/ledger/port.ts';
import type { AgentCaller } from '../ledger/authority.ts';
import { isDeeper } from '../ledger/issue-lines.ts';
import type { Clock } from '../ports/ports.ts';
import { agentOf } from '../socket/token-owner.ts';
import { DROPS } from './policy.ts';

export interface DropNeeds {
  readonly disk: Disk;
  readonly quarantine: Quarantine;
  readonly clock: Clock;
  readonly sessions: () => Promise<readonly SessionRecord[]>;
  /** Resolves once it is durable; one that is there already changes nothing. */
  readonly add: (as: AgentCaller, evidence: Evidence) => Promise<unknown>;
  readonly log: (text: string) => void;
}

const TAKEN = 'taken-';
/** Of the counts: all files that prove no agent. */
const BAD = 'files that prove no agent or are no evidence';
/** Characters of a name that are kept. */
const KEPT_NAME = 100;

export class Drops {
  readonly #needs: DropNeeds;
  /** Files of this minute, by agent. */
  readonly #counts = new Map<string, number>();
  #minuteEnds = 0;
  /** The last name of the last pass: what stays in the folder keeps no other file waiting. */
  #last = '';
  #taken = 0;
  #trouble: string | null = null;
  #woken = Promise.withResolvers<undefined>();

  constructor(needs: DropNeeds) {
    this.#needs = needs;
  }

  /** There may be a file. */
  wake(): void {
    this.#woken.resolve(undefined);
  }

  /** Until `stop`. */
  async attend(stop: AbortSignal): Promise<void> {
    const { clock, log } = this.#needs;
    while (!stop.aborted) {
      let hasMore = false;
      try {
        hasMore = await this.pass();
        this.#trouble = null;
      } catch (error) {
        const why = textOf(error);
        if (why !== this.#trouble) log(`${FOLDERS.evidence}/ waits: ${why}`);
        this.#trouble = why;
      }
      const over = new AbortController();
      const slept = clock.sleep(hasMore ? DROPS.restMs : DROPS.lookEveryMs, AbortSignal.any([stop, over.signal]));
      await (hasMore || this.#trouble !== null ? slept : Promise.race([slept, this.#woken.promise]));
      over.abort();
      this.#woken = Promise.withResolvers();
    }
  }

  /** Whether there is more. Rejects where the disk or the ledger refuses: what was not taken stays. */
  async pass(): Promise<boolean> {
    this.#tellMinute();
    const names = (await this.#needs.disk.list(FOLDERS.evidence)).filter(isRecordName);
    if (names.length === 0) return false;
    const sessions = await this.#needs.sessions();
    const at = names.findIndex((name) => name > this.#last);
    const due = [...names.slice(Math.max(0, at)), ...names.slice(0, Math.max(0, at))].slice(0, DROPS.perPass);
    for (const name of due) {
      this.#last = name;
      await this.#take(name, sessions);
    }
    return names.length > due.length;
  }

  async #take(dropped: string, sessions: readonly SessionRecord[]): Promise<void> {
    const { disk, clock, add } = this.#needs;
    const path = await this.#claim(dropped);
    const stat = await disk.stat(path);
    if (stat === null || this.#needs.quarantine.wasLeft(path, stat)) return;
    const file = await this.#read(path, stat);
    if (file === null) return;
    const caller = agentOf(file.token, sessions);
    if (caller?.is !== 'agent') {
      // The record of a life that has just begun has its token a moment later.
      if (!this.#isYoung(stat)) await this.#refuse(path, stat, 'its token is that of no living agent of this town');
      return;
    }
    const author = agentOfSession(caller.spec);
    if (!this.#mayTake(author, DROPS.perMinute)) return disk.remove(path);
    const id = `drop/${stat.mark.replaceAll(':', '-')}/${fingerprint(path)}`;
    const at = Math.min(stat.changedAt, clock.wall());
    const as = { address: author, session: caller.session, life: caller.uuid };
    await add(as, { id, author, kind: file.type, text: textOfDropped(file), at: Math.floor(at) });
    await disk.remove(path);
  }

  /** The path under which it is taken. */
  async #claim(name: string): Promise<string> {
    const { disk } = this.#needs;
    const path = `${FOLDERS.evidence}/${name}`;
    if (name.startsWith(TAKEN)) return path;
    this.#taken += 1;
    const claimed = `${FOLDERS.evidence}/${TAKEN}${disk.tag}-${String(this.#taken)}-${name.slice(-KEPT_NAME)}`;
    await disk.rename(path, claimed).catch(() => undefined); // It is gone, or stays and is told by its name.
    return (await disk.stat(claimed)) === null ? path : claimed;
  }

  /** null = it is gone, still being written, or refused. */
  async #read(path: string, stat: Stat): Promise<Dropped | null> {
    const { disk } = this.#needs;
    let text;
    try {
      text = await disk.read(path, DROPS.maxBytes);
    } catch (error) {
      const why = unreadable(error);
      if (why === null) throw error;
      await this.#refuse(path, stat, why);
      return null;
    }
    if (text === null) return null;
    if (isDeeper(text, LEDGER.maxDepth)) {
      await this.#refuse(path, stat, `it is nested more than ${String(LEDGER.maxDepth)} levels deep`);
      return null;
    }
    const decoded = DROPPED.decode(text, path);
    if (decoded.ok) return decoded.value;
    const why = decoded.what === 'newer' ? 'its schema belongs to a newer version of the town' : decoded.why;
    if (decoded.what !== 'cut' || !this.#isYoung(stat)) await this.#refuse(path, stat, why);
    return null;
  }

  #isYoung({ changedAt }: Stat): boolean {
    return Math.abs(this.#needs.clock.wall() - changedAt) < DROPS.writtenMs;
  }

  async #refuse(path: string, stat: Stat, why: string): Promise<void> {
    const { disk, quarantine } = this.#needs;
    if (this.#mayTake(BAD, DROPS.badPerMinute) || stat.kind === 'folder') await quarantine.move(path, stat, why);
    else await disk.remove(path);
  }

  /** Counts one file. */
  #mayTake(of: string, perMinute: number): boolean {
    const count = (this.#counts.get(of) ?? 0) + 1;
    this.#counts.set(of, count);
    return count <= perMinute;
  }

  #tellMinute(): void {
    const { clock, log } = this.#needs;
    if (clock.now() < this.#minuteEnds) return;
    for (const [of, count] of this.#counts) {
      const over = count - (of === BAD ? DROPS.badPerMinute : DROPS.perMinute);
      if (over > 0) log(`${FOLDERS.evidence}/ had too many files in a minute: ${String(over)} were removed (${of})`);
    }
    this.#counts.clear();
    this.#minuteEnds = clock.now() + DROPS.minuteMs;
  }
}
