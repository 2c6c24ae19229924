/** The name of an actor Deacon's life: the process that it lives in. */
import type { Proc } from '../../machines/protocol.ts';

export const actorLife = ({ pid, started }: Proc): string => `town-${pid}-${started}`;
