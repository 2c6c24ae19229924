import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { formatDuration, parseDuration } from '../../src/config/duration.ts';
import { KEYS, type Key } from '../../src/config/keys.ts';
import { schemaOf, type Kind } from '../../src/config/kinds.ts';
import { loadSettings } from '../../src/config/load.ts';
import { TOML, jsonSchema } from '../../src/config/schema.ts';
import { DEFAULTS, at, setAt, type Settings } from '../../src/config/settings.ts';

const NOWHERE = '/nonexistent/town';
const load = (set: string[] = [], env: Record<string, string> = {}): Settings =>
  loadSettings({ root: NOWHERE, set, env });

/** Another allowed value than `value`, as one would write it. */
function other(kind: Kind, value: unknown): unknown {
  switch (kind.is) {
    case 'duration': {
      const ms = parseDuration(String(value)) ?? 0;
      return formatDuration(ms + 1 <= kind.max ? ms + 1 : ms - 1);
    }
    case 'windows':
      return ['1s', '2s'];
    case 'int':
      return Number(value) < kind.max ? Number(value) + 1 : Number(value) - 1;
    case 'number':
      return Number(value) < kind.max ? (Number(value) + kind.max) / 2 : kind.min;
    case 'bool':
      return value !== true;
    case 'list':
      return ['another'];
    case 'one':
      return kind.of.find((word) => word !== value) ?? value;
    default:
      return 'another';
  }
}

const fixed = KEYS.filter((key) => !key.path.includes('*'));
const asText = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));

/** A tree that keeps pairs of keys in order whatever single key is raised. */
function room(key: Key): string[] {
  return key.path === 'dance.look_every' ? ['dance.max_per_look=1m'] : [];
}

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
      const value = schemaOf(key.kind).parse(key.default);
      if (!key.path.includes('*')) expect(value).toEqual(at(DEFAULTS, key.to));
    },
  );

  test.each(fixed.map((key) => [key.path, key] as const))('%s changes the settings at its place', (_, key) => {
    const value = other(key.kind, key.default);
    const settings = load([...room(key), `${key.path}=${asText(value)}`]);
    expect(at(settings, key.to)).toEqual(schemaOf(key.kind).parse(value));
    expect(at(settings, key.to)).not.toEqual(at(DEFAULTS, key.to));
  });

  test.each(fixed.map((key) => [key.env[0] ?? '', key] as const))('$%s is heard', (name, key) => {
    const value = other(key.kind, key.default);
    if (key.kind.is === 'one' && key.kind.of.length === 1) return;
    const settings = loadSettings({ root: NOWHERE, set: room(key), env: { [name]: asText(value) } });
    expect(at(settings, key.to)).toEqual(schemaOf(key.kind).parse(value));
  });

  test('a default of the settings stays untouched by a load', () => {
    load(['dance.pool_size=7']);
    expect(DEFAULTS.policy).toBe(POLICY);
    expect(POLICY.dance.poolSize).toBe(5);
  });
});

test('every number that decides about an agent is a key', () => {
  const places = new Set(KEYS.map((key) => key.to));
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
