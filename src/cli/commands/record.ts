/** `town record`: a live session's screen as a file that can be given away and judged again. Touches nothing in tmux. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { codeOf, realDisk, wordsOf } from '../../../state/files/disk.ts';
import { nearest } from '../../terminal/nearest.ts';
import { versionOf } from '../../screen/version.ts';
import { writeRecorded } from '../../screen/picture.ts';
import { readScreen } from '../../screen/read.ts';
import { redact, type Whose } from '../../screen/redact.ts';
import { SCREEN_STATES } from '../../screen/screen.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { quoteName } from '../naming/names.ts';
import { clean, note } from '../../terminal/print.ts';
import { studySession, type PaneOptions, type Studied } from '../screens/pane.ts';
import { homeFolder, passwdEntry } from '../../../state/files/user.ts';

export interface RecordOptions extends PaneOptions {
  readonly out?: string | undefined;
  readonly state?: string | undefined;
}

const ADVICE =
  'names, home folders, addresses and tokens that could be known are taken out; what is talked about is not: read it before you give it away';

/** Throws Failure: 4 when tmux gives no answer, 2 for a session that is not there, 5 where the file is there already. */
export async function record(context: Context, name: string, options: RecordOptions): Promise<void> {
  const label = stateOf(options.state);
  const studied = await studySession(context, name, options);
  const { head, rows, read } = recordingOf(studied);
  const text = writeRecorded(new Map([...head, ['state', label ?? read.state]]), rows);
  const file = options.out === undefined ? null : await written(resolve(options.out), text);
  const { session, pane, screen } = studied.study;
  const data = {
    session: clean(session),
    pane: pane.paneId,
    file,
    text: file === null ? text : null,
    ...Object.fromEntries(head),
    state: label ?? read.state,
    read_as: read.state,
  };
  const told = file === null ? text.slice(0, -1) : `recorded as ${label ?? read.state} in ${file}`;
  context.answerPlain('record', data, told);
  note(ADVICE);
  if (read.state !== screen.state)
    note(`taking them out changed what is read there: ${screen.state} before, ${read.state} now`);
  if (label !== null && label !== read.state)
    note(`it is read as ${read.state} (${read.rule}), and recorded as ${label}`);
}

function stateOf(text: string | undefined): string | null {
  if (text === undefined || SCREEN_STATES.some((state) => state === text)) return text ?? null;
  const near = nearest(text, SCREEN_STATES);
  const hint = near === null ? '' : `; did you mean ${near}?`;
  const why = `--state ${quoteName(text)} is no state of a screen${hint} (there are ${SCREEN_STATES.join(', ')})`;
  throw new Failure(EXIT.usage, 'bad_state', why);
}

/** `read`: as it is read without what was taken out. */
function recordingOf({ study: { picture, found, screen }, packs }: Studied) {
  const whose = whoseHere(packs.names());
  // The sign that stands for an escape in a recorded screen stands for nothing else.
  const rows = redact(picture.rows, whose, screen.columns).map((row) => row.replaceAll('␛', '?'));
  const [title = ''] = redact([picture.title], whose);
  const { width, height, cursor, alternate, lineMode } = picture;
  const version = found.program && versionOf(found.program);
  const head: (readonly [string, string | null])[] = [
    ['agent', found.pack.name],
    ['version', version],
    ['size', width === null || height === null ? null : `${width}x${height}`],
    ['cursor', cursor === null ? null : `${cursor.x},${cursor.y}`],
    ['alternate', alternate === null ? null : String(alternate)],
    ['title', title],
    ['line_mode', lineMode === null ? null : String(lineMode)],
  ];
  return {
    head: head.flatMap(([key, value]) => (value === null ? [] : [[key, value] as const])),
    rows,
    read: readScreen(found.pack, { ...picture, rows, title }),
  };
}

/** `agents`: names of programs, which are never hidden, even if a user has the same name. */
function whoseHere(agents: readonly string[]): Whose {
  const { name: username = '', home = '' } = passwdEntry() ?? {};
  const host = hostname();
  const users = [
    username,
    process.env['USER'] ?? '',
    process.env['LOGNAME'] ?? '',
    ...(username === '' ? [] : fullName(username)),
  ];
  return {
    homes: [home, homeFolder() ?? ''].filter((path) => path.length > 1),
    users: users.filter((name) => !agents.includes(name.toLowerCase())),
    hosts: [host, host.split('.')[0] ?? ''].filter((name) => !agents.includes(name.toLowerCase())),
  };
}

/** What a program greets its person by. */
function fullName(user: string): string[] {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((one) => one.startsWith(`${user}:`));
    const [name = ''] = (line?.split(':')[4] ?? '').split(',');
    return [name, ...name.split(' ')];
  } catch {
    return []; // Users are kept elsewhere.
  }
}

/** Never over what is there. Throws Failure. */
async function written(file: string, text: string): Promise<string> {
  const disk = realDisk(dirname(file), performance.timeOrigin);
  try {
    await disk.write(basename(file), text);
    await disk.syncDir('.');
    return file;
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw new Failure(EXIT.refused, 'exists', `${file} is there already and stays as it is; give another --out`);
    const why = codeOf(error) === 'ENOENT' ? 'its folder is not there' : wordsOf(error);
    throw new Failure(EXIT.failed, 'unwritten', `${file} could not be written: ${why}; give another --out`);
  }
}
