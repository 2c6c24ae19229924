/** What was said to a program, as it keeps it on the disk. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What a person, or the town, said in any conversation of its folder, as its program keeps it. */
type SaidIn = (home: string) => readonly string[];

/** Lines of files, where `mark` stands in those that a person said. */
const linesIn =
  (folder: string, mark: string): SaidIn =>
  (home) => {
    const kept = join(home, folder);
    if (!existsSync(kept)) return []; // Its first conversation has not begun.
    const files = readdirSync(kept, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
    const lines = files.flatMap((name) => readFileSync(join(kept, name), 'utf8').split('\n'));
    return lines.filter((line) => line.includes(mark));
  };

const SAID = `select part.data as said from part join message on message.id = part.message_id
  where json_extract(message.data, '$.role') = 'user'`;

/** It makes its tables under a lock. */
const LOCKED_MS = 5_000;

/** As opencode keeps it. */
const partsIn: SaidIn = (home) => {
  const file = join(home, '.local/share/opencode/opencode.db');
  if (!existsSync(file)) return [];
  const db = new DatabaseSync(file, { readOnly: true, timeout: LOCKED_MS });
  try {
    // It makes its file first, and the tables later.
    if (db.prepare("select 1 from sqlite_master where name in ('part', 'message')").all().length < 2) return [];
    return db
      .prepare(SAID)
      .all()
      .map(({ said }) => String(said));
  } finally {
    db.close();
  }
};

export interface Kept {
  readonly said: SaidIn;
  /** The words of its command that give a first prompt. */
  readonly prompt: (text: string) => readonly string[];
}

export const KEPT: Readonly<Record<string, Kept>> = {
  claude: { said: linesIn('.claude/projects', '"type":"user"'), prompt: (text) => [text] },
  codex: { said: linesIn('.codex/sessions', '"type":"UserMessage"'), prompt: (text) => [text] },
  opencode: { said: partsIn, prompt: (text) => ['--prompt', text] },
};
