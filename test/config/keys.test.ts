import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { printValue } from '../../src/config/check.ts';
import { constants } from '../../src/config/constants.ts';
import { formatDuration, parseDuration } from '../../src/config/duration.ts';
import { KEYS } from '../../src/config/keys.ts';
import type { Kind } from '../../src/config/kinds.ts';
import { loadSettings } from '../../src/config/load.ts';
import { TOML, jsonSchema } from '../../src/config/schema.ts';
import { parseToml } from '../../src/config/toml-file.ts';
import { DEFAULTS, at, setAt, type Settings } from '../../src/config/settings.ts';

const NOWHERE = '/nonexistent/town';
const load = (set: string[] = [], env: Record<string, string> = {}): Settings =>
  loadSettings({ root: NOWHERE, set, env });

/** Another allowed value than `value`, as one would write it. */
function other(kind: Kind, value: unknown): unknown {
  const { is, of = [], min = 0, max = Infinity } = kind;
  switch (is) {
    case 'duration': {
      const ms = parseDuration(String(value)) ?? 0;
      return formatDuration(ms + 1 <= max ? ms + 1 : ms - 1);
    }
    case 'windows':
      return ['1s', '2s'];
    case 'int':
      return Number(value) < max ? Number(value) + 1 : Number(value) - 1;
    case 'number':
      return Number(value) < max ? (Number(value) + max) / 2 : min;
    case 'size':
      return '7 GB';
    case 'bool':
      return value !== true;
    case 'list':
      return of.length === 0 ? ['another'] : of;
    case 'one':
      return of.find((word) => word !== value) ?? value;
    case 'url':
      return 'https://another.example';
    case 'hours':
      return '01:00-02:00';
    default:
      return 'another';
  }
}

const fixed = KEYS.filter((key) => !key.path.includes('*'));
const asText = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));

describe('the key table', () => {
  test('names every key once', () => {
    const names = KEYS.map((key) => key.path);
    expect(new Set(names).size).toBe(names.length);
  });

  test('says why each is there', () => {
    for (const key of KEYS) expect(key.reason, key.path).not.toBe('');
  });

  test.each(KEYS.filter((key) => key.default !== null).map((key) => [key.path, key] as const))(
    '%s accepts its own default',
    (_, key) => {
      const value = key.kind.schema().parse(key.default);
      if (!key.path.includes('*')) expect(value).toEqual(at(DEFAULTS, key.to));
    },
  );

  test.each(KEYS.map((key) => [key.path, key] as const))('%s accepts the example of its error', (path, { kind }) => {
    const { written } = parseToml(path, `written = ${printValue(kind.example)}`);
    expect(kind.schema().safeParse(written).error).toBeUndefined();
  });

  test.each(fixed.map((key) => [key.path, key] as const))('%s changes the settings at its place', (_, key) => {
    const value = other(key.kind, key.default);
    const settings = load([`${key.path}=${asText(value)}`]);
    expect(at(settings, key.to)).toEqual(key.kind.schema().parse(value));
    expect(at(settings, key.to)).not.toEqual(at(DEFAULTS, key.to));
  });

  test.each(fixed.map((key) => [key.env[0] ?? '', key] as const))('$%s is heard', (name, key) => {
    const value = other(key.kind, key.default);
    if (key.kind.of?.length === 1) return;
    const settings = loadSettings({ root: NOWHERE, env: { [name]: asText(value) } });
    expect(at(settings, key.to)).toEqual(key.kind.schema().parse(value));
  });

  test('a default of the settings stays untouched by a load', () => {
    load(['dance.pool_size=7']);
    expect(DEFAULTS.policy).toBe(POLICY);
    expect(POLICY.dance.poolSize).toBe(5);
  });
});

describe('the constants', () => {
  const all = [...constants().values()];

  test('are no keys, and each has a place of its own with a number in it', () => {
    const paths = [...KEYS, ...all].map(({ path }) => path);
    expect(paths.toSorted()).toEqual([...new Set(paths)].toSorted());
    expect(new Set([...KEYS, ...all].map(({ to }) => to)).size).toBe(paths.length);
    expect(all.filter(({ value }) => value === undefined || value === null)).toEqual([]);
  });

  test.each(all.map((one) => [one.path, one] as const))('%s stands in the file that it names', (_, { to, file }) => {
    const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
    expect(text).toMatch(new RegExp(`^  ${to.split('.').at(-1) ?? ''}: `, 'm'));
  });

  test.each(all.map((one) => [one.path, one] as const))('%s accepts its own value', (_, { kind, value, to }) => {
    expect(kind.schema().parse(value)).toEqual(at(DEFAULTS, to));
  });
});

test('every number that decides about an agent is a key or a constant', () => {
  const places = new Set([...KEYS, ...constants().values()].map(({ to }) => to));
  const numbersOf = (tree: object, place: string): string[] =>
    Object.entries(tree).flatMap(([name, value]: [string, unknown]) => {
      const inner = `${place}.${name}`;
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? numbersOf(value, inner) : [inner];
    });
  const missing = numbersOf(POLICY, 'policy').filter((place) => !places.has(place));
  expect(missing).toEqual([]);
});

describe('the schema', () => {
  test('is JSON Schema with defaults and reasons', () => {
    const schema = jsonSchema();
    const pool = at(schema, 'properties.dance.properties.pool_size');
    expect(pool).toMatchObject({ type: 'integer', minimum: 1, maximum: 20, default: 5 });
    expect(at(schema, 'properties.dance.additionalProperties')).toBe(false);
    expect(at(schema, 'properties.agents.type')).toBe('array');
  });

  test('accepts a file with every key at its default', () => {
    const tree: Record<string, unknown> = {};
    for (const key of fixed) if (key.default !== null) setAt(tree, key.path, key.default);
    expect(TOML.safeParse(tree).error?.issues ?? []).toEqual([]);
  });
});
