/** One writer per pane (law 5): each typing job takes a turn, so that two texts never mix. */
export class PaneQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `job` when all jobs given for this pane before have ended, well or not. Resolves or rejects as `job` does. */
  run<T>(paneId: string, job: () => Promise<T>): Promise<T> {
    const turn = (this.#tails.get(paneId) ?? Promise.resolve()).then(job, job);
    this.#tails.set(paneId, turn);
    const leave = (): void => {
      if (this.#tails.get(paneId) === turn) this.#tails.delete(paneId);
    };
    turn.then(leave, leave);
    return turn;
  }
}
