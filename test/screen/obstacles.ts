/** Screens of programs without a pack that are not typed into. */
import type { Screen } from '../../src/screen/screen.ts';

export const OBSTACLES: Record<string, [state: Screen['state'], text: string]> = {
  'a list without numbers': [
    'blocked',
    'All tools run without a question.\n\n ❯ No, exit\n   Yes, I accept\n\n esc to cancel · ↑↓ to navigate · ↵ to select',
  ],
  'round buttons': [
    'blocked',
    '  ┃  Run the tests\n  ┃\n  ┃  1 (●) Yes, always\n  ┃  2 (○) Yes\n  ┃  3 (○) No\n\n  1/3:select  │  Tab:next option',
  ],
  'numbers without dots': ['blocked', 'Approval needed\nRun this command?\n$ make\n1 Allow\n2 Always allow\n3 Deny'],
  'yes or no above a prompt': ['blocked', "Allow this action? Use 't' to trust it. [y/n/t]:\n\n[docs] 16% λ > "],
  'yes or no, with an answer begun': ['blocked', 'Allow this action? [y/n/t]:\n\n[docs] 16% λ > please do'],
  'a sign-in elsewhere': [
    'login',
    '  Approve in your browser to finish signing in.\n\n  XXXX-XXXX\n\n  Waiting for approval...\n\n  ctrl+q  quit',
  ],
  'a one-time code': ['login', 'Verification code: '],
  'a pager': ['picker', 'line 1\nline 2\n(END)'],
  'a name that confirms': ['blocked', 'Type the name of the database to delete it\n> '],
  'a box': ['unknown', '╭──────────╮\n│ >        │\n╰──────────╯'],
  'rules around a prompt': ['unknown', '────────────\n>\n────────────\n? for shortcuts'],
  'the spinner of a box': ['busy', '╭────────╮\n│        │\n╰────────╯\n⠹ Loading 35s · Enter queue · Ctrl+X steer'],
};
