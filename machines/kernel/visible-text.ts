/**
 * Invisible characters of foreign text, made visible (law 11). Zero-width signs, tags, line separators and marks of direction show a
 * reader one text and a model another. Emoji and scripts that need joiners keep them.
 */

/** Code points that a terminal and an editor draw as nothing; Unicode's own list, and separators that break lines in some programs only. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]+/gu;

const ZERO_WIDTH_JOINER = '\u200d';
const EMOJI_JOINED = /^\u200d$/u;
const EMOJI_STYLE = /^[\ufe0e\ufe0f]\u200d?$/u;
const JOINER = /^[\u200c\u200d]$/u;
const ENDS_IN_EMOJI = /[\p{Emoji}\p{Emoji_Modifier}]$/u;
const BEGINS_WITH_EMOJI = /^\p{Extended_Pictographic}/u;
/** Scripts in which a joiner changes how letters are written: Arabic, Syriac, Mongolian, and those of India and its neighbours. */
const JOINS =
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}]$/u;

/** Whether the run belongs to how the signs around it are written. */
function isWriting(run: string, before: string, after: string): boolean {
  if (EMOJI_STYLE.test(run) && ENDS_IN_EMOJI.test(before))
    return !run.endsWith(ZERO_WIDTH_JOINER) || BEGINS_WITH_EMOJI.test(after);
  if (EMOJI_JOINED.test(run) && ENDS_IN_EMOJI.test(before)) return BEGINS_WITH_EMOJI.test(after);
  return JOINER.test(run) && JOINS.test(before);
}

const nameOf = (sign: string): string => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** The longest run of characters that are named one by one. In a longer run the first stands for all. */
const MAX_NAMED = 3;
/** A sign has at most so many UTF-16 units. */
const UNITS = 2;

/** The same text with each invisible character named: `a<U+200B>b`. Pure; twice is once. */
export function showInvisible(text: string): string {
  return text.replace(INVISIBLE, (run, at: number) => {
    const end = at + run.length;
    if (isWriting(run, text.slice(Math.max(0, at - UNITS), at), text.slice(end, end + UNITS))) return run;
    const signs = [...run];
    if (signs.length <= MAX_NAMED) return signs.map((sign) => `<${nameOf(sign)}>`).join('');
    return `<${signs.length} invisible characters, the first ${nameOf(signs[0] ?? '')}>`;
  });
}

/** JSON text in which each of them is escaped as JSON does it, so that nothing is lost. */
export const escapeInvisible = (json: string): string =>
  json.replace(INVISIBLE, (run) =>
    Array.from({ length: run.length }, (_, at) => `\\u${run.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

/** Foreign words within a sentence of the town: between quotation marks, of which none stands inside. */
export const quoteForeign = (words: string): string => `"${words.replaceAll('"', "'")}"`;
