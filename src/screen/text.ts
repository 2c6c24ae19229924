/**
 * The text of a pane, row by row, as captured. Owns: what is colour, what is decoration, what is a word.
 * Pure. Colour goes first, unicode stays: agents' markers are glyphs.
 */

/** Groups of a CSI: its parameters, and its last letter. */
export const ESCAPE = new RegExp(
  [
    String.raw`\u001b\[([0-?]*)[ -/]*([@-~])`, // CSI: colour, cursor
    String.raw`\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)`, // OSC: title, hyperlink
    String.raw`\u001b[ -/]*[0-~]`,
  ].join('|'),
  'g',
);
export const CONTROLS = new RegExp(String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f]`, 'g');

/** A captured row without colour and control characters. */
export const plain = (row: string): string => row.replace(ESCAPE, '').replace(CONTROLS, '');

/** Letters and digits of every script: whether two texts are the same. */
export const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Letters and digits that every terminal can show: what survives every wrap, box, quote and join. For an echo alone,
 * where a doubt pardons no agent.
 */
export const alphanumerics = (text: string): string => text.replace(/[^0-9A-Za-z]/g, '');

/** A row without box glyphs, quotes, bullets and prompt marks around its words. */
export const stripDecoration = (row: string): string =>
  row.replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}?])[^\p{L}\p{N}?]+$/gu, '');

export const isBlank = (row: string): boolean => !/\S/.test(row);

/** The last `count` rows that are not blank, as one text. */
export const tailOf = (rows: readonly string[], count: number): string =>
  rows
    .map((row) => plain(row).trimEnd())
    .filter((row) => !isBlank(row))
    .slice(-count)
    .join('\n');

const GLYPHS = /[\u2500-\u259f\u2800-\u28ff⬝■□▪▫✶✢✽✻✳·•◐◓◑◒◴◷◶◵⠿]/gu;
const SPINNERS = /(?<!\S)[|/\\*-](?!\S)/g;
const BARS = /\[[#=>.\s-]*\]/g;

/**
 * A row as the fingerprint sees it (M-3): without colour, box glyphs, spinners, bars and the values of counters and clocks,
 * which programs redraw in place whether they live or hang. Words of every script stay. Empty = nothing that could be news.
 */
export const normalise = (row: string): string =>
  plain(row)
    .replace(GLYPHS, ' ')
    .replace(BARS, ' ')
    .replace(SPINNERS, ' ')
    .replace(/\d+(?:[.,:]\d+)*/g, '#')
    .replace(/\s+/g, ' ')
    .trim();
