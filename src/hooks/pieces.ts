/**
 * Pieces of JSON with comments, put into its text and taken out again. Pure. `modify` of jsonc-parser lays lines of its user out anew, puts
 * a piece before the comment of the line above, and takes that comment away with the piece; here all other text stays as it is.
 */
import { createScanner, type Node } from 'jsonc-parser';

const USUAL_STEP = '  ';

const endOf = ({ offset, length }: Node): number => offset + length;

/** Where the next comma ends before `to`, comments left out; null = another token comes first. */
function commaEnd(body: string, from: number, to: number): number | null {
  const scanner = createScanner(body.slice(from, to), true);
  scanner.scan();
  const at = from + scanner.getTokenOffset();
  return at < to && body[at] === ',' ? at + 1 : null;
}

/** How its lines are begun and ended. */
function layoutOf(body: string): { readonly eol: string; readonly step: string } {
  return { eol: body.includes('\r\n') ? '\r\n' : '\n', step: /^[ \t]+(?=["/{])/m.exec(body)?.[0] ?? USUAL_STEP };
}

/** `name` = of a property; null = it is an item of a list. It comes last in `container`, on lines of its own. */
export function insertPiece(body: string, container: Node, name: string | null, value: unknown): string {
  const { eol, step } = layoutOf(body);
  const close = endOf(container) - 1;
  const at = body.slice(0, close).trimEnd().length;
  const line = body.lastIndexOf('\n', container.offset) + 1;
  const outer = eol + (/^[ \t]*/.exec(body.slice(line))?.[0] ?? '');
  const inner = outer + step;
  const piece = JSON.stringify(value, null, step).replaceAll('\n', inner);
  const last = container.children?.at(-1);
  const from = last === undefined ? at : endOf(last);
  const comma = last === undefined || commaEnd(body, from, close) !== null ? '' : ',';
  const named = name === null ? '' : `${JSON.stringify(name)}: `;
  const end = body.slice(at, close).includes('\n') ? '' : outer;
  return `${body.slice(0, from)}${comma}${body.slice(from, at)}${inner}${named}${piece}${end}${body.slice(at)}`;
}

/** `node`: an item of a list, or a whole property. Its comma goes along. */
export function removePiece(body: string, node: Node): string {
  const siblings = node.parent?.children ?? [];
  const before = siblings[siblings.indexOf(node) - 1];
  const after = commaEnd(body, endOf(node), node.parent === undefined ? body.length : endOf(node.parent));
  const comma = after === null && before !== undefined ? commaEnd(body, endOf(before), node.offset) : null;
  const rest = body.slice(after ?? endOf(node));
  const head = body.slice(0, node.offset);
  // What stands behind it on its line would get behind a comment of the line above.
  const kept = /^[ \t]*(?:\r?\n|$)/.test(rest) ? head.trimEnd() : head;
  return (comma === null ? kept : kept.slice(0, comma - 1) + kept.slice(comma)) + rest;
}
