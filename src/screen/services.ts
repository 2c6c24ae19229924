/**
 * Programs that work for several agents at once, beside them: a daemon and the tools that it runs, as packs describe
 * them. Pure. A daemon belongs to no agent's tree. Its first starter left it an environment, so neither that nor its
 * place below the starter says which agent it works for. A tool is attributed by what the daemon itself gives it: its thread
 * and its folder.
 */
import { isProgramOf, type Identity } from './agents.ts';
import { lineOf, matches } from './matching.ts';
import type { Pack } from './pack.ts';
import type { Program } from './screen.ts';

export interface Service {
  /** Whether it is one of its programs: daemon, agent or what a tool runs in. */
  readonly is: (program: Program) => boolean;
  readonly daemons: readonly RegExp[];
  readonly keepers: readonly RegExp[];
  /** What tells whose its tools are; null = nothing does, and they are left with it. */
  readonly threads: NonNullable<Pack['processes']['threads']> | null;
}

/** What a process is to a service. */
export type Role =
  /** `label`: what people call it. */
  | { readonly is: 'daemon'; readonly label: string }
  | { readonly is: 'keeper' }
  /** What a tool runs in. `dir`: where its thread is at home. */
  | { readonly is: 'wrapper'; readonly dir: string }
  /** `dir`: the folder in its command line, as written; null = its working folder. */
  | { readonly is: 'agent'; readonly dir: string | null };

/** Of those programs that have daemons. */
export const servicesOf = (identities: readonly Pick<Identity, 'processes'>[]): readonly Service[] =>
  identities
    .filter(({ processes: { daemons } }) => daemons.length > 0)
    .map(({ processes }) => ({
      is: (program) => isProgramOf(processes, program),
      daemons: processes.daemons,
      keepers: processes.keepers,
      threads: processes.threads ?? null,
    }));

/** null = none of its programs. */
export function roleIn(service: Service, program: Program): Role | null {
  if (!service.is(program)) return null;
  const { daemons, keepers, threads } = service;
  const line = lineOf(program);
  const found = daemons.map((one) => one.exec(line)).find((one) => one !== null);
  if (found !== undefined) return { is: 'daemon', label: (found[1] ?? found[0]).trim() };
  if (matches(keepers, line)) return { is: 'keeper' };
  const dir = threads === null ? null : valueAfter(program.argv, [threads.dir]);
  return dir === null
    ? { is: 'agent', dir: valueAfter(program.argv, threads?.agent_dir ?? []) }
    : { is: 'wrapper', dir };
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
