/** What the tables of a witness want said or decided, as acts. */
import type { Letter, WitnessAct } from './observation.ts';

type Of<Name extends WitnessAct['act']> = Extract<WitnessAct, { act: Name }>;

/** A person is told, once of what it is about. */
export const tell = (severity: Of<'tell'>['severity'], about: string, text: string): Of<'tell'> => ({
  ...{ act: 'tell', severity, about, text },
});

export const send = (letter: Letter): Of<'send'> => ({ act: 'send', ...letter });

/** Somebody decides about an agent. `of`: it is remembered with the hook. */
export const decide = (
  type: Of<'triage'>['type'],
  agent: string,
  context: string,
  of?: Of<'triage'>['of'],
): Of<'triage'> => ({ act: 'triage', type, agent, context, ...(of !== undefined && { of }) });
