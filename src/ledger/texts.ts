/** The longer texts of a bead that `bd` keeps in fields of their own, for people and for the agent that does the work. */
import type { Bead } from '../../machines/ledger/bead.ts';

const TEXTS = { design: 'Design', acceptance_criteria: 'Acceptance criteria', notes: 'Notes' } as const;

export interface BeadText {
  readonly head: string;
  readonly text: string;
}

/** Those that hold something, in their order. */
export const textsOf = ({ extra }: Pick<Bead, 'extra'>): BeadText[] =>
  Object.entries(TEXTS).flatMap(([field, head]) => {
    const text = extra[field];
    return typeof text === 'string' && text.trim() !== '' ? [{ head, text }] : [];
  });
