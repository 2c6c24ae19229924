/** `[notify] command`: runs the command that a person named. Only `Bell` does so, which knows how often. */
import { harmlessNotice } from '../channels/message.ts';
import { runCommand, type CommandOptions } from '../proc/command-with-line.ts';
import type { Notice } from './notify.ts';

/** Resolves with null when the command ended with 0, else with one sentence about what went wrong. Never rejects. */
export const notifyPerson = (options: Omit<CommandOptions, 'of'>, notice: Notice): Promise<string | null> =>
  runCommand({ ...options, of: '[notify] command' }, harmlessNotice(notice));
