/** The planted faults: each one line of the product made wrong, and the tests that must see it. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Words for vitest: files, and `-t` where one of their tests is enough. */
  readonly tests: readonly string[];
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'last look skipped',
    file: 'machines/hearings/dog/executing.ts',
    from: "RESCUED: { guard: 'isOurOutcome', target: 'looking', actions: 'keepRescue' }",
    to: "RESCUED: { guard: 'isOurOutcome', target: 'terminating', actions: ['keepRescue', { type: 'note', params: { killing: true } }] }",
    tests: ['test/hearings/execution.test.ts', 'test/stories/stories.test.ts'],
  },
  {
    name: 'save after act',
    file: 'src/town/loop.ts',
    from: 'const durable = await this.#save();',
    to: 'this.#act(step.orders.splice(0));\n    const durable = await this.#save();',
    tests: ['test/town/loop.test.ts'],
  },
  {
    name: 'prefix target',
    file: 'src/sessions/scan.ts',
    from: "'-t', `=${name}:`",
    to: "'-t', `${name}:`",
    tests: ['test/sessions/live/tmux.test.ts'],
  },
  {
    name: 'undelivered counted as asked',
    file: 'machines/hearings/dog/interrogating.ts',
    from: "{ guard: isObstacle('busy'), target: 'retrying', actions: 'countUndelivered' }",
    to: "{ guard: isObstacle('busy'), target: 'listening', actions: { type: 'note', params: { observedMs: 0 } } }",
    tests: ['test/hearings/obstacles.test.ts', 'test/stories/stories.test.ts'],
  },
  {
    name: 'sleep counted as waiting',
    file: 'machines/hearings/dance.ts',
    from: 'Math.max(0, Math.min(now - lastSeen, maxMs))',
    to: 'Math.max(0, now - lastSeen + 0 * maxMs)',
    tests: ['test/hearings/sights.test.ts', 'test/stories/stories.test.ts'],
  },
  {
    name: 'no directory fsync',
    file: 'state/files/atomic-write.ts',
    from: 'await all([...new Set(sheets.map(({ path }) => folderOf(path)))].map((folder) => disk.syncDir(folder)));',
    to: '',
    tests: ['test/state/crash.test.ts'],
  },
  {
    name: 'old place left first',
    file: 'state/store.ts',
    from: "await this.#write(records);\n    for (const record of records) if (record.kind === 'dance') this.#wroteDance(record.value);",
    to: "for (const record of records) if (record.kind === 'dance') this.#wroteDance(record.value);\n    await this.#old.leave();\n    await this.#write(records);",
    tests: ['test/state/crash.test.ts'],
  },
  {
    name: 'answer searched in our own text',
    file: 'src/hearings/answer.ts',
    from: 'saysAlive(text) && !page.own.has(at) &&',
    to: 'saysAlive(text) &&',
    tests: ['test/hearings/live/own.test.ts', 'test/hearings/live/answers.test.ts'],
  },
  {
    name: 'unknown taken for gone',
    file: 'src/hearings/pane.ts',
    from: 'return unknown(error);',
    to: "return { kind: 'gone', left: false };",
    tests: ['test/hearings/live/target.test.ts'],
  },
  {
    name: 'pid without start time',
    file: 'src/proc/processes.ts',
    from: 'return row !== null && source.same(row, proc) ? row : null;',
    to: 'return row;',
    tests: ['test/proc/processes.test.ts', 'test/proc/signal.test.ts'],
  },
  {
    name: 'daemon in the tree',
    file: 'src/proc/family.ts',
    from: 'if (!spared(row) && !shared.isShared(row)) ours.set(row.pid, row);',
    to: 'if (!spared(row)) ours.set(row.pid, row);',
    tests: ['test/proc/family.test.ts'],
  },
  {
    name: "neighbour's tool in the tree",
    file: 'src/proc/shared.ts',
    from: "return others.length === 0 ? 'ours' : 'unclear';",
    to: "return 'ours';",
    tests: ['test/proc/family.test.ts'],
  },
  {
    name: 'Enter without seeing our text',
    file: 'src/hearings/ask.ts',
    from: 'const shown = await untilShown(deps, delivery, signal);',
    to: 'const shown = await lookAround(deps, delivery);',
    tests: ['test/hearings/live/obstacles.test.ts', '-t', 'of our text'],
  },
  {
    name: 'a later Enter without a look',
    file: 'src/hearings/deliver.ts',
    from: 'if (enters > 0) before = await lookAround(deps, delivery);',
    to: '',
    tests: ['test/hearings/enters.test.ts'],
  },
  {
    name: 'a later Enter without regard to the look',
    file: 'src/hearings/deliver.ts',
    from: "if (enters > 0 && standingOf(before, lines, typed) !== 'whole') return;",
    to: '',
    tests: ['test/hearings/enters.test.ts'],
  },
  {
    name: 'Enter on an old picture',
    file: 'src/hearings/typing.ts',
    from: '`#{==:${now},${seen}}`',
    to: "'1'",
    tests: ['test/hearings/live/hostile.test.ts', '-t', 'opens right before Enter'],
  },
  {
    name: 'draft taken for empty',
    file: 'src/screen/read.ts',
    from: "if (composer.draft !== '') return say(isBusy ? 'busy_draft' : 'draft', work);",
    to: '',
    tests: ['test/screen/recorded.test.ts'],
  },
  {
    name: 'dialog below a box missed',
    file: 'src/screen/read.ts',
    from: 'isQuoted(found, rows) ? null : found',
    to: 'found',
    tests: ['test/screen/packs.test.ts'],
  },
  {
    name: 'reaction before 3 s ignored',
    file: 'src/hearings/evidence.ts',
    from: 'before.words.some((one) => row === one || isLonger(row, one))',
    to: 'before.words.some((one) => isLonger(row, one))',
    tests: ['test/hearings/live/evidence.test.ts', '-t', 'came at once', '--testTimeout', '20000'],
  },
  {
    name: 'words above a held question missed',
    file: 'src/hearings/evidence.ts',
    from: 'appendedTo(steady.written, written)',
    to: '[]',
    tests: ['test/hearings/live/evidence.test.ts', '-t', 'held back', '--testTimeout', '20000'],
  },
];
