/** `town completion names`: what a script asks for behind a tab. A town that cannot be read has no names, and says nothing of that. */
import { wordsOf } from '../../../machines/rigs/names.ts';
import { FILES } from '../../../state/files/layout.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import { firstOf } from '../../ledger/walk.ts';
import { readSessions } from '../../overview/records.ts';
import { clean } from '../../terminal/print.ts';
import { undecidedCases } from '../../triage/requests.ts';
import { withLedger } from '../asking/ledger.ts';
import type { Context } from '../context.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { OFFERED } from '../policy.ts';
import { NAMED, type Named } from '../shells/operands.ts';
import { questionsOf } from '../story/questions.ts';

interface Offer {
  readonly name: string;
  /** What it is, in a few words. */
  readonly what: string;
}

const rigsIn = async (context: Context): Promise<RigRecords> => new RigRecords({ disk: await context.disk() });

const inLedger = async (
  context: Context,
  read: (ledger: Parameters<Parameters<typeof withLedger>[1]>[1]) => Promise<Offer[]>,
) =>
  // Opening a ledger makes one.
  (await (await context.disk()).stat(FILES.ledger)) === null ? [] : withLedger(context, (_, ledger) => read(ledger));

const OFFERS: Readonly<Record<Named, (context: Context) => Promise<Offer[]>>> = {
  sessions: async (context) =>
    (await readSessions(await context.disk())).found.map(({ value: { spec, state } }) => ({
      name: spec.name,
      what: state,
    })),
  rigs: async (context) => (await (await rigsIn(context)).rigs()).found.map(({ name, repo }) => ({ name, what: repo })),
  polecats: async (context) =>
    (await (await rigsIn(context)).polecatNames()).map((one) => ({
      name: wordsOf(one),
      what: `polecat of ${one.rig}`,
    })),
  beads: (context) =>
    inLedger(context, async (ledger) =>
      (await firstOf((page) => ledger.list({}, page), OFFERED.most)).map(({ id, title }) => ({
        name: id,
        what: title,
      })),
    ),
  cases: (context) =>
    inLedger(context, async (ledger) =>
      (await undecidedCases(ledger)).map(({ id, type, agent }) => ({
        name: id,
        what: `${type.replaceAll('_', ' ')} ${agent}`,
      })),
    ),
  // They name letters in the operator's mailbox.
  questions: async (context) => {
    await mustBeOperator(context, 'town completion names questions');
    return (await questionsOf(context)).map(({ number, text }) => ({ name: number, what: text }));
  },
};

/** One in a line: its name, a tab, and what it is. */
export async function names(context: Context, kind: string | undefined): Promise<void> {
  const named = NAMED.find((one) => one === kind);
  const all = named === undefined ? [] : await OFFERS[named](context).catch(() => []);
  const lines = all.slice(0, OFFERED.most).map(({ name, what }) => {
    return `${clean(name)}\t${clean(what).replaceAll(/\s+/g, ' ').slice(0, OFFERED.signs)}`;
  });
  context.answerPlain('completion-names', all, lines.join('\n'));
}
