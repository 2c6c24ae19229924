/** A program in a pane of a person, whose session the town adopted: it runs the hooks that the person installed, below itself. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Incarnation } from '../../../machines/protocol.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { hooksSocket, installedHooks } from '../../../src/sources/claude-hooks.ts';
import { life } from '../../state/make.ts';
import { withServer } from '../../tmux/server.ts';
import { untilOver } from '../../world/over.ts';
import { LIFE, speaking, type Agent, type Town } from './hooked.ts';

export const SLOW = { timeout: 30_000, interval: 20 };
const processes = createProcesses();

export type Said = { readonly hook_event_name: string } & Readonly<Record<string, unknown>>;

export const commandOf = ({ settings }: Pick<Town, 'settings'>, event: string): string =>
  installedHooks(hooksSocket(settings), '0.1.0').find((hook) => hook.event === event)?.command ?? '';

/** As Claude Code runs its hooks: below itself, one after the other or at once. */
const PROGRAM = `echo $$ > pid
while :; do
  for n in *.said; do
    [ -e "$n" ] && mv "$n" "$n.taken" && { { sh "$n.sh" < "$n.taken" > "$n.out" 2>&1; echo $? > "$n.code"; } & }
  done
  sleep 0.02
done`;

export interface Pane {
  readonly claude: Agent;
  readonly life: Incarnation;
  readonly dir: string;
  /** Its program runs the installed hook; \`env\` = what stands before the command. What came of it. */
  hook(said: Said, env?: string): Promise<{ readonly code: string; readonly printed: string }>;
  /** The same of another program of its kind, which its agent runs in a shell. */
  nested(said: Said): Promise<{ readonly code: string; readonly printed: string }>;
}

/** A program in a shell of a person's pane, adopted. */
export async function adopted(it: Town, origin: Incarnation['origin'] = 'adopted'): Promise<Pane> {
  const server = untilOver(await withServer());
  const { dir } = server;
  writeFileSync(join(dir, 'claude'), PROGRAM);
  await server.tmux('new-session', '-d', '-s', 'mine', '-c', dir, 'bash', '--norc', '--noprofile');
  await server.tmux('send-keys', '-t', '=mine:', "bash -c 'exec -a claude bash claude'", 'Enter');
  const pid = (): number => (existsSync(join(dir, 'pid')) ? Number(readFileSync(join(dir, 'pid'), 'utf8')) : 0);
  await expect.poll(pid, SLOW).toBeGreaterThan(0);
  const agent = processes.proc(pid());
  if (agent === null) throw new Error('it ended at once');
  const one = { ...life('mine', LIFE), agent, origin };
  it.living.set(LIFE, one);
  const claude = speaking(it, LIFE, { pid: agent.pid, home: dir });
  claude.says('idle');
  claude.writes('user', 'push it');
  let count = 0;
  const runs = async (said: Said, script: string) => {
    count += 1;
    const name = join(dir, `${String(count)}.said`);
    writeFileSync(`${name}.sh`, script);
    writeFileSync(`${name}.new`, JSON.stringify(said));
    renameSync(`${name}.new`, name);
    await expect.poll(() => existsSync(`${name}.code`), SLOW).toBe(true);
    return { code: readFileSync(`${name}.code`, 'utf8').trim(), printed: readFileSync(`${name}.out`, 'utf8') };
  };
  return {
    claude,
    life: one,
    dir,
    hook: (said, env = '') => runs(said, env + commandOf(it, said.hook_event_name)),
    nested: (said) => {
      writeFileSync(join(dir, 'inner.sh'), `sh -c '. ./hook.sh'; exit $?\n`);
      writeFileSync(join(dir, 'hook.sh'), commandOf(it, said.hook_event_name));
      return runs(said, `bash -c 'exec -a claude bash inner.sh'`);
    },
  };
}
