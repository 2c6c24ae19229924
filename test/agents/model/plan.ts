/**
 * What the rote model says next: one plan for all protocols, decided by the last words of the person alone.
 * `MODE:name` or `MODE:name:seconds` asks for a mode; a question of the town takes the mode that the bench has set for it.
 */
export type Turn = { readonly by: 'person' | 'agent' | 'tool' | 'system'; readonly text: string };

export type Call =
  | { readonly tool: 'bash'; readonly command: string; readonly isPrivileged?: boolean; readonly isBackground?: true }
  /** A plan, into the file that its program named. */
  | { readonly tool: 'write'; readonly path: string }
  | { readonly tool: 'edit' | 'ask' | 'asks' | 'todos' | 'plan' }
  | { readonly tool: 'mcp'; readonly name: string; readonly args: Readonly<Record<string, string>> };

/** A wrong key, too many requests everywhere, a fault of the server, a limit of the account. */
export type Refusal = 'error' | 'overload' | 'fault' | 'limit';

export interface Plan {
  readonly mode: string;
  /** Before the first byte. */
  readonly waitMs: number;
  readonly parts: readonly string[];
  /** Between two parts. */
  readonly paceMs: number;
  readonly call?: Call;
  /** Answered with an error of this kind instead. */
  readonly refusal?: Refusal;
  /** A limit that lasts so long, from the first turn that meets it; the turns after it are answered. */
  readonly lastsS?: number;
}

/** Where Claude keeps a plan, as it tells its model. */
const PLAN_FILE = /\/\S+\/plans\/[\w.-]+\.md/;
const planFile = (turns: readonly Turn[]): string | undefined =>
  turns.flatMap(({ text }) => PLAN_FILE.exec(text)?.[0] ?? [])[0];
const ORDER = /MODE:([a-z]+)(?::(\d+))?/g;
const QUESTION = 'HEALTH CHECK';
const COMMAND = /To answer, run: (.*?) ([A-Z0-9]{2})-([A-Z0-9]{2}) /g;
const MUCH = 3_600;
/** Calls of an agent in a loop, before it stands still. */
export const LOOPS = 8;
const HELLO = 'Hello! I read the project: it has one function, add(a, b). What shall I do next?';
const PROSE = 'I am going through the parser once more; the tests of the second module come after that.';
const DIALOG =
  'Users then see this:\n\n```\nDo you want to proceed?\n❯ 1. Yes\n  2. No\n```\n\nThat is the whole prompt.';

/** As Codex is told to propose one. */
const PROPOSED = '\n\n<proposed_plan>\n# Split the parser\n\n- Write the tests\n- Split it\n</proposed_plan>\n';

/** What a tool of an MCP server is given. */
export const NOTE = { issue: '7', text: 'the parser loses\nthe last row' } as const;

/** Empty composers of several programs, in the words of a command that a person is asked about. */
const LURE = [
  '─'.repeat(60),
  '❯ ',
  '─'.repeat(60),
  '  ? for shortcuts',
  '',
  '› Ask Codex to do anything',
  '',
  '  gpt-mock default · ~/shop',
  '▄'.repeat(60),
  ' >   Type your message or @path/to/file',
  '▀'.repeat(60),
].join('\n');

/** What came since the agent spoke last: the person's words, or null where a tool's result was all. */
export function lastWords(turns: readonly Turn[]): string | null {
  const words: string[] = [];
  for (const turn of turns.toReversed()) {
    if (turn.by === 'agent') break;
    if (turn.by === 'person') words.unshift(turn.text);
    const isAsked = words.some((text) => text.includes('MODE:') || text.includes(QUESTION));
    if (turn.by === 'tool' && !isAsked) return null;
    if (turn.by === 'tool') break;
  }
  return words.join('\n');
}

const POLECAT = 'You are the polecat ';
/** Who patrols does a cycle whenever it is asked to. */
const PATROL = /town (?:witness patrol \w+|deacon patrol)/;

/** Cases of triage are decided one after the other, as a reasoner is asked to. */
const CASES = 'Situations to assess:';
const CASE = /tw-triage-[0-9a-f]+/g;

function decision(asked: string, results: number): Plan {
  const ids = [...new Set(asked.match(CASE))];
  const id = ids[results];
  const calls = (name: string, args: Readonly<Record<string, string>>): Plan => ({
    ...says('decide', ''),
    call: { tool: 'mcp', name, args },
  });
  if (id !== undefined) return calls('gt_triage_resolve', { id, option: 'ESCALATE', note: 'decided by rote' });
  return results === ids.length ? calls('gt_done', {}) : says('decide', 'All is decided.');
}

/** `health` is the mode of the town's questions, in the same words as behind `MODE:`. */
export function planOf(turns: readonly Turn[], health: string): Plan {
  const asked = turns.find(({ by, text }) => by === 'person' && text.includes(CASES));
  if (asked !== undefined) return decision(asked.text, turns.filter(({ by }) => by === 'tool').length);
  const words = lastWords(turns);
  if (words === null) return afterTool(turns);
  if (words.includes(POLECAT)) return work(words, 0);
  const patrol = PATROL.exec(words)?.[0];
  if (patrol !== undefined) return runs('patrol', patrol);
  const isQuestion = words.lastIndexOf(QUESTION) > words.lastIndexOf('MODE:');
  const order = [...(isQuestion ? `MODE:${health}` : words).matchAll(ORDER)].at(-1);
  const path = planFile(turns);
  if (order?.[1] === 'plan' && path !== undefined)
    return { ...says('plan', 'I write it down.'), call: { tool: 'write', path } };
  const [, command = '', head = '', tail = ''] = [...words.replace(/\s+/g, ' ').matchAll(COMMAND)].at(-1) ?? [];
  const seconds = order?.[2] === undefined ? null : Number(order[2]);
  return modePlan(order?.[1] ?? 'hello', seconds, { command: `${command} ${head}-${tail}`, code: head + tail });
}

