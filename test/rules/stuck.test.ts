import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { tempFolder } from '../world/over.ts';

const ROOT = join(import.meta.dirname, '../..');

it('a run whose test never gives its process back is ended, and its file is named', { timeout: 120_000 }, async () => {
  const folder = tempFolder('stuck');
  writeFileSync(
    join(folder, 'stuck.test.ts'),
    `import { test } from 'vitest';\ntest('waits', () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });\n`,
  );
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `export default { test: { globals: true, reporters: [[${JSON.stringify(join(ROOT, 'scripts/stuck.ts'))}, { silenceMs: 3000 }]] } };\n`,
  );
  const { exitCode, stderr } = await execa('vitest', ['run', '--root', folder], {
    cwd: ROOT,
    preferLocal: true,
    reject: false,
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('No test began or ended for 3 seconds. These run:\n  stuck.test.ts\n');
});
