/** Which words of a command name its conversation, go on with it, and are left out so that no first prompt is given twice. */
import { expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import { withConversation } from '../../src/sessions/resume-words.ts';

const words = new Packs().named('claude').resume!;
const begins = { id: 'ID', why: null };
const goesOn = { id: 'ID', why: 'ended by signal KILL; starts again' };
const TOLD = 'Townwatch started you again (ended by signal KILL; starts again). Go on with what you were doing.';

// Rules: M-11.
test.each([
  { command: 'claude', kept: '' },
  { command: 'claude --model opus', kept: '--model opus' },
  { command: 'claude fix', kept: '' },
  { command: 'claude --model opus fix', kept: '--model opus' },
  { command: 'claude --model=opus fix', kept: '--model=opus' },
  { command: 'claude --verbose fix', kept: '--verbose' },
  { command: 'claude --allowedTools Edit Bash', kept: '--allowedTools Edit Bash' },
  { command: 'claude --allowedTools Edit --model opus fix', kept: '--allowedTools Edit --model opus' },
  { command: 'claude --verbose -- -fix', kept: '--verbose' },
  { command: 'claude --of-a-later-version', kept: '--of-a-later-version' },
])('$command', ({ command, kept }) => {
  const [program = '', ...args] = command.split(' ');
  expect(withConversation([program, ...args], words, begins)).toEqual([program, '--session-id', 'ID', ...args]);
  const again = [program, '--resume', 'ID', TOLD, ...kept.split(' ').filter((word) => word !== '')];
  expect(withConversation([program, ...args], words, goesOn)).toEqual(again);
});

const codex = new Packs().named('codex').resume!;

// Rules: M-11.
test.each([
  { command: 'codex', kept: '' },
  { command: 'codex fix', kept: '' },
  { command: 'codex -m gpt-5 --yolo fix', kept: '-m gpt-5 --yolo' },
  { command: 'codex --sandbox read-only -c a=b fix', kept: '--sandbox read-only -c a=b' },
])('$command, which names its conversation itself', ({ command, kept }) => {
  const words = command.split(' ');
  expect(withConversation(words, codex, begins)).toEqual(words);
  const again = ['codex', 'resume', 'ID', TOLD, ...kept.split(' ').filter((word) => word !== '')];
  expect(withConversation(words, codex, goesOn)).toEqual(again);
});

test.each(['resume --last', 'exec fix', '-m gpt-5 fork', '--remote unix:///s', 'app-server'])(
  'codex %s chooses for itself',
  (more) => expect(withConversation(['codex', ...more.split(' ')], codex, goesOn)).toBeNull(),
);

const opencode = new Packs().named('opencode').resume!;

// Rules: M-11.
test.each([
  { command: 'opencode', kept: '' },
  { command: 'opencode /work/app', kept: '/work/app' },
  { command: 'opencode --prompt fix', kept: '' },
  { command: 'opencode --prompt=fix /work/app', kept: '/work/app' },
  { command: 'opencode -m mock/x --prompt fix --auto /work/app', kept: '-m mock/x --auto /work/app' },
])('$command, which hears its first prompt by an option, and none beside an old conversation', ({ command, kept }) => {
  const words = command.split(' ');
  expect(withConversation(words, opencode, begins)).toEqual(words);
  const again = ['opencode', '--session', 'ID', ...kept.split(' ').filter((word) => word !== '')];
  expect(withConversation(words, opencode, goesOn)).toEqual(again);
});

test.each(['--session ses_1', '--continue', 'run fix', 'attach http://x'])('opencode %s chooses for itself', (more) =>
  expect(withConversation(['opencode', ...more.split(' ')], opencode, goesOn)).toBeNull(),
);

test.each(['-c', '--continue', '--resume x', '-r', '--session-id=x', '-p hello', '--bg', '--model opus --print'])(
  'a command with %s chooses for itself',
  (more) => {
    expect(withConversation(['claude', ...more.split(' ')], words, begins)).toBeNull();
  },
);

test('where a word may be a value or a first prompt, the conversation is left alone, and the reason is said', () => {
  expect(withConversation(['claude', '--of-a-later-version', 'fix'], words, goesOn)).toBe(
    'whether "fix" is a value of --of-a-later-version or a first prompt is not known',
  );
});
