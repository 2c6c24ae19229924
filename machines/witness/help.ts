/** What a witness does about a call for help (W-1): it alerts a person, opens a case or asks the mayor, by the most urgent word. */
import { archive, decide, orPerson, send, tell, type Rule } from './acts.ts';
import type { LetterSeen, WitnessAct, WitnessSeen } from './observation.ts';

const asksHelp = (_: LetterSeen, agent: string, context: string): WitnessAct[] => [
  decide('help_request', agent, context),
];

/** The seed's words, the most urgent first. */
const HELP: readonly (readonly [
  RegExp,
  (letter: LetterSeen, agent: string, text: string, seen: WitnessSeen) => WitnessAct[],
])[] = [
  [
    /\b(?:emergency|urgent|security|breach(?:ed|es)?|data (?:loss|corruption)|corrupt(?:ed|s)? data)\b/i,
    (_, agent, text) => [tell('critical', `help/${agent}`, `${agent} needs help now: ${text}`, 'more')],
  ],
  [/\b(?:fail(?:ed|s|ing|ure)?|block(?:ed|s|ing)?|stuck)\b/i, asksHelp],
  [
    /\b(?:decision|decide|choose|which (?:approach|option|of)|should (?:i|we))\b/i,
    ({ id: of }, agent, text, seen) => [
      send({ to: 'mayor', of, subject: `Escalation: ${agent} needs a decision`, body: `${text}\n` }),
      ...orPerson(`decision/${agent}`, `${agent} needs a decision: ${text}`, seen, 'more'),
    ],
  ],
];

export const help: Rule = (letter, { about }, seen) => {
  const text = [about, letter.body.trim()].filter((words) => words !== '').join('\n');
  const words = `${letter.subject}\n${letter.body}`;
  const [, ask] = HELP.find(([pattern]) => pattern.test(words)) ?? [null, asksHelp];
  return [...ask(letter, letter.from, text, seen), archive(letter, 'its call for help was passed on')];
};
