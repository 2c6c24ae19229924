/**
 * Brings the answers that commands filed into the journal. Each is announced once in this process, and taken away a round later, when its
 * line is durable: after a kill in between it is announced once more. One whose command was cut off is announced as that.
 */
import type { RecordFolderOptions } from '../../state/files/record-folder.ts';
import { filedAnswers, forgetAnswer } from '../../state/alerts/answers.ts';
import { ANSWERS } from '../../machines/channels/policy.ts';
import type { Announce, Clock } from '../ports/ports.ts';

export class AnswersToJournal {
  readonly #files: RecordFolderOptions;
  readonly #announce: Announce;
  readonly #wall: Clock['wall'];
  #announced = new Set<string>();

  constructor(files: RecordFolderOptions, announce: Announce, wall: Clock['wall']) {
    this.#files = files;
    this.#announce = announce;
    this.#wall = wall;
  }

  /** One round. Rejects as the disk does; the next round goes on. */
  async look(): Promise<void> {
    const now = this.#wall();
    const filed = (await filedAnswers(this.#files)).filter(
      ({ isUnderWay, answer }) => isUnderWay !== true || Math.abs(now - answer.at) > ANSWERS.cutOffMs,
    );
    const [before, fresh] = [
      filed.filter(({ id }) => this.#announced.has(id)),
      filed.filter(({ id }) => !this.#announced.has(id)),
    ];
    this.#announced = new Set(before.map(({ id }) => id));
    for (const { id, answer, isUnderWay } of fresh) {
      const cut = isUnderWay === true ? ({ isCutOff: true } as const) : {};
      this.#announce({ type: 'QUESTION_ANSWERED', answer: { ...answer, ...cut } });
      this.#announced.add(id);
    }
    for (const { id } of before) await forgetAnswer(this.#files.disk, id);
  }
}
