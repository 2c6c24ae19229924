#!/usr/bin/env node
/**
 * An orchestrator without a model: it fetches the alerts about workers and does for each the first thing that helps.
 * $TOWN is the town's command, where that is not `town`. $STATE is the file that keeps the id of the last alert it handled.
 * $TIMES = look so often, and end; absent = for ever.
 */
import { execFile } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const { TOWN = 'town', STATE = 'orchestrator.last', TIMES = 'Infinity', TAG = 'orchestrator' } = process.env;
const [program, ...words] = TOWN.split(' ');
const EVERY_MS = 2_000;
const ANSWER_TRIES = 40;

/** What a command of the town prints; its error is printed, and ends nothing. */
async function town(...args) {
  try {
    return (await promisify(execFile)(program, [...words, ...args])).stdout;
  } catch (error) {
    console.error(`town ${args.join(' ')}: ${error.stderr || error.message}`);
    return error.stdout ?? '';
  }
}
async function data(...args) {
  const text = await town(...args, '--json');
  return text === '' ? [] : JSON.parse(text).data;
}

/** A permission dialog is a question with options of its own, once it has stood for a while. */
async function answer(name) {
  for (let n = 0; n < ANSWER_TRIES; n += 1) {
    const question = (await data('questions')).find(({ kind, session }) => kind === 'dialog' && session === name);
    const yes = question?.options.find(({ word }) => word === 'yes');
    if (yes) return town('answer', question.number, yes.word);
    await pause(EVERY_MS);
  }
  return `${name} asks something that only its pane answers: town session attach ${name}\n`;
}

const ANSWERS = {
  'worker.stuck': ({ worker_name: name }) => town('nudge', name, 'How is it going? Report with: town report-status'),
  'worker.needs_input': ({ worker_name: name }) => answer(name),
  'worker.complete': async ({ worker_name: name }) =>
    `${await town('session', 'logs', name, '--lines', '20')}${await town('session', 'stop', name, '--no-wait')}`,
  'worker.error': ({ worker_name: name }) => town('session', 'restart', name, '--no-wait'),
};

async function lastHandled() {
  return readFile(STATE, 'utf8').catch(() => 'none');
}
/** Written whole, so that a kill leaves the old or the new one. */
async function handled(id) {
  await writeFile(`${STATE}.new`, id);
  await rename(`${STATE}.new`, STATE);
}

for (let n = 0; n < Number(TIMES); n += 1) {
  const alerts = await data('alerts', 'poll', '--for', TAG, '--after', (await lastHandled()).trim());
  for (const { id, msg_type: type, payload, suggested } of alerts) {
    console.log(`${type} ${payload.worker_name}: ${suggested.action}`);
    await handled(id);
    const said = await ANSWERS[type]?.(payload);
    if (said) console.log(said.trimEnd());
  }
  await pause(EVERY_MS);
}
