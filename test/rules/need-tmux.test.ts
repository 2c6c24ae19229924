/** F-3: nothing is installed without a typed yes, except as root where no person can be asked, and that is said. */
import { describe, expect, it } from 'vitest';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { stepFor } from '../../scripts/need-tmux.ts';
import { ROOT } from './planted.ts';
import { freshFolder } from '../world/over.ts';

const folder = freshFolder();

/** Runs the real script, without a terminal, on a PATH that holds only `programs` (name -> shell text). */
async function need(
  name: string,
  programs: Record<string, string>,
): Promise<{ said: string; code: number | undefined }> {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [program, text] of Object.entries(programs)) {
    writeFileSync(join(path, program), `#!/bin/sh\n${text}\n`);
    chmodSync(join(path, program), 0o755);
  }
  const { exitCode, stderr } = await execa(process.execPath, [join(ROOT, 'scripts/need-tmux.ts')], {
    env: { PATH: path },
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
  });
  return { said: stderr, code: exitCode };
}

describe('what to do', () => {
  it.each([
    [{ tmux: true, apt: true, root: true, terminal: false }, 'go'],
    [{ tmux: true, apt: false, root: false, terminal: true }, 'go'],
    [{ tmux: false, apt: true, root: true, terminal: false }, 'install'],
    [{ tmux: false, apt: true, root: true, terminal: true }, 'ask'],
    [{ tmux: false, apt: true, root: false, terminal: true }, 'ask'],
    [{ tmux: false, apt: true, root: false, terminal: false }, 'tell'],
    [{ tmux: false, apt: false, root: true, terminal: false }, 'tell'],
    [{ tmux: false, apt: false, root: false, terminal: true }, 'tell'],
  ] as const)('%o -> %s', (machine, step) => {
    expect(stepFor(machine)).toBe(step);
  });
});

describe('the script', () => {
  it('says nothing where tmux is', async () => {
    expect(await need('there', { tmux: 'exit 0' })).toEqual({ said: '', code: 0 });
  });

  it('names the line to type where it cannot install', async () => {
    const { said, code } = await need('bare', {});
    expect(code).toBe(1);
    expect(said).toContain('Type: ');
  });

  // Rules: F-3.
  it('without a terminal installs as root after an update of old lists, and only names the line as anyone else', async () => {
    const lists = join(folder, 'lists');
    const tmux = join(folder, 'apt/tmux');
    const apt = [
      'case "$1" in',
      '  --version) ;;',
      `  update) : > ${lists} ;;`,
      `  install) [ -f ${lists} ] || exit 100; printf '#!/bin/sh\\n' > ${tmux}; /bin/chmod 755 ${tmux} ;;`,
      'esac',
    ].join('\n');
    const { said, code } = await need('apt', { 'apt-get': apt });
    const root = process.getuid?.() === 0;
    expect(code).toBe(root ? 0 : 1);
    expect(said).toContain(root ? 'apt-get installs it now' : 'sudo apt-get install tmux');
  });
});
