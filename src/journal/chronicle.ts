/**
 * What of a step belongs into the journal: every fact and decision that mattered, none that merely repeats (V-3).
 * 1. A dance and a session are told when their place changes, not each second; a failure when its reason changes.
 * 2. Lines name the session and the dance or health check they are about, so that `town why` is a filter and not a guess.
 * 3. What is kept in memory is bounded: by change-filter.ts, or by what is under way.
 */
import { ACTOR } from '../../machines/watchdog/matrix.ts';
import type {
  Dance,
  News,
  Order,
  Outcome,
  SavedRecord,
  SessionRecord,
  WallMs,
  Warrant,
} from '../../machines/protocol.ts';
import type { BootStatus } from '../../machines/protocol/watchdog.ts';
import type { JournalLine } from '../../state/journal.ts';
import { danceIn, survivorsOf, thingOf, withoutCounter, type About } from './correlation.ts';
import { ChecksInFlight } from './checks-in-flight.ts';
import { danceLine, requestedLine, sessionLine, warrantLine } from './entries.ts';
import { ChangeFilter } from './change-filter.ts';
import { deedLines, recordLines } from './patrols.ts';

/** One step as the journal sees it: what came in, what was decided. */
export interface StepSeen {
  readonly facts: readonly (News | Outcome)[];
  readonly records: readonly SavedRecord[];
  readonly orders: readonly Order[];
  readonly wall: number;
}

export class Chronicle {
  readonly #told = new ChangeFilter();
  /** Dance id -> session, so that outcomes can be told by name. */
  readonly #sessions = new Map<string, string>();
  /** Code -> open dance that asks for it. */
  readonly #codes = new Map<string, string>();
  /** Nudges under way: order -> session. */
  readonly #nudges = new Map<string, string>();
  readonly #checks = new ChecksInFlight();

  /** The lines of one step, in the order in which things happened. */
  lines({ facts, records, orders, wall }: StepSeen): JournalLine[] {
    for (const r of records) if (r.kind === 'dance') this.#opened(r.value);
    const lines = [
      ...facts.flatMap((fact) => this.#fact(fact, wall)),
      ...records.flatMap((r) => this.#record(r, wall)),
      ...orders.flatMap((order) => this.#order(order, wall)),
    ];
    for (const r of records) if (r.kind === 'dance' && r.value.stage === 'closed') this.#over(r.value);
    return lines;
  }

  #opened({ id, target, attempts }: Dance): void {
    this.#sessions.set(id, target.session);
    for (const { code } of attempts) this.#codes.set(code, id);
  }

  #over({ id, attempts }: Dance): void {
    this.#sessions.delete(id);
    for (const { code } of attempts) this.#codes.delete(code);
  }

  #answered(code: string): About {
    return this.#checks.asking(code) ?? this.#about(this.#codes.get(code) ?? '');
  }

