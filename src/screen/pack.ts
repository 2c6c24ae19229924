/**
 * What an agent's screen says (facts of M-2, M-8). Owns: the choice of a pack.
 * 1. Blocked outranks busy, busy outranks idle; unknown stays unknown and never becomes idle.
 * 2. Only the live bottom region is judged: whatever stands above it may be a quotation.
 */
import { claude } from './claude.ts';
import { generic } from './generic.ts';
import type { Pack, Program, Screen } from './screen.ts';

export const PACKS = { claude, generic } as const satisfies Record<Pack['name'], Pack>;

/** The pack of the first program that one fits, else the generic one. */
export const packFor = (programs: readonly Program[]): Pack =>
  programs.some((program) => claude.fits(program)) ? claude : generic;

/** The words of a usage limit at the end of a screen, whose program may have ended; null = none. Pure. */
export const limitOn = (rows: readonly string[]): string | null => claude.limitOn?.(rows) ?? null;

/** Pure; never throws. */
export const readScreen = (pack: Pack, rows: readonly string[]): Screen => pack.read(rows);
