/**
 * Tells what the town did, one line each: states as they were saved, orders as they went out with what came of them.
 * The same look, or the same question that cannot be typed, again and again is one line. Housekeeping (reading folders, scans, checkpoints) is left out.
 */
import type { Dance, Order, OutcomeBody, SavedRecord, SessionRecord } from '../../machines/protocol.ts';
import { isHealthCheck } from '../../machines/watchdog/health-rules.ts';
import type { Answer } from '../world/hands.ts';
import type { Step } from '../../src/town/actor-tree.ts';

const pids = (procs: readonly { pid: number }[]): string => procs.map((p) => p.pid).join(', ') || 'none';
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
/** `7:02.125` since the story began. */
const clock = (sinceMs: number): string => {
  const ms = Math.max(0, sinceMs); // what a town does while it opens comes before the story's own time
  const rest = ms % 60_000;
  return `${Math.floor(ms / 60_000)}:${(rest / 1_000).toFixed(3).padStart(6, '0')}`;
};
const bodyOf = (answer: Answer): OutcomeBody | null =>
  answer === null ? null : 'after' in answer ? answer.body : answer;
const failure = (outcome: OutcomeBody | null): string =>
  outcome?.type === 'ORDER_FAILED' ? `, which failed: ${outcome.why}` : '';

interface Again {
  readonly verb: string;
  readonly rest: string;
  readonly since: number;
  count: number;
}

export class Teller {
  #lines: { readonly now: number; readonly text: string }[] = [];
  readonly #names = new Map<string, string>();
  readonly #told = new Map<string, string>();
  /** Alerts that the story told, and no end of them. */
  readonly #begun = new Set<string>();
  readonly #agains = new Map<string, Again>();
  #since: number | null = null;

  /** Lines since they were taken last. */
  take(): string[] {
    for (const who of this.#agains.keys()) this.#endAgain(who);
    const lines = this.#lines.sort((a, b) => a.now - b.now); // stable: looks are told last, but began before
    this.#lines = [];
    const told = lines.map(({ now, text }) => `    ${clock(now - (this.#since ?? now))}  ${text}`);
    const times = Map.groupBy(told, (line) => line);
    return [...times].map(([line, same]) => (same.length > 1 ? `${line} (${same.length} times)` : line));
  }

  /** Time counts from here. */
  begin(now: number): void {
    this.#since ??= now;
  }

  /** Lines that a person asked for. */
  shown(lines: readonly string[], now: number): void {
    for (const line of lines) this.#say(now, line);
  }

  step({ records }: Step, now: number): void {
    const alike = new Map<string, string[]>();
    for (const record of records) {
      if (record.kind === 'note') {
        this.#triage(record, now);
        continue;
      }
      const text = this.#stateOf(record);
      if (text === null) continue;
      alike.set(text, [...(alike.get(text) ?? []), record.kind === 'dance' ? this.#nameOf(record.id) : record.id]);
    }
    for (const [text, names] of alike) {
      for (const name of names) this.#endAgain(name);
      this.#say(now, `${names.join(', ')} ${names.length > 1 ? 'are' : 'is'} ${text}`);
    }
  }

  order(order: Order, answer: Answer, now: number): void {
    const outcome = bodyOf(answer);
    const dog = this.#dogOf(order);
    if (order.type === 'look' && outcome?.type === 'LOOKED')
      return this.#again(dog, 'looks', `at ${order.target.session}: ${observationText(outcome)}`, now);
    if (order.type === 'ask' && outcome?.type === 'NOT_ASKED')
      return this.#again(dog, 'tries', `to ask ${questionText(order)}: ${outcome.obstacle.kind}`, now);
    const text = this.#textOf(order, outcome);
    if (text === null) return;
    this.#endAgain(dog);
    this.#say(now, `${dog} ${text}`);
  }

  #say(now: number, text: string): void {
    this.#lines.push({ now, text: text.replace(/dog-\d+/g, (id) => this.#nameOf(id)) });
  }

  #nameOf(dance: string): string {
    const known = this.#names.get(dance) ?? `dog ${this.#names.size + 1}`;
    this.#names.set(dance, known);
    return known;
  }

  #dogOf({ id }: Order): string {
    const { dance } = id;
    return dance === undefined ? 'the town' : this.#nameOf(dance);
  }

  /** Boot's decision, told when it is another than the last. */
  #triage(record: SavedRecord & { kind: 'note' }, now: number): void {
    if (record.id !== 'bootStatus' || record.value === null) return;
    const { action, reason, result } = record.value;
    const text = `Boot decides ${action}: ${reason}; ${result}`;
    if (this.#told.get(record.id) !== text) this.#say(now, text);
    this.#told.set(record.id, text);
  }

