/**
 * Brings the answers that commands filed into the journal. Each is announced once in this process, and taken away a round later, when its
 * line is durable: after a kill in between it is announced once more.
 */
import type { RecordFolderOptions } from '../../state/files/record-folder.ts';
import { filedAnswers, forgetAnswer } from '../../state/alerts/answered.ts';
import type { Announce } from '../ports/ports.ts';

export class AnswersToJournal {
  readonly #files: RecordFolderOptions;
  readonly #announce: Announce;
  #announced: ReadonlySet<string> = new Set();

  constructor(files: RecordFolderOptions, announce: Announce) {
    this.#files = files;
    this.#announce = announce;
  }

  /** One round. Rejects as the disk does; the next round goes on. */
  async look(): Promise<void> {
    const before = this.#announced;
    const filed = await filedAnswers(this.#files);
    this.#announced = new Set(filed.map(({ id }) => id));
    for (const { id, answer } of filed)
      if (before.has(id)) await forgetAnswer(this.#files.disk, id);
      else this.#announce({ type: 'QUESTION_ANSWERED', answer });
  }
}
