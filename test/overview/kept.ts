/** A home in which Claude Code keeps a conversation, as its installer and its runs leave it. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const CONVERSATION = '1b671a64-40d5-491e-99b0-da01ff1f3341';

/** The path of its program, whose file names the version. The conversation is one of this folder. */
export function keepConversation(home: string): string {
  const [program, file] = [join(home, 'bin/claude'), join(home, 'share/claude/versions/2.1.332')];
  const kept = join(home, '.claude/projects', realpathSync(home).replaceAll(/[^A-Za-z0-9]/g, '-'));
  for (const folder of [dirname(program), dirname(file), kept]) mkdirSync(folder, { recursive: true });
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
  symlinkSync(file, program);
  writeFileSync(join(kept, `${CONVERSATION}.jsonl`), '{}\n');
  return program;
}
