/**
 * Foreign words where a shell may read them (D-8, law 11). A question can outlive who was asked in the terminal's queue, and
 * below an adopted agent waits a person's shell: so nothing that is typed for others means anything to a shell.
 */

/**
 * Characters that bash, dash, zsh or fish read as more than text, anywhere in a line: operators, quotes, expansions,
 * globs, comments, history.
 */
const ACTIVE = /[!"#$%&'()*;<=>?[\\\]^`{|}~]/g;
/** Signs without a meaning in Unicode: fish has its own for some of them, inside. */
const UNASSIGNED = /[\p{Co}\p{Cn}]/gu;

/** Any sign that a reader can see: blanks of every kind, controls, marks of direction, joiners and lone accents are none. */
const VISIBLE = /[^\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a text says nothing to a reader. Pure. */
export const saysNothing = (text: string): boolean => !VISIBLE.test(text);

/** How far the full-width form of a sign is from the sign itself. */
const FULL_WIDTH = 0xff01 - 0x21;
const QUOTES: Readonly<Record<string, string>> = { "'": '’', '"': '”' };
const lookAlike = (sign: string): string => QUOTES[sign] ?? String.fromCodePoint(sign.charCodeAt(0) + FULL_WIDTH);

/**
 * The same text for a reader, a row of plain words for every shell: `; rm $x` becomes `； rm ＄x`. Letters, digits and
 * `, . : / + - _ @` stay. It may not stand first in a line: there a plain word is a command. Pure; twice is once.
 */
export const plainWords = (text: string): string => text.replace(ACTIVE, lookAlike).replace(UNASSIGNED, '_');
