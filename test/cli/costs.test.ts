/** `town costs` of a running town (M-12): a process that stands for Claude Code, with a session file and a transcript as it writes them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { transcriptFile } from '../../src/sources/claude-transcript.ts';
import { TRANSCRIPT } from '../costs/lines.ts';
import type { CostsPage } from '../../src/cli/commands/costs.ts';
import { TestTown, until } from './town.ts';

const ID = '83e007c0-2e57-458e-912f-25304f75f9d8';

/** Writes what Claude Code 2.1 writes for a process of the town. */
function write(config: string, cwd: string, pid: number): void {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const session = { pid, sessionId: ID, cwd, procStart, version: '2.1.330', kind: 'interactive', status: 'idle' };
  const file = transcriptFile({ config, cwd, id: ID });
  for (const folder of [join(config, 'sessions'), dirname(file)]) mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${TRANSCRIPT.join('\n')}\n`);
  writeFileSync(join(config, 'sessions', `${pid}.json`), JSON.stringify(session));
}

// Rules: M-12.
test('shows what each conversation took, the sum, and what the town called itself', async () => {
  const town = new TestTown();
  await town.data('up');
  const config = join(town.home, '.claude');
  await town.data('session', 'start', 'builder', '--dir', town.home, '--', 'bash', '-c', 'exec -a claude sleep 300');
  await town.data('session', 'start', 'shell', '--dir', town.home, '--', 'sleep', '300');
  const pid = await until(() => town.life('builder')?.agent.pid ?? 0);
  write(config, town.home, pid);
  const isKnown = async (): Promise<CostsPage | undefined> => {
    const page = await town.data<CostsPage>('costs');
    return page.unknown === 1 ? page : undefined;
  };
  const page = await until(isKnown);
  expect(page).toMatchObject({
    conversations: [
      { session: 'builder', program: 'claude', conversation: ID, tokens: { input: 1_208, cached: 1_005, output: 147 } },
      { session: 'shell', program: null, tokens: null },
    ],
    sum: { input: 1_208, cached: 1_005, output: 147, cost: null },
    model_calls: 0,
  });
  const { stdout } = await town.run('costs', 'builder');
  expect(stdout).toMatch(/^builder +claude +1\.2k +1\.0k +147 +- /m);
  expect(stdout).toMatch(/^sum: 1\.2k input, 1\.0k from the cache, 147 output$/m);
  expect(stdout).toContain('0 model calls by the town');
  expect((await town.run('costs', 'shell')).stdout).toMatch(/^shell +- +- +- +- +- +- +-$/m);
  const none = await town.data<CostsPage>('costs', '--since', '1s');
  expect(none.sum).toMatchObject({ input: 0, output: 0 });
  expect((await town.run('session', 'status', 'builder')).stdout).toMatch(/^tokens +1\.2k input, .*since /m);
  expect((await town.run('report', '--since', '9999d')).stdout).toMatch(
    /^tokens: 1\.2k input, .* by 1 of 2 conversations$/m,
  );
  expect((await town.run('costs', '--since', 'yesterday')).code).toBe(2);
  await town.run('down');
  expect((await town.run('costs')).code).toBe(3);
});
