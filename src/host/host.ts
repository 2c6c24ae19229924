/** Where the process of a town and what runs in it meet: what either gives the other. */
import type { NewsBody, Proc, Reply, Request, WallMs } from '../../machines/protocol.ts';
import type { Disk } from '../../state/files/disk.ts';
import type { Refused as RefusedFile } from '../../state/files/quarantine.ts';
import type { Logger } from '../ports/log.ts';
import type { CostRow } from '../costs/view.ts';
import type { Overview } from '../overview/overview.ts';
import type { Asker } from '../socket/permission.ts';
import type { Clock } from '../ports/ports.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { Packs } from '../screen/packs.ts';
import type { RequestRouter } from '../socket/request-router.ts';
import type { EngineView } from '../socket/protocol.ts';

/** What runs in the process. */
export interface Engine {
  /** Runs until `stop`; rejects when the root supervisor gave up. */
  run(): Promise<void>;
  /** Takes in nothing more, finishes the save under way, leaves dances open. `run` resolves then. */
  stop(): void;
  announce(news: NewsBody): void;
  /** Why a request is not even begun; null = it is the town's to answer. */
  refuses(request: Request, caller: Asker): Promise<Reply | null>;
  overview(): Promise<Overview>;
  /** What conversations took; `from`: what was taken before does not count, null = all counts. */
  costs(from: WallMs | null): Promise<readonly CostRow[]>;
  /** URL of the inspector's stream, with its token; null = it is closed. */
  inspector(): string | null;
  status(): EngineView;
}

/** What a town says of itself before its engine is there. */
export const STARTING: Omit<EngineView, 'tmux_socket'> = {
  ready: false,
  degraded: { is: false, why: null },
  changes: [],
  waiting: null,
  inspect_port: null,
  health: null,
  pool_size: null,
  actors: [],
  windows: [],
  starts: [],
  steps: { count: 0, longest_ms: 0 },
};

/** What the process gives its engine. */
export interface Host {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly processes: ProcessTable;
  readonly packs: Packs;
  readonly logger: Logger;
  readonly self: Proc;
  readonly epoch: number;
  /** Files that did not count before the engine was made: a person is told. */
  readonly refused: readonly RefusedFile[];
  readonly reply: RequestRouter['reply'];
  /** By which the town's own patrols ask it. */
  readonly ask: RequestRouter['ask'];
  /** After real progress, and when a save begins or ends. */
  progress(steps: number, saving: boolean): void;
  /** An edge of the disk's trouble: why, or null when it is over. */
  degraded(why: string | null): void;
  /** The inspector listens on this port: daemon.pid names it. */
  inspected(port: number): Promise<void>;
  ready(): void;
  /** Ends the town in order, so that its guard starts it again at once; false = it has no guard. */
  renew(why: string): boolean;
  /** Ends this process at once when a newer one has the root; resolves when none has, as far as is known. */
  stillOurs(): Promise<void>;
}

/** An engine that cannot start for a reason that trying again does not mend. `exit` 2 or 5; the message is for a person. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly exit: number;
  constructor(exit: number, message: string) {
    super(message);
    this.exit = exit;
  }
}

export type MakeEngine = (host: Host) => Promise<Engine>;
