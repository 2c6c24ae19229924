/** What a test opens is closed when the test ends, what came last first; what its file opens besides, or tests beside each other, when the file ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, TestRunner } from 'vitest';

type Close = () => unknown;
const OF_FILE: Close[] = [];

/** Closes what the present file opened outside of its tests. The set-up of each file calls it at the file's end. */
export async function closeFile(): Promise<void> {
  for (const close of OF_FILE.splice(0).reverse()) await close();
}

export function whenOver(close: Close): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined || test.concurrent === true) OF_FILE.push(close);
  else
    onTestFinished(async () => {
      await close();
    });
}

/** A folder of its own, gone when it is over. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'town-test-'));
  whenOver(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function untilOver<T extends AsyncDisposable>(opened: T): T {
  whenOver(() => opened[Symbol.asyncDispose]());
  return opened;
}

/** A folder of a test's own, gone when the test is over. A program that is hung up may still write there as it ends. */
export function tempFolder(name: string): string {
  const made = mkdtempSync(join(tmpdir(), `${name}-`));
  whenOver(() => rmSync(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 }));
  return made;
}
