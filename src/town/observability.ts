/**
 * How the town is seen from outside: its health, always; its actors, when the inspector is opened. A port that cannot be
 * opened is a line in the log and no reason for the town not to run.
 */
import type { Settings } from '../config/settings.ts';
import type { Host } from '../host/host.ts';
import { Pulse, type HealthView } from '../inspect/health.ts';
import type { Inspector } from '../inspect/inspector.ts';
import type { ActorTreeOptions } from './actor-tree.ts';

export interface Window {
  readonly pulse: Pulse;
  /** Port of the inspector; null = closed. */
  readonly port: number | null;
  /** Of its stream, with the token in it; null = closed. */
  readonly url: string | null;
  /** For the tree; nothing when the inspector is closed. */
  readonly tree: ActorTreeOptions;
  health(): HealthView;
  close(): Promise<void>;
}

/** `inspect`: opens the inspector. */
export async function openWindow(settings: Settings, host: Host, inspect: boolean): Promise<Window> {
  const { process: policy } = settings;
  const { sessions, watchdog } = settings.policy;
  const pulse = new Pulse(host.clock.now(), {
    step: policy.progressEveryMs,
    scan: sessions.scanEveryMs,
    round: watchdog.deacon.idleMs,
    patrol: watchdog.deacon.mode === 'actor' ? watchdog.deacon.beatMs : null,
  });
  const health = (): HealthView => pulse.view(host.clock.now(), policy.lateAfter);
  const inspector = inspect ? await open(settings, host, health) : null;
  return {
    pulse,
    health,
    port: inspector?.port ?? null,
    url: inspector?.url ?? null,
    tree: inspector === null ? {} : { observe: inspector.observe },
    close: async () => inspector?.close(),
  };
}

async function open({ inspect }: Settings, host: Host, health: () => HealthView): Promise<Inspector | null> {
  const { clock, logger } = host;
  try {
    const { openInspector } = await import('../inspect/inspector.ts');
    const inspector = await openInspector({ policy: inspect, clock, health, complain: (text) => logger.warn(text) });
    await host.inspected(inspector.port);
    logger.info({ port: inspector.port }, 'the inspector is open; `town up --inspect` prints its URL');
    return inspector;
  } catch (error) {
    logger.error({ err: error }, `the inspector could not be opened on port ${inspect.port}; the town runs without it`);
    return null;
  }
}
