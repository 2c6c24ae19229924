/** A machine that goes down ends agents, town and tmux by SIGTERM within seconds, in any order; an agent that ends cleanly then is wanted again. */
import { expect, test } from 'vitest';
import { killHard, TestTown, until } from '../cli/town.ts';
import type { Session } from '../cli/views.ts';

const config = (confirmEnd: string): string =>
  `[sessions]\nbackoff = "100ms"\nscan_every = "200ms"\nconfirm_end = "${confirmEnd}"\n`;
const POLITE = ['sh', '-c', 'trap "exit 0" TERM HUP; while :; do sleep 0.1; done'];
const isUp = ({ state, alive }: Session): boolean => state === 'running' && alive === true;

class Machine extends TestTown {
  async starts(...names: readonly string[]): Promise<this> {
    await this.up();
    for (const name of names) await this.agent(name, POLITE, '--restart', 'transient');
    return this;
  }

  endAgent(name: string): void {
    process.kill(this.record(name)!.incarnation!.agent.pid, 'SIGTERM');
  }

  /** By their own end, as a shutdown ends them. */
  async endTown(): Promise<void> {
    const { pid, guard_pid: guard } = await this.status();
    for (const one of [guard!, pid]) process.kill(one, 'SIGTERM');
    await until(async () => (await this.run('status')).code === 3);
  }

  endServer(): void {
    // Without a session it ended with the town's own client already.
    const pid = Number(this.tmux('display-message', '-p', '#{pid}'));
    if (pid > 1) killHard(pid);
  }
}

// Rules: C-6.
test('the agent ends first, and the town sees it: it is started again after the boot', async () => {
  const machine = await new Machine(config('1h')).starts('builder');
  machine.endAgent('builder');
  await until(() => machine.record('builder')?.state === 'ended');
  await machine.endTown();
  machine.endServer();
  await machine.up();
  await machine.viewed('builder', isUp);
});

// Rules: C-6.
test('the town ends first: what ended cleanly meanwhile is started again after the boot', async () => {
  const machine = await new Machine(config('1h')).starts('builder');
  const { uuid } = machine.record('builder')!.incarnation!;
  await machine.endTown();
  machine.endAgent('builder');
  const { paneId } = machine.record('builder')!.incarnation!;
  const isNoted = new RegExp(` ${paneId} s0 `);
  await until(() => {
    // tmux 3.3a may miss the end of a child until another ends; a town that runs gives it one for that.
    machine.tmux('run-shell', 'true');
    return isNoted.test(machine.read('daemon/deaths.log'));
  });
  machine.endServer();
  await machine.up();
  await machine.viewed('builder', (view) => isUp(view) && view.uuid !== uuid);
});

// Rules: C-6.
test('a clean end on a machine that stays up is a wish, also where the town is restarted at once', async () => {
  const machine = await new Machine(config('15s')).starts('builder', 'other');
  machine.endAgent('builder');
  await until(() => machine.record('builder')?.state === 'ended');
  expect((await machine.run('restart')).code).toBe(0);
  await machine.viewed('other', isUp);
  await until(() => machine.record('builder')?.endUnconfirmed === undefined);
  await machine.endTown();
  machine.endServer();
  await machine.up();
  await machine.viewed('other', isUp);
  expect(machine.record('builder')).toMatchObject({ state: 'ended', note: 'ended with exit code 0' });
});
