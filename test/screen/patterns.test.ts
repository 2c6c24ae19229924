/** No row that an agent may draw keeps a pattern busy for longer than the row is long, and a person's own pack is broken off. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { parse } from 'smol-toml';
import ts from 'typescript';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import { patternOf } from '../../src/screen/pattern.ts';
import { UNKNOWN_PICTURE } from '../../src/screen/picture.ts';
import { READING } from '../../src/screen/policy.ts';
import { readScreen } from '../../src/screen/read.ts';
import type { Attack } from './attacks.ts';
import { tempFolder } from '../world/over.ts';

/** Longer than a row that is judged, so that what grows with its square shows. */
const LENGTH = 2 * READING.maxRowChars;
/** One step for each alternative of a pattern at each sign, about. */
const STEPS_PER_SIGN = 24;

const SRC = join(import.meta.dirname, '../../src');
const PACKS = join(SRC, 'screen/packs');

interface Found {
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

/** Every text of a pack that is a pattern: only those have signs that patterns are made of. */
function patternsIn(value: unknown, where: string): Found[] {
  if (typeof value === 'string') {
    if (!/[\\^$*+?|[\]()]/.test(value)) return [];
    const { source, flags } = patternOf(value);
    return [{ where, source, flags }];
  }
  if (typeof value !== 'object' || value === null) return [];
  // Signs as they are typed, no patterns.
  const shapes = Object.entries(value).filter(([key]) => key !== 'never_first');
  return shapes.flatMap(([key, one]) => patternsIn(one, `${where} ${key}`));
}

function literalsIn(file: string): Found[] {
  const found: Found[] = [];
  const source = ts.createSourceFile(file, readFileSync(join(SRC, file), 'utf8'), ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    const [, pattern, flags = ''] = ts.isRegularExpressionLiteral(node)
      ? (/^\/(.*)\/(\w*)$/.exec(node.text) ?? [])
      : [];
    if (pattern !== undefined) found.push({ where: file, source: pattern, flags: flags.includes('i') ? 'ui' : 'u' });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const thread = new Worker(join(import.meta.dirname, 'attacks.ts'));
afterAll(() => thread.terminate());

/** Of each the texts on which it is slow. */
async function slowTexts(found: readonly Pick<Found, 'source' | 'flags'>[]): Promise<string[][]> {
  const attacks = found.map(({ source, flags }): Attack => {
    return { source, flags, length: LENGTH, stepsPerSign: STEPS_PER_SIGN };
  });
  thread.postMessage(attacks);
  const [texts] = (await once(thread, 'message')) as [string[][]];
  return texts;
}

async function slow(found: readonly Found[]): Promise<string[]> {
  const texts = await slowTexts(found);
  return found.flatMap(({ where, source }, at) => {
    const text = texts[at]?.[0];
    return text === undefined ? [] : [`${where}: ${source} on ${JSON.stringify(text.slice(0, 60))}`];
  });
}

describe('what a pattern takes grows with the row, not with its square', () => {
  test.each(readdirSync(PACKS))('%s', async (file) => {
    const found = patternsIn(parse(readFileSync(join(PACKS, file), 'utf8')), '');
    expect(found.length).toBeGreaterThan(10);
    expect(await slow(found)).toEqual([]);
  });

  /** Of those that foreign text is read with; `secrets.ts` and `redact.ts` read what a person records. */
  const OWN_WORDS = new Set(['screen/secrets.ts', 'screen/redact.ts', 'hearings/ask.ts']);
  test.each(
    ['screen', 'hearings'].flatMap((folder) =>
      readdirSync(join(SRC, folder))
        .map((name) => `${folder}/${name}`)
        .filter((name) => name.endsWith('.ts')),
    ),
  )('%s', async (file) => {
    expect(OWN_WORDS.has(file) ? [] : await slow(literalsIn(file))).toEqual([]);
  });

  test('one that does not is found', async () => {
    const sources = [String.raw`\s+$`, '^(?:a+)+$', String.raw`^\s*│?\s*x`, 'a.*b', String.raw`^(?:.* · .*\n)*$`];
    const texts = await slowTexts(sources.map((source) => ({ source, flags: 'u' })));
    for (const [at, source] of sources.entries()) expect(texts[at], source).not.toEqual([]);
  });
});

test('a screen with a row that no terminal is wide enough for is unknown', () => {
  const RULE = '─'.repeat(60);
  const composer = ['● Done.', '', RULE, '❯ ', RULE];
  const read = (rows: readonly string[]): object =>
    readScreen(new Packs().named('claude'), { ...UNKNOWN_PICTURE, rows });
  expect(read(composer)).toMatchObject({ state: 'idle', mayType: true });
  expect(read(['─'.repeat(READING.maxRowChars + 1), ...composer])).toMatchObject({
    state: 'unknown',
    rule: 'claude/too-wide',
    mayType: false,
  });
});

describe('a pack of a person’s own whose pattern takes for ever', () => {
  let folder = '';
  beforeEach(() => {
    folder = tempFolder('town-packs');
    mkdirSync(join(folder, 'packs'));
  });

  const HOSTILE = `${'a'.repeat(60)}b`;
  function packs(name: string, text: string): { readonly packs: Packs; readonly told: string[] } {
    writeFileSync(join(folder, 'packs', `${name}.toml`), text, { mode: 0o600 });
    const told: string[] = [];
    return { packs: new Packs({ folder: join(folder, 'packs'), refused: (why) => told.push(why) }), told };
  }

  // Rules: M-8.
  test('is broken off: that look is unknown, then it is told once and the shipped one judges', () => {
    const shipped = readFileSync(join(PACKS, 'aider.toml'), 'utf8');
    const own = packs('aider', `${shipped}\n[[rule]]\nname = "mine"\nstate = "blocked"\nmatch = '^(?:a+)+$'\n`);
    const picture = { ...UNKNOWN_PICTURE, rows: [HOSTILE] };
    expect(readScreen(own.packs.named('aider'), picture)).toMatchObject({
      state: 'unknown',
      rule: 'aider/too-slow',
      mayType: false,
    });
    expect(own.told).toEqual([]);
    for (let looks = 0; looks < 3; looks += 1)
      expect(readScreen(own.packs.named('aider'), picture)).toMatchObject({ state: 'busy', rule: 'aider/output' });
    expect(own.told).toEqual([expect.stringMatching(/packs\/aider\.toml: its patterns take too long/)]);
    expect(own.packs.fileOf('aider')?.whose).toBe('shipped');
  });

  test('is asked of no process any more, and others are found as before', () => {
    const own = packs('mine', "name = 'mine'\nlabel = 'Mine'\ncomplete = false\n[processes]\nfiles = '^(?:a+)+$'\n");
    const kindOf = (word: string): string | null => own.packs.kindOf({ comm: 'x', argv: [word] });
    expect(kindOf('aaa')).toBe('mine');
    expect([kindOf(HOSTILE), kindOf('aaa'), kindOf('/bin/aider')]).toEqual([null, null, 'aider']);
    expect(own.told).toEqual([expect.stringMatching(/packs\/mine\.toml: its patterns take too long/)]);
  });

  test('that is quick is asked as any other', () => {
    const own = packs(
      'mine',
      "name = 'mine'\nlabel = 'Mine'\ncomplete = false\n[processes]\n[[rule]]\nname = 'mine'\nstate = 'error'\nmatch = '^oh no'\n",
    );
    const screen = readScreen(own.packs.named('mine'), { ...UNKNOWN_PICTURE, rows: ['oh no'] });
    expect(screen).toMatchObject({ state: 'error', rule: 'mine/mine' });
  });
});
