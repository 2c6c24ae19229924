/** The zod schema of town.toml, built from the key table, and the JSON Schema that editors get. */
import { z } from 'zod';
import { KEYS, type Key } from './keys.ts';
import { NAME } from './kinds.ts';

/** A section of the file: its keys and inner sections by name; `*` = a table (or, for agents, an entry) per chosen name. */
export interface Section {
  readonly inner: Map<string, Section | Key>;
}

export function isSection(node: Section | Key): node is Section {
  return 'inner' in node;
}

/** The sections whose `*` is an entry of an array instead of a name. */
export const ARRAY_SECTIONS: readonly string[] = ['agents', 'route', 'may_answer', 'rule'];

function grow(keys: readonly Key[]): Section {
  const root: Section = { inner: new Map() };
  for (const key of keys) {
    const parts = key.path.split('.');
    const last = parts.pop() ?? '';
    let node = root;
    for (const part of parts) {
      let next = node.inner.get(part);
      if (next === undefined || !isSection(next)) node.inner.set(part, (next = { inner: new Map() }));
      node = next;
    }
    node.inner.set(last, key);
  }
  return root;
}

export const TREE: Section = grow(KEYS);

function described(key: Key): z.ZodType {
  const notes = [key.reason, `Must be ${key.kind.allowed}.`];
  const meta = { description: notes.join('\n'), ...(key.default !== null && { default: key.default }) };
  return key.kind.schema().meta(meta).optional();
}

function build(name: string, section: Section): z.ZodType {
  const each = section.inner.get('*');
  if (each !== undefined && isSection(each)) {
    const entry = build('*', each);
    return ARRAY_SECTIONS.includes(name)
      ? z.array(entry).optional()
      : z.record(z.string().regex(NAME), entry).optional();
  }
  const shape: Record<string, z.ZodType> = {};
  for (const [key, node] of section.inner) shape[key] = isSection(node) ? build(key, node) : described(node);
  return name === '*' ? z.strictObject(shape) : z.strictObject(shape).optional();
}

/** Accepts what town.toml may hold, apart from what concerns two keys at once. Every key is optional. */
export const TOML: z.ZodType = build('*', TREE);

/** JSON Schema (draft 2020-12) of town.toml, with every key's default and reason. */
export function jsonSchema(): Record<string, unknown> {
  return { title: 'town.toml', ...z.toJSONSchema(TOML, { io: 'input', unrepresentable: 'any' }) };
}