  /** What a record newly says; null = nothing that a story tells. */
  #stateOf(record: SavedRecord): string | null {
    const text = recordText(record);
    if (text === null || this.#told.get(record.id) === text) return null;
    this.#told.set(record.id, text);
    return text;
  }

  /** Something that is done again and again with the same result; told when it ends. */
  #again(dog: string, verb: string, rest: string, now: number): void {
    const again = this.#agains.get(dog);
    if (again?.verb === verb && again.rest === rest) {
      again.count += 1;
      return;
    }
    this.#endAgain(dog);
    this.#agains.set(dog, { verb, rest, since: now, count: 1 });
  }

  #endAgain(dog: string): void {
    const again = this.#agains.get(dog);
    if (!again) return;
    this.#agains.delete(dog);
    const { since, verb, count, rest } = again;
    this.#say(since, `${dog} ${verb} ${count === 1 ? '' : `${count} times `}${rest}`);
  }

  #textOf(order: Order, outcome: OutcomeBody | null): string | null {
    switch (order.type) {
      case 'ask':
        return `asks ${questionText(order)}`;
      case 'listTree':
        return `lists ${order.target.session}${outcome?.type === 'TREE_LISTED' ? `: ${pids(outcome.tree)}` : failure(outcome)}`;
      case 'rescue':
        return `saves the work of ${order.target.session}${failure(outcome)}`;
      case 'signal': {
        const left = outcome?.type === 'SIGNALLED' ? outcome : { alive: [], newcomers: [] };
        const grew = left.newcomers.length > 0 ? `; new: ${pids(left.newcomers)}` : '';
        return `sends ${order.signal} to ${pids(order.tree)}; still there: ${pids(left.alive)}${grew}${failure(outcome)}`;
      }
      case 'clear':
        return `clears ${order.target.session}${failure(outcome)}`;
      case 'sendVerdict':
        return `tells ${order.dance.warrants.map((w) => w.requester).join(', ')}: ${order.dance.verdict ?? 'nothing'}`;
      case 'alert':
        this.#begun.add(order.alert.episode);
        return `ALERTS (${order.alert.severity}): ${order.alert.text}`;
      case 'endAlert':
        return this.#begun.delete(order.episode) ? `ends the alert ${order.episode}: ${order.text}` : null;
      case 'mail':
        return `writes to ${order.to}: ${order.subject}`;
      case 'reply':
        return `answers: ${order.reply.ok ? 'done' : order.reply.text}`;
      case 'nudge':
        return `types to ${order.target.session}: ${order.text}${outcome?.type === 'NUDGED' ? '' : ', which does not get through'}`;
      case 'fileWarrant':
        return `files a warrant by ${order.warrant.requester} against ${order.warrant.target.session}: ${order.warrant.reason}`;
      case 'announce':
        return order.news.type === 'SESSION_WANTED' ? `wants ${order.news.spec.name} to run (${order.news.why})` : null;
      case 'startSession':
        return `starts ${order.spec.name}${failure(outcome)}`;
      default:
        return null;
    }
  }
}

const questionText = ({ id, lines, target }: Order & { type: 'ask' }): string =>
  isHealthCheck({ id })
    ? `${target.session} for a sign of life`
    : `${lines[3]?.replace('Attempt: ', '') ?? ''}, ${/within \d+s/.exec(lines[0] ?? '')?.[0] ?? ''}`;

function observationText(outcome: OutcomeBody & { type: 'LOOKED' }): string {
  const { observation } = outcome as { observation?: typeof outcome.observation };
  if (observation === undefined) return 'nonsense';
  return 'paneStays' in observation
    ? observation.paneStays
      ? 'gone, its pane is left'
      : 'gone, pane and all'
    : observation.kind;
}

/** What a record says in one line; null = its kind is no part of the stories. */
function recordText(record: SavedRecord): string | null {
  if (record.kind === 'dance') return danceText(record.value);
  return record.kind === 'session' ? sessionText(record.value) : null;
}

function danceText(dance: Dance): string {
  if (dance.stage === 'closed') return `closed: ${dance.verdict ?? 'no verdict'}, ${dance.reason}`;
  if (dance.stage === 'executing.killing')
    return `${dance.stage}, round ${dance.rounds}, intent: ${pids(dance.tree ?? [])}`;
  const stage = dance.stage === 'interrogating.retrying' ? 'interrogating.asking' : dance.stage; // to and fro
  const asked = stage.startsWith('interrogating') || stage === 'evaluating';
  const crashes = dance.crashes > 0 ? `, restarted after crash ${dance.crashes}` : '';
  return `${stage}${asked ? ` ${dance.attempt}/${dance.attempts.length}` : ''}${crashes}`;
}

function sessionText({ state, note, waitMs }: SessionRecord): string {
  return state === 'backing_off' ? `backing_off for ${seconds(waitMs)}: ${note}` : `${state}: ${note}`;
}
