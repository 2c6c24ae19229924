/** `town doctor`: what in this machine would bite the town, each with a line what to do. Looks only, changes nothing. */
import { ConfigError } from '../../config/errors.ts';
import { defaultSettings } from '../../config/load.ts';
import { CONFIG_FILE } from '../../config/root.ts';
import type { Context } from '../context.ts';
import { clock, fileSystem, folders, logout, node, root } from '../doctor/machine.ts';
import { bad, good, warn, type Finding, type Health } from '../doctor/finding.ts';
import { renderer } from '../doctor/renderer.ts';
import { configuration, socket, version } from '../doctor/tmux.ts';
import { isFirst, REAP, UNREAPED } from '../../guard/first-process.ts';
import { EXIT } from '../../terminal/failure.ts';
import { createProcesses } from '../../proc/processes.ts';
import { hanging } from '../../terminal/layout.ts';
import { inStyle, type Style } from '../../terminal/streams.ts';
import { socketHolder } from '../../tmux/socket-hold.ts';
import { clean, roomOf } from '../../terminal/print.ts';
import { wrongPacks } from '../asking/config-there.ts';
import { socketPin } from '../asking/pin.ts';
import { standingSocket } from '../../tmux/pinned.ts';
import { socketPath as pathOf } from '../../tmux/socket.ts';

const STYLE: Readonly<Record<Health, Style>> = { ok: 'green', warn: 'yellow', bad: 'red', unknown: 'yellow' };
const LEAD = 'unknown ';

function lines({ check, health, text, next }: Finding): string[] {
  const lead = health.padEnd(LEAD.length);
  const [first = '', ...more] = hanging(lead, `${check}: ${clean(text)}`, roomOf());
  const advice = next === null ? [] : hanging(`${' '.repeat(LEAD.length)}-> `, clean(next), roomOf());
  return [`${inStyle(STYLE[health], lead)}${first.slice(lead.length)}`, ...more, ...advice];
}

/** With a broken town.toml the rest is checked all the same, by the last good one. */
async function ownConfiguration(context: Context) {
  try {
    const settings = await context.exactSettings();
    return { settings, finding: good(CONFIG_FILE, settings.file ?? 'there is none: every key has its default') };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const settings = await context.lasting().then(
      (lasting) => lasting.settings,
      () => defaultSettings(context.where),
    );
    return { settings, finding: bad(CONFIG_FILE, error.lines.join('; '), 'mend it; `town config check`') };
  }
}

/** Of a running town; one that does not answer says nothing. */
async function running(context: Context): Promise<Finding[]> {
  const up = await context.askIfUp((town) => town.status()).catch(() => null);
  if (up === null) return [];
  const { changes = [], pid } = up;
  const first = isFirst(pid) ? [warn('process 1', UNREAPED, REAP)] : [];
  if (changes.length === 0) return [...first, good('programs', 'the town runs what is installed')];
  const next = 'the town goes on; `town alerts list` shows what needs you';
  return [...first, ...changes.map((change) => warn('programs', change, next))];
}

/** 1 when something is bad, 2 when that is the configuration; warnings alone are 0. */
export async function doctor(context: Context): Promise<number> {
  const { settings, finding } = await ownConfiguration(context);
  const disk = await context.disk();
  const pin = await socketPin(settings, disk);
  const socketPath =
    pin.kind === 'left' ? pathOf(settings.tmux.socket) : await standingSocket(disk, settings.tmux.socket);
  const place = { settings, socketPath };
  const findings = [
    node(),
    finding,
    ...wrongPacks(settings).map((why) => warn('packs', why, 'mend it, and type `town reload`')),
    await version(place),
    socket(place, pin, await socketHolder(socketPath, createProcesses())),
    ...(await configuration(place)),
    ...(await renderer(place, disk)),
    root(settings),
    ...(await folders(disk)),
    fileSystem(settings),
    logout(),
    clock(),
    ...(await running(context)),
  ];
  context.answer('doctor', findings, () => findings.flatMap(lines));
  if (finding.health === 'bad') return EXIT.usage;
  return findings.some(({ health }) => health === 'bad') ? EXIT.failed : EXIT.done;
}
