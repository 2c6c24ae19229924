/** The last lines that panes show now, for the words of an alert. */
import type { Incarnation } from '../../machines/protocol.ts';
import { isBlank, plain } from '../screen/text.ts';
import { takePictures } from './study.ts';

/** By the uuid of a life, of those whose panes tmux shows. Never rejects. */
export async function takeLines(
  eyes: Parameters<typeof takePictures>[0],
  lives: readonly Incarnation[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const inPanes = lives.filter(({ origin }) => origin !== 'detached');
  const pictures = await takePictures(
    eyes,
    inPanes.map(({ paneId }) => paneId),
  );
  return new Map(
    inPanes.flatMap(({ uuid, server }, at) => {
      const picture = pictures[at];
      if (picture === undefined || picture.serverPid !== server.pid) return [];
      const rows = picture.rows.map((row) => plain(row).trimEnd());
      return [[uuid, rows.filter((row) => !isBlank(row))] as const];
    }),
  );
}
