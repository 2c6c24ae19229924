/** JSON Schemas of the durable files, made of the shapes that read them: what a program of another language checks by. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { recordShapes } from '../state/files/record-kind.ts';
import { PLAIN } from './plain-files.ts';

const STATE = join(import.meta.dirname, '../state');

/** By kind, in the order of their names. */
export async function fileSchemas(): Promise<ReadonlyMap<string, object>> {
  const modules = readdirSync(STATE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  for (const name of modules.toSorted()) await import(join(STATE, name));
  const records = [...recordShapes()].map(([kind, shape]) => [kind, sealed(kind, shape)] as const);
  const plain = [...PLAIN].map(([kind, shape]) => [kind, ofFile(kind, shape)] as const);
  return new Map([...records, ...plain].toSorted(([one], [other]) => one.localeCompare(other)));
}

const SUM = { sum: { type: 'string', pattern: '^[0-9a-f]{8}$' } };

/** It bears the town's seal. */
const sealed = (kind: string, shape: z.ZodType): object => ofFile(kind, shape, SUM);

/** Beside its value a file names its schema. */
function ofFile(kind: string, shape: z.ZodType, more: object = {}): object {
  const { properties = {}, required = [], ...rest } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
  return {
    ...rest,
    title: kind,
    properties: { schema: { const: `${kind}/1` }, ...properties, ...more },
    required: ['schema', ...required],
  };
}
