/** `npm run test:all`: every test. What is given besides goes to the test runner. Exits 1 if a test fails. */
import { inTestRun } from './test-run.ts';

process.exitCode = await inTestRun((run) => run.passes(...process.argv.slice(2)));
