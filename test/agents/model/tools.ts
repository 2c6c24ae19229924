/** Which of the tools that a program offers does what the plan wants, and the arguments that its schema asks for. */
import type { Call } from './plan.ts';

export interface Schema {
  readonly type?: string | readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: Schema | undefined;
}

export interface Tool {
  readonly name: string;
  readonly schema: Schema;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

const NAMES: Readonly<Record<Exclude<Call['tool'], 'mcp'>, readonly string[]>> = {
  bash: ['Bash', 'bash', 'run_shell_command', 'exec_command', 'shell_command', 'shell'],
  write: ['Write'],
  edit: ['Write', 'write_file', 'write', 'create', 'apply_patch'],
  todos: ['TodoWrite', 'todo_write', 'write_todos', 'todowrite', 'update_plan', 'update_todo'],
  plan: ['ExitPlanMode', 'exit_plan_mode', 'plan_exit'],
  asks: ['AskUserQuestion'],
  ask: ['AskUserQuestion', 'ask_user', 'ask_user_question', 'question', 'request_user_input'],
};
const PROGRAM = 'def parse(text):\n    return text.split()\n';
const ADDED = PROGRAM.replace(/^(?=.)/gm, '+');
const PATCH = `*** Begin Patch\n*** Add File: parser.py\n${ADDED}*** End Patch\n`;
/** For Codex, which takes a patch as a command; where it may not write, so that it asks, and where nothing is written. */
const PATCHING = `apply_patch <<'EOF'\n${PATCH.replace('parser.py', '/proc/parser.py')}EOF`;
const OPTIONS = [
  { label: 'PostgreSQL', description: 'a server' },
  { label: 'SQLite', description: 'a file' },
];
const QUESTION = 'Which database should the new service use?';

/** A tool that Claude has and names only to a model that searches for it. */
const DEFERRED: Partial<Record<Call['tool'], Tool>> = {
  plan: { name: 'ExitPlanMode', schema: { properties: { plan: {} } } },
};

/** The call that does it; null where the program offers no such tool. `dir` is the folder that the program works in. */
export function callOf(call: Call, tools: readonly Tool[], dir: string): ToolCall | null {
  if (call.tool === 'mcp') {
    // Each program puts the server's name before it in its own way.
    const tool = tools.find(({ name }) => name.endsWith(call.name));
    return tool === undefined ? null : { id: `call_${Date.now()}`, name: tool.name, args: call.args };
  }
  const named = NAMES[call.tool].flatMap((name) => tools.find((one) => one.name === name) ?? [])[0];
  const tool = named ?? (tools.some(({ name }) => name === 'ToolSearch') ? DEFERRED[call.tool] : undefined);
  if (tool === undefined) return call.tool === 'edit' ? callOf({ tool: 'bash', command: PATCHING }, tools, dir) : null;
  const words = {
    bash: bashWords,
    write: writeWords,
    edit: editWords,
    ask: askWords,
    asks: asksWords,
    todos: todosWords,
    plan: planWords,
  };
  const wanted = words[call.tool](call, dir, tool.schema);
  const known = tool.schema.properties ?? {};
  const args = Object.fromEntries(Object.entries(wanted).filter(([name]) => name in known));
  for (const name of tool.schema.required ?? []) args[name] ??= filler(known[name]);
  return { id: `call_${Date.now()}`, name: tool.name, args };
}

function bashWords(call: Call, _dir: string, schema: Schema): Record<string, unknown> {
  const text = call.tool === 'bash' ? call.command : '';
  const command = schema.properties?.['command']?.type === 'array' ? ['bash', '-lc', text] : text;
  const why = 'Build the project';
  const asks = call.tool === 'bash' && call.isPrivileged === true;
  return {
    command,
    cmd: text,
    script: text,
    description: why,
    intent: why,
    explanation: why,
    yield_time_ms: 30_000,
    ...(call.tool === 'bash' && call.isBackground === true && { run_in_background: true, is_background: true }),
    ...(asks && { sandbox_permissions: 'require_escalated', justification: 'May I build the project?' }),
  };
}

function editWords(_call: Call, dir: string): Record<string, unknown> {
  const path = `${dir}/parser.py`;
  return {
    file_path: path,
    filePath: path,
    path,
    absolute_path: path,
    content: PROGRAM,
    file_text: PROGRAM,
    contents: PROGRAM,
    input: PATCH,
    patch: PATCH,
    patchText: PATCH,
  };
}

const writeWords = (call: Call): Record<string, unknown> =>
  call.tool === 'write' ? { file_path: call.path, content: PLAN } : {};

const STEPS = ['Read the parser', 'Write its tests', 'Split it in two'];

/** A step under each of its names; one that wants a text gets a list with boxes. */
function todosWords(_call: Call, _dir: string, schema: Schema): Record<string, unknown> {
  const steps = STEPS.map((content, at) => ({
    id: String(at + 1),
    content,
    description: content,
    step: content,
    activeForm: content,
    priority: 'high',
    status: ['completed', 'in_progress', 'pending'][at],
  }));
  const listed = (name: string) => {
    const known = schema.properties?.[name]?.items?.properties;
    if (known === undefined) return STEPS.map((step) => `- [ ] ${step}`).join('\n');
    return steps.map((step) => Object.fromEntries(Object.entries(step).filter(([key]) => key in known)));
  };
  return { subject: STEPS[0], description: STEPS[0], todos: listed('todos'), plan: listed('plan') };
}

const PLAN = `# Split the parser\n\n${STEPS.map((step) => `- ${step}\n`).join('')}`;

function planWords(_call: Call, dir: string): Record<string, unknown> {
  const plan = PLAN;
  return { plan, summary: plan, plan_path: `${dir}/plan.md`, plan_filename: 'plan.md' };
}

function askWords(_call: Call, _dir: string, schema: Schema): Record<string, unknown> {
  const item = schema.properties?.['questions']?.items?.properties ?? {};
  const one = { question: QUESTION, header: 'Database', multiSelect: false, options: OPTIONS };
  const typed = { ...one, ...('type' in item && { type: 'choice' }), ...('id' in item && { id: 'db' }) };
  const choices = OPTIONS.map(({ label }) => label);
  const database = { type: 'string', title: 'Database', enum: choices };
  const requestedSchema = { type: 'object', properties: { database }, required: ['database'] };
  return { questions: [typed], question: QUESTION, message: QUESTION, choices, options: OPTIONS, requestedSchema };
}

/** A second question, which takes several options. */
function asksWords(call: Call, dir: string, schema: Schema): Record<string, unknown> {
  const { questions } = askWords(call, dir, schema) as { questions: object[] };
  const trees = [
    { label: 'Plum', description: 'blue' },
    { label: 'Quince', description: 'yellow' },
  ];
  return {
    questions: [
      ...questions,
      { question: 'Which trees shall stay?', header: 'Trees', multiSelect: true, options: trees },
    ],
  };
}

/** The same wish in a program that has no tools and reads its model's text: a block to run, a block to write. */
export function inText(call: Call): string {
  if (call.tool === 'bash') return `I suggest this:\n\n\`\`\`bash\n${call.command}\n\`\`\`\n`;
  if (call.tool === 'edit')
    return `\n\nparser.py\n\`\`\`python\n<<<<<<< SEARCH\n=======\n${PROGRAM}>>>>>>> REPLACE\n\`\`\`\n`;
  return call.tool === 'mcp' ? `I call ${call.name}.` : `${QUESTION} PostgreSQL or SQLite?`;
}

const filler = (schema: Schema | undefined): unknown =>
  schema?.type === 'boolean' ? false : schema?.type === 'number' || schema?.type === 'integer' ? 10 : 'x';
