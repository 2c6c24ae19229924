/** The hands of the stall watch. A town whose stall watch is off starts no thread for it. */
import { textOf } from '../../state/files/disk.ts';
import type { Damage } from '../../state/ledger/file.ts';
import type { HandsNeeds } from '../host/hands-needs.ts';
import type { Hands, OrderOf } from '../ports/ports.ts';
import { runCommand } from '../proc/command-with-line.ts';
import { rulesOf } from '../socket/permission.ts';
import { inTownTime } from '../overview/known-time.ts';
import { readSessions } from '../overview/records.ts';
import { Drops } from './drops.ts';
import type { EvidenceFound } from './evidence.ts';
import { lookAtAgents, type LookNeeds } from './look.ts';
import { tickleThread } from './thread.ts';

/** Says a line to an agent in the channel of IRC. Never rejects. */
export type PageAgent = (
  line: Pick<OrderOf<'sayOnIrc'>, 'nick' | 'text'>,
) => Promise<{ readonly error: string | null; readonly isUnsure: boolean }>;

/** What the town looks at sessions with. */
export type TickleTools = Omit<LookNeeds, 'sessions' | 'deacon' | 'evidence'> & {
  readonly damaged: (damage: Damage) => void;
  readonly page: PageAgent;
};

export interface TickleHands {
  readonly perform: Pick<Hands, 'readEvidence' | 'ringBell' | 'sayOnIrc' | 'noteEvidence'>;
  /** A sign of an agent, which it gave under its own nick. Never rejects. */
  readonly spoke: (said: { readonly agent: string; readonly text: string }) => Promise<void>;
  /**
   * Whether the ledger may hold work. The stall watch makes a ledger for its evidence alone, which no patrol needs; without it only work
   * makes one. Never rejects: of a ledger that cannot be read it is not known.
   */
  readonly holdsWork: () => Promise<boolean>;
  /** The files that programs drop. */
  readonly drops: Drops;
  close(): Promise<void>;
}

export function tickleHands(needs: HandsNeeds, { damaged, page, ...tools }: TickleTools): TickleHands {
  const { settings, store, host } = needs;
  const warn = (text: string): void => host.logger.warn(text);
  const thread = tickleThread({
    root: settings.root,
    limitMs: settings.process.patrolMs,
    log: warn,
    damaged,
  });
  const looking: LookNeeds = {
    ...tools,
    sessions: () => store.sessionsNow(),
    deacon: rulesOf(settings).deacon,
    evidence: (asked) => thread.ask<readonly EvidenceFound[]>({ do: 'read', asked }),
  };
  return {
    perform: {
      readEvidence: (order) => inTownTime(host.disk, warn, () => lookAtAgents(looking, order)),
      noteEvidence: async ({ entries }) => ({
        type: 'EVIDENCE_NOTED',
        ids: await thread.ask<readonly string[]>({ do: 'write', entries }),
      }),
      ringBell: async ({ agent, session, command, limitMs }) => {
        const bell = { schema: 'bell/1', agent, session };
        return { type: 'BELL_RUNG', error: await runCommand({ of: '[tickle] bell', command, limitMs }, bell) };
      },
      sayOnIrc: async ({ nick, text }) => ({ type: 'SAID_ON_IRC', ...(await page({ nick, text })) }),
    },
    holdsWork: async () => !settings.policy.tickle.enabled || thread.ask<boolean>({ do: 'findWork' }).catch(() => true),
    spoke: async ({ agent: author, text }) => {
      const at = host.clock.wall();
      const evidence = { id: `irc/${author}/${at}`, author, kind: 'irc', text, at };
      await thread.ask({ do: 'add', as: null, evidence }).catch((error: unknown) => {
        host.logger.warn(`a sign of ${author} on IRC was not put on record: ${textOf(error)}`);
      });
    },
    drops: new Drops({
      ...host,
      quarantine: needs.quarantine,
      sessions: async () => (await readSessions(host.disk)).found.map(({ value }) => value),
      add: (as, evidence) => thread.ask({ do: 'add', as, evidence }),
      log: (text) => host.logger.warn(text),
    }),
    close: () => thread.close(),
  };
}
