/** Reads a TOML file that gives us orders. One that belongs to another user, is no regular file or is too large is refused unread. */
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { TomlError, parse } from 'smol-toml';
import { STATE } from '../../state/files/policy.ts';
import { codeOf } from '../../state/files/disk.ts';
import { ConfigError } from './errors.ts';
import { mustBeOurs } from './root.ts';

const wrong = (text: string): ConfigError => new ConfigError('bad_config', [text]);

/** Its text; null = it is not there. Throws ConfigError. */
export function textOf(root: string, file: string): string | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
    throw wrong(`${file} is a link that leads nowhere; mend it or remove it`);
  }
  if (!stat.isFile()) throw wrong(`${file} is no regular file; replace it by a plain text file`);
  if (stat.size > STATE.maxRecordBytes)
    throw wrong(`${file} has ${stat.size} bytes, at most ${STATE.maxRecordBytes} are read; shorten it`);
  mustBeOurs(root, [file]);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw wrong(`${file} cannot be read (${codeOf(error)}); see to its permissions`);
  }
}

/** Throws ConfigError with the line of the first mistake. */
export function parseToml(file: string, text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [why = 'it cannot be read'] = error.message.replace('Invalid TOML document: ', '').split('\n');
    throw wrong(`${file} line ${error.line}, column ${error.column}: ${why}; mend that line`);
  }
}
