/** Two towns that are configured to one tmux socket. */
import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { TestTown } from '../cli/town.ts';
import type { Status } from '../cli/views.ts';

export class House extends TestTown {
  /** What stands beside the socket. */
  beside(): string[] {
    return readdirSync(this.home).filter((name) => name.startsWith('tmux'));
  }
}

/** Two towns that are configured to one socket, which no server listens on. */
export function two(): [House, House] {
  const [one, other] = [new House(), new House()];
  other.configure('', one.socket);
  return [one, other];
}

export const up = async (house: House): Promise<Status> => {
  expect(await house.run('up')).toMatchObject({ code: 0, stderr: '' });
  return house.status();
};
