/** A whole town: a program that says what it asks is answered by a rule of town.toml, and only what the rule fits. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestTown, until } from '../../cli/town.ts';
import type { Ask } from '../../../src/cli/commands/ask.ts';

const OPENCODE = join(import.meta.dirname, '../../sources/programs/opencode.ts');
const RULE = `[[asks.rule]]\nagent = "builder"\npattern = 'tool: bash\\nnpm test'\noption = "yes"\nper_day = 2\n`;
const SESSION = 'ses_root';
const permission = (id: string, command: string) => ({
  id,
  sessionID: SESSION,
  permission: 'bash',
  patterns: [command],
  metadata: { command },
  always: ['npm *'],
});

// Rules: A-3.
test('a rule answers the question that it fits, by its id; a question without a rule waits for its person', async () => {
  const town = await new TestTown(RULE).up();
  const file = join(town.home, 'answers');
  const asks = (...open: object[]): void =>
    writeFileSync(
      file,
      JSON.stringify({
        '/session/status': { [SESSION]: { type: 'busy' } },
        [`/session/${SESSION}`]: { id: SESSION },
        '/permission': open,
        '/question': [],
      }),
    );
  const posted = (): string[] =>
    existsSync(`${file}.posted`) ? readFileSync(`${file}.posted`, 'utf8').trim().split('\n') : [];
  asks();
  const program = join(town.home, 'opencode');
  writeFileSync(
    program,
    `#!/bin/bash\nexport OPENCODE_SERVER_PASSWORD=secret\nexec -a opencode ${process.execPath} ${OPENCODE} ${file} --port 0\n`,
  );
  chmodSync(program, 0o755);
  await town.agent('builder', [program]);
  asks(permission('per_1', 'npm test'));
  await until(() => posted().length === 1);
  expect(posted()).toEqual([`/permission/per_1/reply {"reply":"once"}`]);
  asks(permission('per_2', 'npm test; rm -rf /'));
  const [ask] = await until(
    () => town.data<Ask[]>('ask', 'list'),
    (all) => all.some(({ way }) => way === 'request'),
  );
  expect(ask).toMatchObject({ session: 'builder', way: 'request', rule: null });
  expect(posted()).toHaveLength(1);
  // Its budget: two a day.
  for (const id of ['per_3', 'per_4']) {
    asks(permission(id, 'npm test'));
    await until(async () =>
      id === 'per_3' ? posted().length === 2 : (await town.data<Ask[]>('ask', 'list')).length === 1,
    );
  }
  expect(await town.data<Ask[]>('ask', 'list')).toMatchObject([{ rule: null }]);
  const why = 'left to you: rule 1 of town.toml: its answers of 24 hours are given (2)';
  expect((await town.run('questions')).stdout).toContain(why);
  expect(posted()).toHaveLength(2);
  expect((await town.run('timeline')).stdout).toMatch(/rule 1 of town.toml/);
}, 180_000);
