/**
 * Brings the answers that commands filed into the journal. Each is announced once in this process, and taken away a round later, when its
 * line is durable: after a kill in between it is announced once more.
 */
import type { RecordFolderOptions } from '../../state/files/record-folder.ts';
import { filedAnswers, forgetAnswer } from '../../state/alerts/answers.ts';
import type { Announce } from '../ports/ports.ts';

export class AnswersToJournal {
  readonly #files: RecordFolderOptions;
  readonly #announce: Announce;
  #announced = new Set<string>();

  constructor(files: RecordFolderOptions, announce: Announce) {
    this.#files = files;
    this.#announce = announce;
  }

  /** One round. Rejects as the disk does; the next round goes on. */
  async look(): Promise<void> {
    const filed = await filedAnswers(this.#files);
    const [before, fresh] = [
      filed.filter(({ id }) => this.#announced.has(id)),
      filed.filter(({ id }) => !this.#announced.has(id)),
    ];
    this.#announced = new Set(before.map(({ id }) => id));
    for (const { id, answer } of fresh) {
      this.#announce({ type: 'QUESTION_ANSWERED', answer });
      this.#announced.add(id);
    }
    for (const { id } of before) await forgetAnswer(this.#files.disk, id);
  }
}
