/** `town service install|uninstall|status`: the service manager of this machine starts the town after a reboot. */
import { textOf, realDisk, type Disk } from '../../../state/files/disk.ts';
import { writeFiles } from '../../../state/files/atomic-write.ts';
import { STATE } from '../../../state/files/policy.ts';
import { runningOf } from '../../../state/process/pid-files.ts';
import { domain, lingers, managerOf, withoutSystemd, type Manager } from '../../service/manager.ts';
import { askProgram } from '../../proc/ask-program.ts';
import { SERVICE } from '../../service/policy.ts';
import { isUnfit } from '../../service/unit.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { note, table } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { quoteName } from '../naming/names.ts';

const asked = (...words: string[]) => askProgram(words, SERVICE.askMs);
/** `--now` waits until the town is ready, or systemd gave it up. */
const START_MS = SERVICE.startSec * 1_000 + SERVICE.askMs;

export interface ServiceOptions {
  readonly dryRun?: boolean;
}

const placeOf = ({ folder, file }: Manager): string => `${folder}/${file}`;
/** The folder is made where it is missing: its parent is the user's own. */
const diskOf = ({ folder }: Manager): { readonly disk: Disk; readonly below: string } => ({
  disk: realDisk('/', performance.timeOrigin),
  below: folder.slice(1),
});
const read = async (manager: Manager): Promise<string | null> => {
  const { disk, below } = diskOf(manager);
  return disk.read(`${below}/${manager.file}`, SERVICE.maxUnitBytes);
};

export async function install(context: Context, { dryRun = false }: ServiceOptions): Promise<void> {
  const manager = managerOf(context.existing(), process.env);
  const view = { kind: manager.kind, name: manager.service.name, file: placeOf(manager), text: manager.text };
  const [program = ''] = manager.service.command;
  if (manager.kind === 'systemd' && isUnfit(program)) {
    const text = `systemd starts no program at ${quoteName(program)}, for the quote or backslash in it; install Node elsewhere`;
    throw new Failure(EXIT.usage, 'bad_path', text);
  }
  if (dryRun) {
    context.answerPlain('service', view, manager.text.trimEnd());
    note(`this would be ${placeOf(manager)}; nothing was written`);
    return;
  }
  await mustBeOperator(context, 'installing a service');
  await mustAnswer(manager);
  const { disk, below } = diskOf(manager);
  await disk.mkdir(below);
  await writeFiles(disk, [{ path: `${below}/${manager.file}`, text: manager.text }]);
  const runs = (await context.askIfUp((town) => town.status())) !== null;
  // What a service starts goes by the latch of `town down` too, and who installs it wants the town started.
  const running = runningOf(await context.disk(), STATE.maxRecordBytes);
  if (!runs && (await running.stopped()) !== null) await running.unlatch();
  await switchOn(manager, runs);
  context.answer('service', view, () => [
    `${placeOf(manager)} starts the town at ${manager.service.root} from now on`,
    runs
      ? 'the town runs already and goes on; to hand it over now: town down && town service install'
      : 'it was started: `town status` shows it',
    ...lingerLines(manager),
  ]);
}

/** Throws Failure (1) where this machine has no service manager that would answer. */
async function mustAnswer({ kind, service }: Manager): Promise<void> {
  if (kind === 'launchd') return;
  const init = withoutSystemd();
  if (init !== null) {
    const line = service.command.join(' ');
    const text = `no systemd runs this machine, but ${init}, so no unit can start the town; have that program run: ${line}`;
    throw new Failure(EXIT.failed, 'no_systemd', text);
  }
  const { ok, says } = await asked('systemctl', '--user', 'show-environment');
  if (ok) return;
  const text = `the user manager of systemd does not answer (${says}); log in as this user, or type: export XDG_RUNTIME_DIR=/run/user/${String(process.getuid?.())}`;
  throw new Failure(EXIT.failed, 'no_user_manager', text);
}

