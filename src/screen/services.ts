/**
 * Programs that work for several agents at once, beside them: a daemon and the tools that it runs. Pure data and its reading.
 * A daemon is nobody's tree. Whoever started it first left it their environment, so neither that nor its place below them
 * says for whom it works; of a tool it is said by what the daemon itself gives it: the thread it belongs to, and its folder.
 */
import { namesOf } from './agents.ts';
import type { Program } from './screen.ts';

export interface Service {
  /** What its programs are called, daemon, agents and tools alike. */
  readonly names: readonly string[];
  /** Command lines of daemons; group 1 is what people call them. */
  readonly daemons: RegExp;
  /** Command lines of what only keeps a daemon alive: spared too, but nobody's work goes on in it. */
  readonly keepers: RegExp;
  /** The variable that a daemon gives to each tool: its value names the thread that the tool works for. */
  readonly thread: string;
  /** Variables that say which daemon an agent uses, the first that is set. */
  readonly home: readonly string[];
  /** The option of a tool's wrapper that says in which folder its thread is at home. */
  readonly toolDir: string;
  /** Options of an agent that say so of its own, where it is not its working folder. */
  readonly agentDir: readonly string[];
}

/** As seen with Codex 0.169. */
const CODEX: Service = {
  names: ['codex'],
  daemons: /(?:^|\/)(codex(?:\.js)? app-server)\b.* --listen (?:unix|wss?):/,
  keepers: /(?:^|\/)codex(?:\.js)? app-server daemon\b/,
  thread: 'CODEX_THREAD_ID',
  home: ['CODEX_HOME', 'HOME'],
  toolDir: '--sandbox-policy-cwd',
  agentDir: ['-C', '--cd'],
};

export const SERVICES: readonly Service[] = [CODEX];

/** What a process is to a service. */
export type Role =
  /** `label`: what people call it. */
  | { readonly is: 'daemon'; readonly label: string }
  | { readonly is: 'keeper' }
  /** What a tool runs in. `dir`: where its thread is at home. */
  | { readonly is: 'wrapper'; readonly dir: string }
  /** `dir`: where it was told to be at home, as it was written; null = in its working folder. */
  | { readonly is: 'agent'; readonly dir: string | null };

/** null = none of its programs. */
export function roleIn(service: Service, program: Program): Role | null {
  if (!service.names.some((name) => namesOf(program).includes(name))) return null;
  const line = program.argv.join(' ');
  const label = service.daemons.exec(line)?.[1];
  if (label !== undefined) return { is: 'daemon', label };
  if (service.keepers.test(line)) return { is: 'keeper' };
  const dir = valueAfter(program.argv, [service.toolDir]);
  return dir === null ? { is: 'agent', dir: valueAfter(program.argv, service.agentDir) } : { is: 'wrapper', dir };
}

/** Whether it works for several agents, or keeps what does. */
export const isShared = (services: readonly Service[], program: Program): boolean =>
  services.some((service) => ['daemon', 'keeper'].includes(roleIn(service, program)?.is ?? ''));

/** `--cd dir`, `--cd=dir`, `-C dir` or `-Cdir`; the last one counts. */
function valueAfter(argv: readonly string[], options: readonly string[]): string | null {
  const values = argv.flatMap((word, at) => {
    if (options.includes(word)) return argv[at + 1] ?? [];
    const option = options.find((one) => word.startsWith(one.startsWith('--') ? `${one}=` : one));
    return option === undefined ? [] : word.slice(option.length).replace(/^=/, '');
  });
  return values.at(-1) ?? null;
}
