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
    usage: string,
    options: readonly OptionName[],
    does: Does<Made>,
    shaped: Shape<Made>,
    alias?: string,
  ): Row => ({
    usage,
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

export const VERBS: readonly Row[] = [
  looks('list', FILTERS, list, shape.listAnswer),
  looks('ready', [...FILTERS, 'unassigned'], ready, shape.listAnswer),
  looks('blocked', [], listBlocked, shape.waiting),
  looks('show <ids...>', [], show, shape.showAnswer),
  looks('comments <id>', [], comments, shape.comments),
  looks('comments list <id>', [], comments, shape.comments),
  looks('mol wisp list', ['all'], wisps, shape.wisps),
  looks('ping', [], ping, shape.alive),
  row('nothing')('version', [], version, shape.version),
  changes('create [title]', [...FIELDS, ...KINDS], create, shape.createAnswer, 'new'),
  changes('update <ids...>', [...FIELDS, ...LABELS, 'status', 'claim'], update, shape.changeAnswer('Updated issue:')),
  changes('close <ids...>', ['reason', 'force', 'suggestNext'], close, shape.changeAnswer('Closed'), 'done'),
  changes('reopen <ids...>', ['reason'], reopen, shape.changeAnswer('Reopened')),
  changes('dep add <later> <earlier>', ['type'], dep, shape.linkAnswer),
  changes('dep remove <later> <earlier>', [], undep, shape.unlinkAnswer, 'rm'),
  changes('comments add <id> <text...>', ['author'], comment, shape.commentAnswer),
  changes('label add <id> <labels...>', [], label, shape.labelAnswer('added')),
  changes('label remove <id> <labels...>', [], unlabel, shape.labelAnswer('removed')),
  changes('gate check', ['type', 'escalate'], check, shape.checkAnswer),
  changes('mol wisp <formula>', [], wisp, shape.molecule),
  changes('mol squash <id>', ['summary'], squash, shape.squashAnswer),
];
