/** The words of a hearing (D-2, D-3): byte for byte those of the seed, and never the answer itself. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeOf, uuidOf } from '../../machines/kernel/seeded-random.ts';
import { freshDance } from '../../machines/hearings/dance.ts';
import { printCode, question, readCode } from '../../machines/hearings/question.ts';
import { incarnation, WALL, warrant } from '../world/drive.ts';
import { tools } from './lone.ts';

const COMMAND = { started: 'town alive', adopted: '/opt/town/bin/town --root /srv/town alive' };
const ask = (more: { reason?: string; requester?: string; windowMs?: number; code?: string } = {}) => {
  const { windowMs = 60_000, code = 'K73F', ...words } = more;
  return question(incarnation(1), warrant('w1', incarnation(1), words), { number: 1, of: 3, windowMs, code }, COMMAND);
};

// Rules: D-2.
test("its first four lines are the seed's", () => {
  expect(ask().slice(0, 4).join('\n')).toBe(
    [
      '[DOG] HEALTH CHECK: Session gt-rig-1, respond ALIVE within 60s or face termination.',
      'Warrant reason: no output for 20 minutes',
      'Filed by: deacon',
      'Attempt: 1/3',
    ].join('\n'),
  );
});

// Rules: D-2.
test('a fifth line says how to answer: a bare command where the town started the agent, an absolute one where not', () => {
  expect(ask()[4]).toMatch(/^To answer, run: town alive K7-3F /);
  const adopted = incarnation(1, { origin: 'adopted' });
  const lines = question(adopted, warrant('w1', adopted), { number: 1, of: 3, windowMs: 1, code: 'K73F' }, COMMAND);
  expect(lines[4]).toMatch(/^To answer, run: \/opt\/town\/bin\/town --root \/srv\/town alive K7-3F /);
  expect(ask()).toHaveLength(5);
});

test.each([
  [60_000, '60s'],
  [60_001, '61s'],
  [1, '1s'],
  [240_000, '240s'],
])('a window of %i ms is %s: whole seconds, rounded up', (windowMs, text) => {
  expect(ask({ windowMs })[0]).toContain(`within ${text} or`);
});

const words = fc.string({ unit: 'grapheme', maxLength: 400 });
const codes = fc.integer().map((n) => codeOf('any entropy', String(n)));

describe('any words of a requester', () => {
  // Rules: D-2.
  test('the literal answer never occurs in the question', () => {
    fc.assert(
      fc.property(codes, words, words, (code, reason, requester) => {
        const text = ask({ code, reason, requester }).join('\n').toUpperCase();
        expect(text).not.toContain(`ALIVE ${code}`);
        expect(text).not.toContain(code);
      }),
    );
  });

  // Rules: law 11.
  test('the question is five lines without control characters, and not endless', () => {
    const hostile = fc.string({ unit: fc.constantFrom('\n', '\r', '\u001b', '\u0003', '\u0085', '\u2028', 'x', ' ') });
    fc.assert(
      fc.property(fc.oneof(words, hostile), fc.oneof(words, hostile), (reason, requester) => {
        const lines = ask({ reason, requester });
        expect(lines).toHaveLength(5);
        expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
        expect(lines.join('').isWellFormed()).toBe(true);
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(400);
      }),
    );
  });
});

describe('codes', () => {
  test('begin with a letter, have four signs that are not mixed up, and are read back as printed', () => {
    fc.assert(
      fc.property(codes, (code) => {
        expect(code).toMatch(/^[A-HJ-NPQRT-Z][A-HJ-NPQRT-Z2346789]{3}$/);
        expect(readCode(printCode(code))).toBe(code);
        expect(readCode(` ${printCode(code).toLowerCase()} `)).toBe(code);
      }),
    );
  });

  test.each([
    ['K73F', 'K73F'],
    ['K7-3F', 'K73F'],
    ['k7-3f', 'K73F'],
    ['', null],
    ['K7', null],
    ['773F', null],
    ['K73FX', null],
    ['K7--3F', null],
    ['K7 3F', null],
    ['ALIVE', null],
  ])('%j is read as %j', (text, code) => {
    expect(readCode(text)).toBe(code);
  });

  test('differ between attempts and dances, and are the same for the same dance', () => {
    const drawn = Array.from({ length: 300 }, (_, n) => codeOf('e', `dog-1/${n}`));
    expect(new Set(drawn).size).toBeGreaterThan(290);
    expect(codeOf('e', 'dog-1/0')).toBe(codeOf('e', 'dog-1/0'));
    expect(codeOf('another', 'dog-1/0')).not.toBe(codeOf('e', 'dog-1/0'));
  });
});

test('uuids have the form of version 4', () => {
  fc.assert(
    fc.property(fc.string(), (key) => {
      expect(uuidOf('e', key)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }),
  );
});

test('no two questions of a dance have the same code, though its id draws one twice', () => {
  const id = 'dog-20569';
  expect(codeOf('test', `${id}/0`)).toBe(codeOf('test', `${id}/1`));
  const dance = freshDance(id, 1, warrant('w1'), tools(), { wall: WALL, escalate: false });
  expect(new Set(dance.attempts.map(({ code }) => code)).size).toBe(dance.attempts.length);
});
