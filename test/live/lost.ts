/** A town whose records of sessions are damaged or taken away. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exits, TestTown } from '../cli/town.ts';
import type { Session } from '../cli/views.ts';

const FAST = '[sessions]\nbackoff = "100ms"\nscan_every = "100ms"\n';
export const agent = (restart: string): string =>
  `[[agents]]\nname = "c"\ncommand = ["sleep", "1000"]\nrestart = "${restart}"\n`;

export class House extends TestTown {
  override configure(toml = ''): void {
    super.configure(`${FAST}${toml}`);
  }

  damage(...names: string[]): void {
    for (const name of names)
      writeFileSync(join(this.root, 'sessions', `${name}.json`), '{"schema":"session/1","spec":');
  }

  /** What a person is told of damaged records. */
  async told(): Promise<string[]> {
    const { alerts } = await this.status();
    return alerts.filter(({ text }) => text.startsWith('sessions/')).map(({ text }) => text);
  }
}

export const isRunning = ({ state }: Session) => state === 'running';
export const start = async (house: House, name: string, ...more: string[]): Promise<Session> => {
  exits(await house.run('session', 'start', name, ...more), 0, '');
  return (await house.view(name))!;
};
