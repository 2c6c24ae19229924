/**
 * What a process of the town knows of itself: whether its disk, its configuration and its tmux socket are as they should be.
 * Told as levels (law 8): what stands is compared with what is open, when it changes and again with each reminder, so that
 * neither a crash nor a disk that refuses leaves an episode open, or closed.
 */
import type { Alert, EpisodeName } from '../../machines/protocol.ts';
import type { Office } from './office.ts';

interface Told extends Pick<Alert, 'severity'> {
  readonly text: (why: string) => string;
  readonly over: string;
}

const TOLD = {
  disk: {
    severity: 'critical',
    text: (why) => `The town is degraded, nothing is killed meanwhile: ${why}`,
    over: 'The disk takes records again.',
  },
  'config-broken': {
    severity: 'high',
    text: (why) => `${why}. \`town config check\` says when it is right; then type \`town restart\`.`,
    over: 'The town was started with a right town.toml.',
  },
  'socket-moved': {
    severity: 'high',
    text: (why) => `${why}. The town goes on where it is; \`town restart\` once that is done.`,
    over: 'The town was started on the tmux socket that is configured.',
  },
} as const satisfies Readonly<Partial<Record<EpisodeName, Told>>>;

export type Condition = keyof typeof TOLD;

export class Conditions {
  readonly #office: Pick<Office, 'stands' | 'isOver'>;
  /** Why each is not as it should be; null = it is. What is not in it yet is not known. */
  readonly #known = new Map<Condition, string | null>();
  /** As what is open was found or made last. */
  readonly #settled = new Map<Condition, string | null>();

  constructor(office: Pick<Office, 'stands' | 'isOver'>) {
    this.#office = office;
  }

  /** What was found. Never rejects. */
  set(what: Condition, why: string | null): Promise<void> {
    this.#known.set(what, why);
    return this.#settle(what);
  }

  /** Tries again what could not be recorded. Never rejects. */
  async settle(): Promise<void> {
    for (const what of this.#known.keys()) await this.#settle(what);
  }

  async #settle(what: Condition): Promise<void> {
    const why = this.#known.get(what) ?? null;
    if (this.#settled.get(what) === why) return;
    const { severity, text, over } = TOLD[what];
    const isDone =
      why === null
        ? await this.#office.isOver(what, over)
        : await this.#office.stands({ episode: what, severity, session: null, text: text(why) });
    if (isDone && this.#known.get(what) === why) this.#settled.set(what, why);
    else this.#settled.delete(what);
  }
}
