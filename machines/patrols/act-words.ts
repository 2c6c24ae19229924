/** Acts of patrols in words for people: what was done, and what could not be. A record and `--json` keep the act's own word. */

import type { RigAct, TownActName } from '../protocol/patrols.ts';

/** A patrol's. */
type Act = RigAct['act'] | TownActName | 'wake' | 'stand_in';
/** Past and infinitive; what it is about stands in the place of `%`. */
type Phrase = readonly [did: string, couldNot: string];
const WORDS: Readonly<Record<Act, Phrase>> = {
  shelve: ['kept % apart', 'keep % apart'],
  archive: ['put the letter % away', 'put the letter % away'],
  withdraw: ['withdrew the merge request %', 'withdraw the merge request %'],
  forward: ['passed the letter % on', 'pass the letter % on'],
  nuke: ['removed the worktree of %', 'remove the worktree of %'],
  check: ['began the check of %', 'begin the check of %'],
  start: ['started %', 'start %'],
  end: ['asked for the end of %', 'bring about the end of %'],
  send: ['wrote to %', 'write to %'],
  wisp: ['noted % to be finished', 'note % to be finished'],
  follow: ['follows the swarm %', 'follow the swarm %'],
  label: ['marked %', 'mark %'],
  close: ['closed %', 'close %'],
  triage: ['asked for a decision about %', 'ask for a decision about %'],
  resolve: ['carried out the choice about %', 'carry out the choice about %'],
  nudge: ['nudged %', 'nudge %'],
  tell: ['put % before a person', 'put % before a person'],
  escalate: ['put the gate % before a person', 'put the gate % before a person'],
  reopen: ['took % back, for the next one', 'take % back'],
  fail: ['gave % up', 'give % up'],
  spawn: ['gave % to a new polecat', 'give % to a new polecat'],
  hook: ['put % on its hook again', 'put % on its hook again'],
  land: ['landed the convoy %', 'land the convoy %'],
  open: ['opened the gate %', 'open the gate %'],
  unhook: ['took % off a hook without an agent', 'take % off a hook without an agent'],
  orphan: ['signalled what outlives its agent, %,', 'signal what outlives its agent, %,'],
  compact: ['put closed wisps into %', 'put closed wisps into %'],
  plugin: ['began the plugin %', 'begin the plugin %'],
  stop: ['told the session % to stop', 'tell the session % to stop'],
  forget: ['forgot the session %', 'forget the session %'],
  wake: ['woke %', 'wake %'],
  stand_in: ['patrolled in the place of %', 'patrol in the place of %'],
};

/** A line of another town may hold an act that this one does not know. */
const phraseOf = (act: string): Phrase =>
  Object.hasOwn(WORDS, act) ? WORDS[act as Act] : [`did ${act} %`, `do ${act} %`];

export const didText = (act: string, about: string): string => phraseOf(act)[0].replace('%', () => about);
export const couldNotText = (act: string, about: string): string =>
  `could not ${phraseOf(act)[1].replace('%', () => about)}`;
