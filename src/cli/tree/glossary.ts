/** The town's own words, each explained below the help of every command that uses it. */
import type { Command } from 'commander';
import { terminal } from '../../terminal/streams.ts';

interface Word {
  readonly word: string;
  /** How it stands in a text. */
  readonly seen: RegExp;
  readonly means: string;
}

export const GLOSSARY: readonly Word[] = [
  {
    word: 'warrant',
    seen: /\bwarrants?\b/i,
    means: 'a request, with its reason, that a session be heard, since it seems to hang',
  },
  {
    word: 'hearing, dance',
    seen: /\b(hearings?|heard|dances?)\b/i,
    means:
      'three questions in its own pane; an answer or a sign of life pardons it, silence ends it, its work saved first',
  },
  {
    word: 'dog',
    seen: /\bdogs?\b/i,
    means: 'the part of the town that holds one hearing; the pool is how many there are',
  },
  {
    word: 'Deacon',
    seen: /\bdeacon\b/i,
    means: "the town's patrol: a part of the town, or an agent in a session of its own",
  },
  {
    word: 'Boot',
    seen: /\bBoot\b|\bboot (status|triage)\b/,
    means: 'who looks after the Deacon: starts it, wakes it, or accuses it',
  },
  {
    word: 'Witness',
    seen: /\bwitness(es)?\b/i,
    means: 'who looks after the polecats of one rig, a cycle at a time',
  },
  {
    word: 'heartbeat',
    seen: /\bheartbeats?\b/i,
    means: 'the file by which a Deacon says that it lives, and when it says so next',
  },
  { word: 'nudge', seen: /\bnudges?d?\b/i, means: 'words typed to an agent, outside of a hearing' },
  {
    word: 'health check',
    seen: /\bhealth[ -]checks?\b/i,
    means: 'a question whether an agent is well, which ends nobody',
  },
  {
    word: 'degraded',
    seen: /\bdegraded\b/i,
    means: 'said of a town that goes on without tmux, or without its disk',
  },
  { word: 'guard', seen: /\bguard\b/i, means: 'a second, small process that starts the town again when it falls' },
  { word: 'epoch', seen: /\bepoch\b/i, means: 'how many times a town was started on this root' },
  { word: 'pack', seen: /\bpacks?\b/i, means: "rules that tell an agent's state from its screen" },
  { word: 'rig', seen: /\brigs?\b/i, means: 'a git repository that the town has agents work in' },
  {
    word: 'polecat',
    seen: /\bpolecats?\b/i,
    means: 'a worker of a rig: an agent with a worktree, a branch and a session of its own',
  },
  {
    word: 'bead',
    seen: /\bbeads?\b/i,
    means: 'a piece of work, or of waiting, in the ledger: it survives whoever is at it',
  },
  { word: 'wisp', seen: /\bwisps?\b/i, means: 'a bead that is worth nothing once it is closed' },
  {
    word: 'hook',
    seen: /\b(hooks?|hooked|unhook)\b(?! command)/i,
    means: 'where the work of one agent hangs: nobody else takes it',
  },
  {
    word: 'convoy, swarm',
    seen: /\b(convoys?|swarms?)\b/i,
    means: 'beads that are followed together until all are closed',
  },
  { word: 'gate', seen: /\bgates?\b/i, means: 'a bead that others wait for: a time, a person, a thing outside' },
  {
    word: 'triage',
    seen: /\btriage (request|list|resolve|run)|`?town triage|no rule of the town/i,
    means: 'deciding what no rule decides: by a person, or by a reasoner that is asked only then',
  },
  { word: 'overseer', seen: /\boverseer\b/i, means: 'you, where mail is addressed' },
];

/** What a command prints though its help does not name it. */
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
