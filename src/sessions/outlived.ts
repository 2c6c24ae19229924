/** Lives whose end nothing confirms, since their tmux server goes on. */
import type { SessionRecord } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { ProcessTable } from '../proc/processes.ts';

/** Of lives that ended, those whose tmux server still lives. What cannot be looked at is not proved to live. */
export const outlivedIn = (records: readonly SessionRecord[], { alive }: Pick<ProcessTable, 'alive'>): string[] =>
  records
    .filter(({ endUnconfirmed }) => endUnconfirmed === true)
    .flatMap(({ incarnation }) =>
      incarnation !== null && orNull(() => alive(incarnation.server)) ? [incarnation.uuid] : [],
    );
