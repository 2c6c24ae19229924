/** A Markdown text as a tree of its blocks (CommonMark), each with its lines. What stands inside a line stays as it is written. */
import MarkdownIt, { type Token } from 'markdown-it';
import { PLAN } from './policy.ts';

export interface Block {
  /** As markdown-it names it: `heading`, `paragraph`, `bullet_list`, `ordered_list`, `list_item`, `fence`, … */
  readonly kind: string;
  /** First line, from 0, and the one behind the last. */
  readonly from: number;
  readonly to: number;
  /** Of a heading and a paragraph: its text, without the marks of the blocks around it; a line of it is a line of the file. */
  readonly text: string;
  /** Of a heading 1 to 6, of the first item of an ordered list its number; else 0. */
  readonly number: number;
  readonly children: Block[];
}

const markdown = new MarkdownIt('commonmark', { maxNesting: PLAN.maxNesting });
// Titles and descriptions are kept as they are written: no word is looked into.
markdown.core.ruler.enableOnly(['normalize', 'block']);

function numberOf(token: Token): number {
  if (token.type === 'heading_open') return Number(token.tag.slice(1));
  return token.type === 'ordered_list_open' ? Number(token.attrGet('start') ?? 1) : 0;
}

export function blocksOf(text: string): Block[] {
  const top: Block[] = [];
  const open: Block[] = [];
  for (const token of markdown.parse(text, {})) {
    const here = open.at(-1);
    if (token.nesting < 0) {
      open.pop();
    } else if (token.type === 'inline') {
      if (here !== undefined) Object.assign(here, { text: token.content });
    } else {
      const [from = 0, to = 0] = token.map ?? [];
      const block = { kind: token.type.replace(/_open$/, ''), from, to, text: '', number: numberOf(token) };
      const made: Block = { ...block, children: [] };
      (here?.children ?? top).push(made);
      if (token.nesting > 0) open.push(made);
    }
  }
  return top;
}
