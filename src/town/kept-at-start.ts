/** What a town writes at its start, before it is ready. A disk that refuses one costs a line in the log, not the start. */
import { join } from 'node:path';
import type { AliveCommand } from '../../machines/hearings/question.ts';
import type { WallMs } from '../../machines/protocol.ts';
import { FILES } from '../../state/files/layout.ts';
import type { Quarantine } from '../../state/files/quarantine.ts';
import { noteWallAtZero } from '../../state/process/clock.ts';
import { keepGoodConfig } from '../../state/process/good-config.ts';
import { keepLauncher } from '../../state/process/launcher.ts';
import type { NoteOptions } from '../../state/watchdog/records.ts';
import { deaconSession } from '../config/agents.ts';
import type { Settings } from '../config/settings.ts';
import { aliveCommand, byLauncher } from '../hearings/alive-command.ts';
import type { Host } from '../host/host.ts';
import { TOWN } from '../package.ts';
import { deaconPrompt, writePrompt } from '../patrols/agent/prompt.ts';
import { scrubbedEnvironment } from '../proc/environment.ts';
import { node } from '../proc/node.ts';

/** Of this boot's first town, so that no step of the wall makes older what is filed; of now where the disk refuses it. */
export async function clockOf({ disk, clock, self, logger }: Host, files: Omit<NoteOptions, 'disk'>): Promise<WallMs> {
  const now = { at: clock.now(), wall: clock.wall() };
  try {
    return await noteWallAtZero({ disk, ...files }, self, now);
  } catch (error) {
    logger.warn({ err: error }, 'the clock of this boot could not be noted');
    return now.wall - now.at;
  }
}

/** Before the town is ready, so that who saw it up can count on it. A disk that refuses it costs a line in the log. */
export async function keepConfig({ toml, state }: Settings, host: Host, quarantine: Quarantine): Promise<void> {
  const { disk, logger } = host;
  await keepGoodConfig({ disk, quarantine }, toml, state.maxRecordBytes).catch((error: unknown) => {
    logger.warn({ err: error }, 'the configuration could not be kept for a start with a broken one');
  });
}

/** What the Deacon finds when Boot starts it. */
export async function keepPrompt(settings: Settings, { disk, logger }: Host): Promise<void> {
  const deacon = deaconSession(settings);
  if (deacon === null) return;
  await writePrompt(disk, deacon.name, deaconPrompt()).catch((error: unknown) => {
    logger.warn({ err: error }, "the Deacon's prompt could not be written");
  });
}

/** How agents answer. A disk that refuses the script costs its safety from changes: the question then names Node itself. */
export async function answerCommand({ root }: Settings, { disk, logger, self }: Host): Promise<AliveCommand> {
  const path = scrubbedEnvironment(process.env)['PATH'] ?? '';
  const program = node.find();
  try {
    await keepLauncher(disk, { node: program, program: TOWN, pid: self.pid });
    return aliveCommand(root, path, TOWN, byLauncher(join(root, FILES.launcher)));
  } catch (error) {
    logger.warn({ err: error }, 'the script by which agents call the town could not be written');
    return aliveCommand(root, path, TOWN, [program, TOWN]);
  }
}