async function switchOn(manager: Manager, runs: boolean): Promise<void> {
  const { kind, service, file } = manager;
  const steps =
    kind === 'launchd'
      ? runs
        ? []
        : [['launchctl', 'bootstrap', domain(), placeOf(manager)]]
      : [
          ['systemctl', '--user', 'daemon-reload'],
          // A town that runs has the root: a second one would be refused.
          ['systemctl', '--user', 'enable', ...(runs ? [] : ['--now']), file],
        ];
  for (const [program = '', ...words] of steps) {
    const { ok, says } = await askProgram([program, ...words], START_MS);
    if (ok) continue;
    const text = `\`${[program, ...words].join(' ')}\` failed (${says}); ${placeOf(manager)} is there, and \`town service uninstall\` takes it away; \`journalctl --user -u ${service.name}\` says more`;
    throw new Failure(EXIT.failed, 'not_enabled', text);
  }
}

function lingerLines({ kind }: Manager): string[] {
  if (kind === 'launchd') return ['it begins when you log in'];
  const linger = lingers();
  if (linger === null) return [];
  return linger.is
    ? [`${linger.user} lingers: it begins at boot`]
    : [`it begins when you log in and ends when you log out; to begin at boot: loginctl enable-linger ${linger.user}`];
}

export async function uninstall(context: Context, { dryRun = false }: ServiceOptions): Promise<void> {
  await mustBeOperator(context, 'removing a service');
  const manager = managerOf(context.existing(), process.env);
  const place = placeOf(manager);
  const isThere = (await read(manager)) !== null;
  const view = { file: place, was_there: isThere };
  if (!isThere) {
    context.answer('service', view, `no service starts the town at ${manager.service.root}: there is no ${place}`);
    return;
  }
  if (dryRun) {
    context.answer('service', view, `${place} would be switched off and removed; a town that runs would go on`);
    return;
  }
  const { disk, below } = diskOf(manager);
  const off = await switchedOff(manager);
  await disk.remove(`${below}/${manager.file}`);
  if (manager.kind === 'systemd') await asked('systemctl', '--user', 'daemon-reload');
  if (!off.ok) note(`it was not switched off (${off.says}), and is gone: nothing starts the town at the next boot`);
  context.answer('service', view, [`${place} is gone; a town that runs goes on: \`town down\` ends it`].join('\n'));
}

/** A town that runs is not ended: its file alone goes. */
const switchedOff = ({ kind, file }: Manager): Promise<{ ok: boolean; says: string }> =>
  kind === 'launchd' ? Promise.resolve({ ok: true, says: '' }) : asked('systemctl', '--user', 'disable', file);

export async function status(context: Context): Promise<number> {
  const manager = managerOf(context.existing(), process.env);
  const found = await read(manager).catch((error: unknown) => {
    throw new Failure(EXIT.failed, 'unreadable', textOf(error));
  });
  const isSystemd = manager.kind === 'systemd' && withoutSystemd() === null;
  const ask = async (word: string): Promise<string> =>
    isSystemd ? (await asked('systemctl', '--user', word, manager.file)).says : 'unknown';
  const linger = manager.kind === 'systemd' ? lingers() : null;
  const view = {
    kind: manager.kind,
    name: manager.service.name,
    file: placeOf(manager),
    installed: found !== null,
    current: found === null ? null : found === manager.text,
    enabled: found === null ? null : await ask('is-enabled'),
    active: found === null ? null : await ask('is-active'),
    lingers: linger?.is ?? null,
  };
  const rows = [
    ['file', found === null ? `${view.file} is not there; town service install` : view.file],
    ['fits', view.current === false ? 'no: another PATH, Node or version wrote it; town service install' : 'yes'],
    ['enabled', view.enabled ?? '-'],
    ['active', view.active ?? '-'],
    ['at boot', linger === null ? '-' : linger.is ? 'yes' : `no: loginctl enable-linger ${linger.user}`],
  ];
  context.answer('service', view, () =>
    table(['', ''], found === null ? rows.slice(0, 1) : rows)
      .split('\n')
      .slice(1),
  );
  return found === null ? EXIT.failed : EXIT.done;
}
