/** `town tickle …`: the stall watch. The status works with the town down; what orders something asks the running town. */
import { REQUESTS } from '../../../machines/protocol/requests.ts';
import type { Page, PageTry } from '../../../machines/protocol/tickle.ts';
import { span, times } from '../../../machines/kernel/span.ts';
import { untriedWhy } from '../../../machines/tickle/entries.ts';
import { isOn, NO_RECORD } from '../../../machines/tickle/state.ts';
import { readNote } from '../../../state/watchdog/records.ts';
import { when } from '../../journal/when.ts';
import { EXIT } from '../../terminal/failure.ts';
import { clean, listing } from '../../terminal/print.ts';
import { isoOf, notesOf } from '../asking/notes.ts';
import type { Context } from '../context.ts';
import { assigneeSought } from '../naming/agents.ts';
import { mustBeOperator } from '../naming/caller.ts';

type Order = 'scan' | 'cycle' | 'page' | 'start' | 'stop';

async function ordered(context: Context, what: Order, agent: string | null = null): Promise<unknown> {
  await mustBeOperator(context, REQUESTS.tickle.operator);
  return context.request({ verb: 'tickle', do: what, agent });
}

const secondsOf = (ms: number | null): number | null => (ms === null ? null : Math.round(ms / 1_000));
const silence = (ms: number | null): string => (ms === null ? 'no sign yet' : span(ms));

/** One agent of a look, as the town tells it. */
interface Found {
  readonly agent: string;
  readonly is: 'fresh' | 'stale' | 'resting';
  readonly lastAt: number | null;
  readonly silentMs: number | null;
  readonly sign: string | null;
  readonly page: Page['step'] | null;
  readonly spared: string | null;
}

const PAGED: Readonly<Record<Page['step'], string>> = {
  ordered: 'is being paged',
  waiting: 'paged, may answer',
  told: 'answers no page: you were alerted',
  over: 'answered a page',
};

function tellFound(context: Context, name: string, value: unknown): void {
  const { agents } = value as { readonly agents: readonly Found[] };
  const data = agents.map(({ lastAt, silentMs, ...one }) => ({
    ...one,
    last_active: isoOf(lastAt),
    silent_s: secondsOf(silentMs),
  }));
  const row = ({ agent, is, silentMs, sign, page, spared }: Found): string[] => [
    agent,
    is,
    silence(silentMs),
    sign ?? '-',
    page === null ? (is === 'stale' ? (spared ?? '') : '') : PAGED[page],
  ];
  const header = ['AGENT', 'IS', 'SILENT FOR', 'LAST SIGN', ''];
  context.answer(name, data, listing(agents, 'no agent is registered', header, row));
}

/** Looks whose evidence is old; pages none. */
export async function scan(context: Context): Promise<void> {
  tellFound(context, 'tickle-scan', await ordered(context, 'scan'));
}

/** Looks, and pages the silent. */
export async function cycle(context: Context): Promise<void> {
  tellFound(context, 'tickle-cycle', await ordered(context, 'cycle'));
}

const triesText = (tried: readonly PageTry[]): string =>
  tried
    .map((one) => {
      const why = untriedWhy(one);
      return why === null ? one.method : `${one.method} (${clean(why)})`;
    })
    .join(', ');

/** 1 where no try reached the agent. */
export async function page(context: Context, word: string): Promise<number> {
  const agent = await assigneeSought(context, word);
  const done = await ordered(context, 'page', agent);
  const { paged, method, tried } = done as Pick<PageTry, 'paged' | 'method'> & { readonly tried: readonly PageTry[] };
  const by = tried.at(-1)?.by;
  const how =
    by === undefined
      ? `${clean(agent)} is paged by ${method}`
      : `nothing was typed to ${clean(agent)}: ${clean(by)}. That counts as this page`;
  const text = paged
    ? `${how}; see its answer: town tickle status`
    : `no page reaches ${clean(agent)}, and you are alerted: ${triesText(tried)}`;
  context.answer('tickle-page', done, text);
  return paged ? EXIT.done : EXIT.failed;
}

async function switched(context: Context, what: 'start' | 'stop'): Promise<void> {
  const done = await ordered(context, what);
  const { on, was_on: was } = done as { readonly on: boolean; readonly was_on: boolean };
  const text = `Tickle ${was === on ? 'already ' : ''}${on ? 'runs' : 'rests'}${was === on ? '' : ' now'}; this counts over restarts`;
  context.answer(`tickle-${what}`, done, text);
}
export const start = (context: Context): Promise<void> => switched(context, 'start');
export const stop = (context: Context): Promise<void> => switched(context, 'stop');

export async function status(context: Context): Promise<void> {
  context.existing();
  const { tickle: policy } = (await context.settings()).policy;
  const record = (await readNote(await notesOf(context), 'tickle')) ?? NO_RECORD;
  const { latch, cycle: cycles, scannedAt, why, registered, stale, unwritten } = record;
  const pages = Object.entries(record.pages).map(([agent, one]) => ({
    agent,
    step: one.step,
    method: one.method,
    tried: one.tried,
    left_s: one.step === 'waiting' ? secondsOf(one.leftMs) : null,
    cooldown_s: secondsOf(one.coolMs),
  }));
  const on = isOn(record, policy);
  const data = {
    on,
    enabled: policy.enabled,
    latch,
    cycle: cycles,
    scanned_at: isoOf(scannedAt),
    error: why,
    registered,
    stale: stale.map(({ name, lastAt, silentMs, why: not_paged }) => ({
      agent: name,
      last_active: isoOf(lastAt),
      silent_s: secondsOf(silentMs),
      not_paged,
    })),
    pages,
    unwritten: unwritten.length,
  };
  const by = latch === null ? '[tickle] enabled' : `town tickle ${on ? 'start' : 'stop'}`;
  context.answer('tickle-status', data, () => [
    `Tickle is ${on ? 'on' : 'off'}, by \`${by}\`; silence over ${span(policy.thresholdMs)} is a stall`,
    scannedAt === null
      ? 'it has not looked yet'
      : `last look ${when(scannedAt)}: ${why === null ? `${times(registered, 'agent')}, ${stale.length} silent` : `failed: ${clean(why)}`}`,
    ...stale.map(
      ({ name, silentMs, why: not }) =>
        `  ${clean(name)}: ${silence(silentMs)}${not === null ? '' : `, not paged: ${clean(not)}`}`,
    ),
    ...pages.map(
      ({ agent, step, tried }) =>
        `  ${clean(agent)} ${PAGED[step]}${tried.length === 0 ? '' : ` (${triesText(tried)})`}`,
    ),
    ...(unwritten.length === 0 ? [] : [`${times(unwritten.length, 'record')} wait for the ledger`]),
  ]);
}
