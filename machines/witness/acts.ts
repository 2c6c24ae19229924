/**
 * Makes the acts that the tables of a witness return: a letter, an alert, a question for triage, a letter put away. An act is
 * plain data, so a test compares it; src/patrols/witness/acts.ts carries it out.
 */
import type { PatrolAct } from '../patrols/dispatch.ts';
import type { PatrolPolicy } from '../patrols/policy.ts';
import type { ProtocolMessage } from './messages.ts';
import type { Letter, LetterSeen, TellAct, WitnessAct, WitnessSeen } from './observation.ts';

type Of<Name extends WitnessAct['act']> = Extract<WitnessAct, { act: Name }>;

/** A person is told of what happened, once of what it is about. */
export const tell = (
  severity: TellAct['severity'],
  about: string,
  text: string,
  count?: TellAct['count'],
): TellAct => ({ act: 'tell', severity, about, text, ...(count !== undefined && { count }) });

export const send = (letter: Letter): Of<'send'> => ({ act: 'send', ...letter });

/** Asks for a decision about an agent. `of`: it is remembered with the hook. */
export const decide = (
  type: Of<'triage'>['type'],
  agent: string,
  context: string,
  of?: Of<'triage'>['of'],
): Of<'triage'> => ({ act: 'triage', type, agent, context, ...(of !== undefined && { of }) });

export type Acts = readonly (WitnessAct | PatrolAct)[];
/** What one kind of letter leads to. */
export type Rule = (letter: LetterSeen, message: ProtocolMessage, seen: WitnessSeen, policy: PatrolPolicy) => Acts;

export const archive = ({ id: mail }: LetterSeen, why: string): WitnessAct => ({ act: 'archive', mail, why });
/** A letter that says more than its sender may decides nothing: it is put away with the reason. */
export const ignore = (letter: LetterSeen, why: string): WitnessAct[] => [
  archive(letter, `it decides nothing: ${why}`),
];

/** If there is no mayor to receive this letter, a person is alerted. */
export const orPerson = (
  about: string,
  text: string,
  { hasMayor }: Pick<WitnessSeen, 'hasMayor'>,
  count?: 'more',
): WitnessAct[] => (hasMayor ? [] : [tell('high', about, text, count)]);
