/** The simulated world with a whole town in it: what the scenes of hearings, the watchdog chain, alerts and ears share. */
import type { Incarnation, Warrant } from '../../machines/protocol.ts';
import type { TownInput } from '../../machines/town.ts';
import type { Hands } from '../../src/ports/ports.ts';
import { paths } from '../../state/files/layout.ts';
import { warrantText } from '../../state/hearings/warrants.ts';
import type { Life } from './agent-plans.ts';
import type { EntryOf } from './log.ts';
import { TownProcess } from './town.ts';
import { World } from './world.ts';

/** How the call of an operator begins who stops a session. */
export const STOP = 'stop/';

const DAY = 86_400_000;

export interface Accusation extends Pick<Warrant, 'id' | 'requester' | 'force'> {
  /** Dropped by another program, without an incarnation. */
  readonly loose?: boolean;
  readonly expired?: boolean;
  /** The share of them that the town is told of. */
  readonly wakes?: number;
  /** The same file put there again, so much later each. */
  readonly again?: readonly number[];
}

/** A scene in which a whole town runs. */
export abstract class TownWorld extends World<TownProcess> {
  /** Of the nth process. */
  abstract inputOf(nth: number): TownInput;
  /** Two towns may run at once: each kills under an epoch. */
  readonly hasEpoch: boolean = true;
  readonly hasJournal: boolean = false;

  /** Whether the pane of this life shows what stopped it; null = that life is gone. */
  asks({ uuid }: Pick<Incarnation, 'uuid'>): boolean | null {
    const life = this.agents.lives.get(uuid);
    if (life?.alive !== true) return null;
    if (this.agents.isHindered(life.session, 'hidden')) throw new Error('tmux is silent');
    return ['dialog', 'limited', 'logged_out'].includes(this.shows(life));
  }
  /** One remark is typed to a life in this time. */
  readonly nudgeEveryMs: number = 5_000;

  /** What the pane of a life shows. */
  shows(life: Life): string {
    return this.agents.truthOf(life, null);
  }
  /** Something was typed to it besides a question. */
  typed(_life: Life): void {
    return undefined;
  }
  /** What this scene does otherwise than the common hands. */
  handsOf(_town: TownProcess, _common: Hands): Partial<Hands> {
    return {};
  }
  /** A process can read its disk. */
  begins(_town: TownProcess): void {
    return undefined;
  }
  /** A caller was told. */
  replied({ number: town }: TownProcess, to: string, ok: boolean): void {
    const stopped = to.startsWith(STOP) ? to.slice(STOP.length) : null;
    if (stopped === null) this.tell({ what: 'cancelled', warrant: to, granted: ok });
    else if (ok) this.tell({ what: 'stopped', session: stopped, town });
  }
  protected override lose(): void {
    super.lose();
    this.tell({ what: 'survived', files: this.disk.files() });
  }
  told(letter: Omit<EntryOf<'told'>, 't' | 'what'>): void {
    this.tell({ what: 'told', ...letter });
  }
  refused(file: string, why: string): void {
    this.tell({ what: 'refused', file, why });
  }
  /** A warrant against this life is put there, as any program puts it. */
  accuse({ uuid, incarnation: target }: Pick<Life, 'uuid' | 'incarnation'>, more: Accusation): void {
    const { id, requester, force, loose = false, expired = false, wakes = 0.7, again = [] } = more;
    const filedAt = this.wall - (expired ? 2 * DAY : 0);
    const reason = 'silent for long';
    const warrant: Warrant = { id, target, reason, requester, filedAt, force };
    const dropped = { target: target.session, reason, requester, filed_at: new Date(filedAt).toISOString() };
    const put = () => {
      this.disk.put(paths.warrant(id), loose ? JSON.stringify(dropped) : warrantText(warrant));
      if (this.chance.isHit(wakes)) this.announce({ type: 'CHANGED', what: 'warrants' });
    };
    put();
    for (const later of loose ? [] : again) this.in(later, put);
    this.tell({ what: 'filed', warrant: id, life: uuid, requester, filedAt, force: force && !loose, expired, loose });
  }
  protected make(nth: number): TownProcess {
    return new TownProcess(this, nth);
  }
}
