/**
 * The verbs of `bd`, a row each: how it is typed, the options that it takes, the function of the ledger that it calls, and
 * the shape of its answer. A verb whose function and shape are there already is a row and nothing else.
 */
import type { Answer, Desk, Words } from './asking.ts';
import { check, close, comment, dep, label, reopen, squash, undep, unlabel, update, wisp } from './changes.ts';
import { create } from './create.ts';
import { comments, list, listBlocked, ping, ready, show, version, wisps } from './looks.ts';
import type { Given, OptionName } from './options.ts';
import * as shape from './answers.ts';

export interface Row {
  /** `close <ids...>`, or of a verb in a group `dep add <later> <earlier>`. */
  readonly usage: string;
  /** What it does, for its help. */
  readonly about: string;
  readonly options: readonly OptionName[];
  /** `author`: it changes something, in a name. `nothing`: it answers without a ledger. */
  readonly needs: 'nothing' | 'ledger' | 'author';
  readonly run: (desk: Desk, words: Words, given: Given) => Promise<Answer>;
  /** Its other name within its group. */
  readonly alias?: string;
}

type Does<Made> = (desk: Desk, words: Words, given: Given) => Made | Promise<Made>;
type Shape<Made> = (made: Made, words: Words, given: Given) => Answer;

const row =
  (needs: Row['needs']) =>
  <Made>(
    [usage, about]: readonly [usage: string, about: string],
    options: readonly OptionName[],
    does: Does<Made>,
    shaped: Shape<Made>,
    alias?: string,
  ): Row => ({
    usage,
    about,
    options,
    needs,
    run: async (desk, words, given) => shaped(await does(desk, words, given), words, given),
    ...(alias !== undefined && { alias }),
  });
const looks = row('ledger');
const changes = row('author');

const TEXTS = ['design', 'notes', 'acceptance', 'externalRef'] as const;
const FIELDS = ['title', 'type', 'priority', 'description', 'assignee', ...TEXTS] as const;
const FILTERS = ['status', 'assignee', 'label', 'labels', 'type', 'wisp', 'ephemeral', 'all', 'limit'] as const;
const LABELS = ['addLabel', 'removeLabel', 'setLabels', 'setMetadata', 'unsetMetadata'] as const;
const KINDS = ['id', 'parent', 'deps', 'label', 'labels', 'ephemeral', 'wisp', 'wispType', 'silent', 'force'] as const;

/** What the verbs of a group have in common. */
export const GROUPS: Readonly<Record<string, string>> = {
  mol: 'wisps, the notes that patrols keep of a cycle',
  dep: 'links between beads',
  label: 'labels of beads',
  gate: 'beads that wait for a condition',
};

export const VERBS: readonly Row[] = [
  looks(['list', 'list beads; closed ones with --all'], FILTERS, list, shape.listAnswer),
  looks(['ready', 'list the work that nothing holds back'], [...FILTERS, 'unassigned'], ready, shape.listAnswer),
  looks(['blocked', 'list the work that waits for other beads'], [], listBlocked, shape.waiting),
  looks(['show <ids...>', 'show beads with all their fields'], [], show, shape.showAnswer),
  looks(['comments <id>', 'list the comments of a bead'], [], comments, shape.comments),
  looks(['comments list <id>', 'list the comments of a bead'], [], comments, shape.comments),
  looks(['mol wisp list', 'list the wisps, the notes that patrols keep of a cycle'], ['all'], wisps, shape.wisps),
  looks(['ping', 'say whether the ledger can be read'], [], ping, shape.alive),
  row('nothing')(['version', 'say which version of bd this speaks as'], [], version, shape.version),
  changes(['create [title]', 'create a bead'], [...FIELDS, ...KINDS], create, shape.createAnswer, 'new'),
  changes(
    ['update <ids...>', 'change fields, labels and metadata of beads'],
    [...FIELDS, ...LABELS, 'status', 'claim'],
    update,
    shape.changeAnswer('Updated issue:'),
  ),
  changes(
    ['close <ids...>', 'close beads'],
    ['reason', 'force', 'suggestNext'],
    close,
    shape.changeAnswer('Closed'),
    'done',
  ),
  changes(['reopen <ids...>', 'open closed beads again'], ['reason'], reopen, shape.changeAnswer('Reopened')),
  changes(['dep add <later> <earlier>', 'let a bead wait for another, or link them'], ['type'], dep, shape.linkAnswer),
  changes(['dep remove <later> <earlier>', 'take a link between two beads away'], [], undep, shape.unlinkAnswer, 'rm'),
  changes(['comments add <id> <text...>', 'comment on a bead'], ['author'], comment, shape.commentAnswer),
  changes(['label add <id> <labels...>', 'add labels to a bead'], [], label, shape.labelAnswer('added')),
  changes(['label remove <id> <labels...>', 'take labels off a bead'], [], unlabel, shape.labelAnswer('removed')),
  changes(
    ['gate check', 'open the gates whose condition is true by now'],
    ['type', 'escalate'],
    check,
    shape.checkAnswer,
  ),
  changes(['mol wisp <formula>', 'create a wisp with the title of a formula'], [], wisp, shape.molecule),
  changes(
    ['mol squash <id>', 'keep what a wisp holds in a bead, and remove the wisp'],
    ['summary'],
    squash,
    shape.squashAnswer,
  ),
];
