/**
 * The only way onto a control-mode line, which is tmux's command language: `;` separates and a line break is a command.
 * Only constants of ours and ids pass; foreign text goes by a call of its own.
 */

/** No quote, backslash, semicolon, parenthesis (`#(…)` runs a program) or control character. The dot is the status line's. */
const SAFE = /^[A-Za-z0-9_@$%=:.,#{}?&|!<>*/+^~ ·-]*$/;
/** Commands whose reply is exactly one block and that leave the connection alone. By full name: tmux takes any prefix. */
const HERE = [
  'display-message',
  'has-session',
  'kill-pane',
  'kill-session',
  'list-clients',
  'list-panes',
  'list-sessions',
  'list-windows',
  'new-session',
  'run-shell',
  'send-keys',
  'set-option',
  'show-environment',
  'show-options',
];

/** What shows a program's own words. A pane may show any line of the protocol, so its block ends before a word that no program knows. */
const GUARDED = ['capture-pane', 'display-message'];

/** The line for one command. Throws a programming error for anything that is not plainly a constant or an id. */
export function controlLine(command: readonly string[], isGuarded = false): string {
  const [name = '', ...args] = command;
  if (!(isGuarded ? GUARDED : HERE).includes(name))
    throw new TypeError(`${JSON.stringify(name)} is no command for a control-mode line; use a one-shot call`);
  if (name === 'new-session' && !args.includes('-d'))
    throw new TypeError('new-session without -d would take the control-mode client away from its own session');
  const unsafe = args.find((word) => !SAFE.test(word));
  if (unsafe !== undefined)
    throw new TypeError(
      `${JSON.stringify(unsafe)} may not stand on a control-mode line; send foreign text by a one-shot call`,
    );
  return [name, ...args.map((word) => `'${word}'`)].join(' ');
}
