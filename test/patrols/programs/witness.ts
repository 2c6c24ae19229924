/** An agent that is a Witness and does as it is told: it reads its task and its mail, patrols once, and again whenever it is woken. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [, , main = ''] = process.argv;
const { TOWN_PROMPT_FILE: prompt = '', TOWN_INCARNATION: life = '', TOWN_ROOT: root = '' } = process.env;
const note = (what: string, text: string): void => {
  appendFileSync(join(root, 'witness.log'), `${JSON.stringify({ life, what, text })}\n`);
};
const town = (...words: string[]): string => execFileSync(process.execPath, [main, ...words], { encoding: 'utf8' });

note('task', readFileSync(prompt, 'utf8'));
note('mail', town('mail', 'check', '--inject'));
note('patrol', town('witness', 'patrol', 'shop'));
process.stdout.write('> ');
createInterface({ input: process.stdin, terminal: false }).on('line', (line) => {
  if (!line.startsWith('Nudge: PATROL: ')) return;
  note('woken', line);
  note('patrol', town('witness', 'patrol', 'shop'));
  process.stdout.write('> ');
});