  #about(orderId: string): About {
    const check = this.#checks.about(orderId);
    if (check !== null) return { ...check };
    const dance = danceIn(orderId);
    const session = dance === null ? (survivorsOf(orderId) ?? undefined) : this.#sessions.get(dance);
    return { ...(dance !== null && { dance }), ...(session !== undefined && { session }) };
  }

  #nudged(re: string): { session?: string } {
    const session = this.#nudges.get(re);
    this.#nudges.delete(re);
    return session === undefined ? {} : { session };
  }

  #fact(fact: News | Outcome, at: WallMs): JournalLine[] {
    switch (fact.type) {
      case 'WARRANTS_READ':
        return fact.warrants.flatMap((w) => this.#warrant(w, at));
      case 'RECORDS_READ':
        return [
          ...(fact.untold ?? []).map((dance) => danceLine(dance, dance.closedAt ?? at)),
          ...fact.warrants.flatMap((w) => this.#warrant(w, at)),
        ];
      case 'WARRANT_FILED':
        return this.#warrant(fact.warrant, at);
      case 'NUDGED':
      case 'NOT_NUDGED':
        return [this.#nudge(fact, at)];
      case 'ALERTED':
        return (fact.ended ?? []).map((one) => ({ at, kind: 'alert.ended', ...one }));
      case 'SESSION_DIED':
        return [{ at, kind: 'death.noticed', pane: fact.paneId, exit: fact.exit }];
      case 'SESSIONS_SEEN':
        return this.#told.isNew('server', fact.server) ? [{ at, kind: 'tmux', server: fact.server }] : [];
      case 'REQUESTED':
        return [requestedLine(fact, at)];
      case 'ORDER_FAILED':
      case 'NOT_SIGNALLED':
        return this.#failed(fact, at);
      case 'HEALTH_READ':
        this.#checks.clear();
        return [];
      default:
        return 're' in fact ? this.#heard(fact, at) : this.#news(fact, at);
    }
  }

  /** Steps of a hearing or a health check that came out. */
  #heard(fact: Outcome, at: WallMs): JournalLine[] {
    const about = this.#about(fact.re);
    switch (fact.type) {
      case 'NOT_ASKED': {
        const { obstacle } = fact;
        if (about.check !== undefined) this.#checks.forget(fact.re);
        return this.#changed(thingOf(fact.re, about), obstacle.kind, {
          at,
          kind: 'question.not_typed',
          ...about,
          obstacle,
        });
      }
      case 'ASKED':
        this.#checks.settled(fact.re);
        return [{ at, kind: 'question.typed', ...about }];
      case 'LOOKED': {
        const { sight } = fact;
        return sight.kind === 'silent'
          ? []
          : this.#changed(thingOf(fact.re, about), sight.kind, { at, kind: 'look', ...about, sight });
      }
      case 'TREE_LISTED':
        return [
          {
            ...{ at, kind: 'intent', ...about, processes: fact.tree },
            ...(fact.elsewhere !== undefined && { elsewhere: fact.elsewhere }),
          },
        ];
      case 'RESCUED':
        return [{ at, kind: 'rescued', ...about, ...fact.rescue }];
      case 'SIGNALLED': {
        const [alive, newcomers] = [fact.alive.length, fact.newcomers.length];
        return [{ at, kind: 'signalled', ...about, alive, newcomers }];
      }
      case 'PATROLLED':
        return deedLines(this.#told, fact, at);
      default:
        return [];
    }
  }

  #failed({ re, why }: Extract<Outcome, { type: 'ORDER_FAILED' | 'NOT_SIGNALLED' }>, at: WallMs): JournalLine[] {
    const about = { ...this.#about(re), ...this.#nudged(re) };
    this.#checks.settled(re);
    return this.#changed(thingOf(re, about), why, { at, kind: 'order.failed', order: re, ...about, why });
  }

  /** What came from outside, what siblings tell each other, and what is lost. */
  #news(fact: News, at: WallMs): JournalLine[] {
    switch (fact.type) {
      case 'ALIVE_ANSWERED':
        return [{ at, kind: 'answer.given', code: fact.code, ...this.#answered(fact.code) }];
      case 'ALERTS_OVER':
        return fact.ended.map((one) => ({ at, kind: 'alert.ended', ...one }));
      case 'SESSION_WANTED':
        return this.#changed(`wanted/${fact.spec.name}`, `${fact.why}/${fact.uuid ?? ''}`, {
          at,
          kind: 'session.wanted',
          session: fact.spec.name,
          why: fact.why,
        });
      case 'END_WANTED':
        return this.#changed(`end/${fact.uuid}`, fact.id, {
          at,
          kind: 'end.wanted',
          session: fact.session,
          then: fact.then,
          why: fact.why,
        });
      case 'LOST':
        return [{ at, kind: 'connection.lost', what: fact.what, why: fact.why }];
      default:
        return [];
    }
  }

  #nudge(fact: Extract<Outcome, { type: 'NUDGED' | 'NOT_NUDGED' }>, at: WallMs): JournalLine {
    const about = this.#nudged(fact.re);
    return fact.type === 'NUDGED'
      ? { at, kind: 'nudge.typed', ...about }
      : { at, kind: 'nudge.not_typed', ...about, obstacle: fact.obstacle };
  }

  #changed(re: string, text: string, line: JournalLine): JournalLine[] {
    return this.#told.isNew(withoutCounter(re), text) ? [line] : [];
  }

  #warrant(w: Warrant, at: WallMs): JournalLine[] {
    return this.#told.isNew(`warrant/${w.id}`, 'filed') ? [warrantLine(w, at)] : [];
  }

  #record(r: SavedRecord, wall: WallMs): JournalLine[] {
    switch (r.kind) {
      case 'dance':
        return this.#dance(r.value, wall);
      case 'session':
        return this.#session(r.value, wall);
      case 'patrol':
        return recordLines(this.#told, r.value, wall);
      case 'forgotten':
        return [{ at: wall, kind: 'session.removed', session: r.id }];
      case 'note':
        if (r.value === null) return [];
        if (r.id === 'bootStatus') return this.#triage(r.value, wall);
        return r.id === 'healthChecks'
          ? this.#checks.over(r.value).map((end) => ({ at: wall, kind: 'health.ended', ...end }))
          : [];
    }
  }

  /** A Boot that finds all well says nothing (law 8). */
  #triage({ action, reason, result, session }: BootStatus, at: WallMs): JournalLine[] {
    const about = session === ACTOR ? {} : { session };
    return this.#changed('boot', `${action}/${reason}/${result}`, {
      at,
      kind: 'boot',
      action,
      reason,
      result,
      ...about,
    });
  }

  #dance(d: Dance, at: WallMs): JournalLine[] {
    const isNew = this.#told.isNew(`dance/${d.id}`, `${d.stage}/${d.attempt}/${d.falls}`);
    return isNew ? [danceLine(d, at)] : [];
  }

  #session(r: SessionRecord, at: WallMs): JournalLine[] {
    const { state, incarnation, restarts, streak } = r;
    const isNew = this.#told.isNew(
      `session/${r.spec.name}`,
      `${state}/${incarnation?.uuid ?? ''}/${restarts}/${streak}`,
    );
    return isNew ? [sessionLine(r, at)] : [];
  }

  #order(order: Order, at: WallMs): JournalLine[] {
    switch (order.type) {
      case 'signal':
        return [
          {
            at,
            kind: survivorsOf(order.id) === null ? 'signal.ordered' : 'survivors.signalled',
            ...this.#about(order.id),
            session: order.target.session,
            signal: order.signal,
            pids: order.tree.map((p) => p.pid),
          },
        ];
      case 'clear':
        return [
          {
            at,
            kind: 'clear.ordered',
            ...this.#about(order.id),
            session: order.target.session,
            pane: order.target.paneId,
          },
        ];
      case 'ask':
        this.#checks.ordered(order);
        return [];
      case 'nudge':
        this.#nudges.set(order.id, order.target.session);
        return [{ at, kind: 'nudge.ordered', session: order.target.session, from: order.from, text: order.text }];
      case 'startSession':
        return [{ at, kind: 'start.ordered', session: order.spec.name, uuid: order.uuid, command: order.spec.command }];
      case 'archiveDeaconMail':
        return Object.entries(order.why ?? {}).flatMap(([mail, why]) =>
          this.#changed(`mail/${mail}`, why, { at, kind: 'mail.put_away', mail, why }),
        );
      case 'alert':
        return [{ at, kind: 'alert', ...order.alert } as JournalLine];
      case 'mail':
        return [{ at, kind: 'mail.sent', to: order.to, subject: order.subject }];
      default:
        return [];
    }
  }
}
