/**
 * What the town listens to beside its orders: the folders of warrants, of rigs and of evidence, and the log of deaths. All only hint: a wake-up
 * makes an actor look now, and where the system gives no notice, its own pace is the net.
 */
import { watch } from 'node:fs';
import { join } from 'node:path';
import type { HandsPolicy } from '../ports/policy.ts';
import type { Disk } from '../../state/files/disk.ts';
import { FILES, FOLDERS } from '../../state/files/layout.ts';
import type { Announce } from '../ports/ports.ts';
import { watchDeaths } from '../sessions/deaths.ts';

export interface ListenNeeds {
  readonly root: string;
  readonly disk: Disk;
  readonly policy: Pick<HandsPolicy, 'deathsPollMs' | 'maxDeathBytes'>;
  readonly announce: Announce;
  /** A file may be in evidence/. */
  readonly dropped: () => void;
  readonly log: (text: string) => void;
  readonly stop: AbortSignal;
}

/** Resolves when everything is listened to; it ends when `stop` aborts. */
export async function listen({ root, disk, policy, announce, dropped, log, stop }: ListenNeeds): Promise<void> {
  watchFolder(join(root, FOLDERS.warrants), () => announce({ type: 'CHANGED', what: 'warrants' }), log, stop);
  watchFolder(join(root, FOLDERS.rigs), () => announce({ type: 'CHANGED', what: 'rigs' }), log, stop);
  watchFolder(join(root, FOLDERS.evidence), dropped, log, stop);
  const deaths = await watchDeaths({
    path: join(root, FILES.deaths),
    announce,
    pollMs: policy.deathsPollMs,
    maxBytes: policy.maxDeathBytes,
    empty: () => disk.remove(FILES.deaths), // the next death makes it anew
    trouble: (why) => log(why === null ? 'deaths.log is read again' : `deaths.log cannot be read: ${why}`),
  });
  const close = () => deaths.close();
  if (stop.aborted) close();
  else stop.addEventListener('abort', close, { once: true });
}

function watchFolder(folder: string, changed: () => void, log: (text: string) => void, stop: AbortSignal): void {
  try {
    const watcher = watch(folder, { persistent: false, signal: stop }, (_, name) => {
      if (name?.endsWith('.json')) changed();
    });
    watcher.on('error', (error) =>
      log(`${folder} is not watched any more (${error.message}); it is read at its own pace`),
    );
  } catch (error) {
    log(`${folder} cannot be watched (${String(error)}); it is read at its own pace`);
  }
}
