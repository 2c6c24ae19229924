/**
 * Kinds of alerts that no actor sees: what a process of the town knows of itself (src/alerts/conditions.ts), and things that a
 * person may take away (src/alerts/subjects.ts).
 */
import type { Alert } from '../protocol.ts';
import { attach, doctor } from './asks.ts';
import type { Declared } from './levels.ts';

interface Told extends Declared, Pick<Alert, 'severity'> {
  readonly text: (why: string) => string;
  readonly over: string;
}
const restart = (): readonly string[] => ['town config check', 'town restart'];

export const CONDITIONS = [
  {
    kind: 'disk',
    asks: doctor,
    severity: 'critical',
    text: (why) => `The town is degraded, nothing is killed meanwhile: ${why}`,
    over: 'The disk takes records again.',
  },
  {
    kind: 'config-broken',
    asks: restart,
    severity: 'high',
    text: (why) => `${why}. \`town config check\` says when it is right; then type \`town restart\`.`,
    over: 'The town was started with a right town.toml.',
  },
  {
    kind: 'socket-moved',
    asks: restart,
    severity: 'high',
    text: (why) => `${why}. The town goes on where it is; \`town restart\` once that is done.`,
    over: 'The town was started on the tmux socket that is configured.',
  },
] as const satisfies readonly Told[];
export type Condition = (typeof CONDITIONS)[number]['kind'];

export const FILE_REFUSED = { kind: 'file-refused', asks: () => [] } as const satisfies Declared;
export const OUTPUT_UNSAVED = { kind: 'output-unsaved', asks: attach } as const satisfies Declared;
