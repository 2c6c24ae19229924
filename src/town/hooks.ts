/** Where the hooks of this town's agents arrive: its server, and the file that their programs are started with. */
import type { Incarnation } from '../../machines/protocol.ts';
import { isLive } from '../../machines/watchdog/health-review.ts';
import { join } from 'node:path';
import { FILES } from '../../state/files/layout.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { haltsFileOf, readHalts } from '../../state/sessions/halts.ts';
import { notesOf, type HandsNeeds } from '../host/hands-needs.ts';
import { greeter } from './greet.ts';
import { claudeSettings, hooksSocket } from '../sources/claude-hooks.ts';
import { HookServer, type HookServerDeps } from '../sources/hook-server.ts';

export interface Hooks {
  readonly server: HookServer;
  /** Absolute; null = no agent is started with hooks. */
  readonly file: string | null;
}

/** Without them agents are heard by their files and screens, and answered by keys. */
export async function openHooks(needs: HandsNeeds, tokenFor: (uuid: string) => string): Promise<Hooks> {
  const { settings, host, store } = needs;
  const living = async (): Promise<readonly Incarnation[]> => {
    const sessions = await store.sessionsNow();
    // The record of one that is started again still names the life before, whose hooks are processes that it left.
    return sessions.flatMap((record) => (isLive(record) ? (record.incarnation ?? []) : []));
  };
  const halts: HookServerDeps['halts'] = {
    read: () => readHalts(notesOf(needs)),
    write: async (all) => {
      await needs.quarantine.makeWay(FILES.hookHalts);
      await writeFiles(host.disk, [haltsFileOf(all)]);
    },
  };
  const { clock, processes, packs } = host;
  const complain = (text: string): void => host.logger.warn(text);
  const server = new HookServer({ clock, processes, packs, tokenFor, living, halts, greet: greeter(needs), complain });
  const socket = hooksSocket(settings);
  try {
    await server.open(socket);
    await writeFiles(host.disk, [{ path: FILES.claudeSettings, text: claudeSettings(socket) }]);
    return { server, file: join(settings.root, FILES.claudeSettings) };
  } catch (error) {
    host.logger.warn({ err: error }, 'agents are started without hooks');
    return { server, file: null };
  }
}
