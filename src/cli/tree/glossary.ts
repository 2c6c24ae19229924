/** The town's own words, each explained below the help of every command that uses it. */
import type { Command } from 'commander';
import { terminal } from '../../terminal/streams.ts';

/** A word, how it stands in a text, and what it means. */
const WORDS: readonly (readonly [word: string, seen: RegExp, means: string])[] = [
  ['warrant', /\bwarrants?\b/i, 'a request, with its reason, to hear a session that seems to hang'],
  [
    'hearing',
    /\b(hearings?|heard|dances?)\b/i,
    'three questions in its own pane; an answer or a sign of life pardons it, silence ends it, its work saved first',
  ],
  ['dance', /\bdances?\b/i, 'the record of a hearing, and the name of its keys in town.toml'],
  ['dog', /\bdogs?\b/i, 'the part of the town that holds one hearing; the pool is how many there are'],
  ['Deacon', /\bdeacon\b/i, "the town's patrol: a part of the town, or an agent in a session of its own"],
  [
    'Boot',
    /\bBoot\b|\bboot (status|triage)\b/,
    'the part of the town that starts the Deacon, wakes it, or files a warrant against it',
  ],
  ['Tickle', /\btickle\b/i, 'the part of the town that pages agents whose evidence is old'],
  ['Witness', /\bwitness(es)?\b/i, 'the patrol that looks after the polecats of one rig, a cycle at a time'],
  ['heartbeat', /\bheartbeats?\b/i, 'the file by which a Deacon says that it lives, and when it says so next'],
  ['nudge', /\bnudges?d?\b/i, 'words typed to an agent, outside of a hearing'],
  ['health check', /\bhealth[ -]checks?\b/i, 'a question whether an agent is well, which never ends the agent'],
  ['degraded', /\bdegraded\b/i, 'the state of a town that works on without tmux, or without its disk'],
  ['guard', /\bguard\b/i, 'a second, small process that starts the town again when it falls'],
  ['epoch', /\bepoch\b/i, 'a number of this start of the town; each later start has a higher one'],
  ['pack', /\bpacks?\b/i, "rules that read an agent's state off its screen"],
  ['rig', /\brigs?\b/i, 'a git repository that the town has agents work in'],
  ['polecat', /\bpolecats?\b/i, 'a worker of a rig: an agent with a worktree, a branch and a session of its own'],
  [
    'refinery',
    /\brefinery\b/i,
    'what merges finished branches of a rig: `town refinery`, or a program or agent of yours',
  ],
  ['bead', /\bbeads?\b/i, 'a piece of work, or of waiting, in the ledger: it survives its worker'],
  ['wisp', /\bwisps?\b/i, 'a bead that is worth nothing once it is closed'],
  [
    'hook',
    /\b(hooks?|hooked|unhook)\b(?! command)/i,
    'where the work of one agent hangs: no other agent takes it; of `town hooks`: a command that an agent program runs at an event',
  ],
  ['convoy, swarm', /\b(convoys?|swarms?)\b/i, 'beads that are followed together until all are closed'],
  ['gate', /\bgates?\b/i, 'a bead that others wait for: a time, a person, a thing outside'],
  [
    'triage',
    /\btriage (request|list|resolve|run)|`?town triage|no rule of the town/i,
    'deciding what no rule decides: by a person, or by a reasoner that is asked only then',
  ],
  ['operator', /\boperator\b/i, 'you: who types a command without a token of an agent'],
  ['overseer', /\boverseer\b/i, 'your address in mail, and your name in warrants'],
];

export const GLOSSARY = WORDS.map(([word, seen, means]) => ({ word, seen, means }));

/** Words that a command prints although its help does not name them. */
const PRINTED: Readonly<Record<string, string>> = {
  'town up': 'guard epoch',
  'town status': 'guard epoch hearing',
  'town down': 'guard',
  'town report': 'hearing',
  'town timeline': 'warrant hearing epoch Boot Deacon',
  'town why': 'warrant hearing Boot Deacon',
  'town boot status': 'dog',
};

/** Columns of a help that no terminal shows. */
const PIPE = 80;

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;

/** The section below a command's help; empty where there is nothing to explain. */
export function wordsOf(command: Command, examples: readonly string[]): string {
  const text = [command.helpInformation(), ...examples, PRINTED[nameOf(command)] ?? ''].join('\n');
  const used = GLOSSARY.filter(({ seen }) => seen.test(text));
  const help = command.createHelp();
  help.prepareContext({ helpWidth: terminal()?.columns ?? PIPE });
  const width = Math.max(0, ...used.map(({ word }) => word.length));
  const lines = used.map(({ word, means }) => help.formatItem(word, width, means, help));
  return lines.length === 0 ? '' : `\nWords:\n${lines.join('\n')}`;
}
