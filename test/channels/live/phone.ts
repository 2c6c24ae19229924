/** A whole town whose agent asks at once, and a phone that its questions come to. */
import { join } from 'node:path';
import { TestTown } from '../../cli/town.ts';
import { NtfyServer } from '../ntfy.ts';

const ASKING = join(import.meta.dirname, '../../fixtures/agents/asking/claude');
export const WAIT = { timeout: 90_000, interval: 100 };

const toml = (url: string, rules: string): string => `
[ntfy]
url = "${url}"
topic = "town"
reply_topic = "answers"
${rules}
`;
export const RULE = '[[may_answer]]\nfrom = "ntfy"\nkinds = ["permission"]\noptions = ["yes", "no"]\n';

export const sent = (server: NtfyServer): string[] => server.on('town').map(({ message }) => message);
export const asked = (server: NtfyServer) => server.on('town').filter(({ actions = [] }) => actions.length > 0);
export const pane = (town: TestTown): string => town.tmux('capture-pane', '-p', '-t', '=builder:');

export async function townThatAsks(rules: string, commands: string) {
  const server = await NtfyServer.start();
  const town = await new TestTown(toml(server.url, rules)).up();
  await town.agent('builder', [ASKING, 'at-once', commands]);
  return { server, town };
}