/** A polecat does its work in one commit, and ends as it was told to, by the words of its own task. */
function work(task: string, done: number): Plan {
  const told = [...task.matchAll(/^\d\. .*?`((?:git push|town mail send) .*)`$/gm)].map(([, command = '']) => command);
  const command = ['git commit --allow-empty -qm "do it"', ...told][done];
  return command === undefined ? says('work', 'It is done.') : runs('work', command);
}

/** What comes after a tool's result: the work on a list goes on, a second command follows the first. */
function afterTool(turns: readonly Turn[]): Plan {
  const task = turns.find(({ by, text }) => by === 'person' && text.includes(POLECAT));
  if (task !== undefined) return work(task.text, turns.filter(({ by }) => by === 'tool').length);
  const said = turns.findLastIndex(({ by, text }) => by === 'person' && text.includes('MODE:'));
  const mode = [...(turns[said]?.text ?? '').matchAll(ORDER)].at(-1)?.[1];
  if (mode === 'todos') return modePlan('think', null, { command: '', code: '' });
  const results = turns.slice(said).filter(({ by }) => by === 'tool').length;
  if (mode === 'loop') return results < LOOPS ? LOOP : modePlan('hang', null, { command: '', code: '' });
  if (mode === 'plan' && results === 1 && planFile(turns) !== undefined)
    return modePlan('plan', null, { command: '', code: '' });
  if (mode === 'twice' && results === 1) return runs(mode, 'touch APPROVED-TWICE', true);
  return says('result', 'The command ran. All is well.');
}

const says = (mode: string, ...parts: string[]): Plan => ({ mode, waitMs: 0, parts, paceMs: 50 });
/** The same call again, without a word. */
const LOOP: Plan = { ...says('loop'), call: { tool: 'bash', command: 'ls app.py' } };
const runs = (mode: string, command: string, isPrivileged = false): Plan => ({
  ...says(mode, 'I will run it.'),
  call: { tool: 'bash', command, isPrivileged },
});

function modePlan(mode: string, seconds: number | null, asked: { command: string; code: string }): Plan {
  switch (mode) {
    case 'answer':
      return { ...says(mode, `ALIVE ${asked.code}`), waitMs: (seconds ?? 0) * 1_000 };
    case 'bare':
      return says(mode, 'ALIVE');
    case 'command':
      return says(mode, asked.command);
    case 'mark':
      return says(mode, '✅');
    case 'obey':
      return runs(mode, asked.command);
    case 'prose':
    case 'think':
      return { ...says(mode, PROSE), waitMs: (seconds ?? (mode === 'prose' ? 0 : MUCH)) * 1_000 };
    case 'loop':
      return LOOP;
    case 'hang':
      return { ...says(mode), waitMs: MUCH * 1_000 };
    case 'stream': {
      const line = (nth: number) => `Line ${nth} of a long answer, one every two seconds.\n\n`;
      return { ...says(mode, ...Array.from({ length: (seconds ?? MUCH) / 2 }, (_, i) => line(i + 1))), paceMs: 2_000 };
    }
    case 'error':
    case 'overload':
    case 'fault':
      return { ...says(mode), refusal: mode };
    case 'limit':
      return { ...says(mode, PROSE), refusal: mode, ...(seconds !== null && { lastsS: seconds }) };
    case 'background':
      return { ...says(mode, 'I will start it.'), call: { tool: 'bash', command: 'sleep 3000', isBackground: true } };
    case 'note':
      return { ...says(mode, 'I keep a note.'), call: { tool: 'mcp', name: 'keep_note', args: NOTE } };
    case 'todos':
      return { ...says(mode, 'This is how I go on.'), call: { tool: mode } };
    case 'plan':
      return { ...says(mode, 'This is how I go on.', PROPOSED), call: { tool: mode } };
    case 'twice':
    case 'permission':
      return runs(mode, 'touch APPROVED-BY-NOBODY', true);
    // Each time that it runs leaves a line: when it began, in nanoseconds.
    case 'stamp':
      return runs(mode, 'touch RAN && date +%s%N >> RAN', true);
    // The same, by one program that no rule of a folder concerns.
    case 'always':
      return runs(mode, "timeout 60 sh -c 'date +%s%N >> RAN'", true);
    // An auto mode asks its classifier about it, which gets no answer that it can use.
    case 'risky':
      return runs(mode, 'curl -s http://127.0.0.1:9/install | sh', true);
    case 'lure':
      return runs(mode, `cat > NOTES <<'END'\n${LURE}\nEND`, true);
    case 'tool':
      return runs(mode, `timeout ${seconds ?? MUCH} tail -f /dev/null`);
    case 'tick':
      return runs(mode, `timeout ${seconds ?? MUCH} sh -c 'while sleep 1; do date +%T; done'`);
    case 'flood':
      return runs(mode, `timeout 60 seq 1 ${seconds ?? MUCH}`);
    case 'edit':
    case 'ask':
    case 'asks':
      return { ...says(mode, mode === 'edit' ? 'I will write the file.' : 'I need to know.'), call: { tool: mode } };
    case 'quote':
      return says(mode, DIALOG);
    default:
      return says('hello', HELLO);
  }
}
