/**
 * Hooks in the text of a settings file of Claude Code. Pure: text in, text out. All that is not ours stays as it is, comments and order
 * included. A text that is not understood whole is not changed.
 */
import { findNodeAtLocation, parseTree, type JSONPath, type Node, type ParseError } from 'jsonc-parser';
import type { Hook } from '../sources/claude-hooks.ts';
import { insertPiece, removePiece } from './pieces.ts';

export interface CommandAt {
  readonly event: string;
  readonly command: string;
}

const HOOKS = 'hooks';
const BOM = '\ufeff';
const LOST = '\ufffd';
const EMPTY = '{}\n';

/** What Claude Code reads of a file that is not there, or is empty. */
const bodyOf = (text: string | null): string => {
  const body = text?.startsWith(BOM) === true ? text.slice(BOM.length) : (text ?? '');
  return body.trim() === '' ? EMPTY : body;
};

function treeOf(body: string): { readonly root: Node | undefined; readonly errors: readonly ParseError[] } {
  const errors: ParseError[] = [];
  const root = parseTree(body, errors, { allowTrailingComma: true });
  return { root, errors };
}

/** Why this text is not changed, as the end of a sentence; null = it can be. */
export function unfitText(text: string | null): string | null {
  if (text?.includes(LOST) === true) return 'it is not UTF-8';
  const body = bodyOf(text);
  const { root, errors } = treeOf(body);
  const [error] = errors;
  if (error !== undefined) return `line ${body.slice(0, error.offset).split('\n').length} is not JSON`;
  if (root?.type !== 'object') return 'it is not a JSON object';
  const hooks = findNodeAtLocation(root, [HOOKS]);
  const twice = [root, hooks]
    .map((node) => (node?.type === 'object' ? repeated(node) : null))
    .find((name) => name !== null);
  if (twice !== undefined) return `it has the key ${JSON.stringify(twice)} twice`;
  if (hooks !== undefined && hooks.type !== 'object') return 'its "hooks" is not an object';
  const odd = propertiesOf(hooks).find(({ value }) => value.type !== 'array');
  return odd === undefined ? null : `its hooks of ${JSON.stringify(odd.name)} are not a list`;
}

interface Property {
  readonly name: string;
  readonly value: Node;
}

const propertiesOf = (node: Node | undefined): Property[] =>
  (node?.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [{ name: String(key.value), value }],
  );

function repeated(node: Node): string | null {
  const names = propertiesOf(node).map(({ name }) => name);
  return names.find((name, at) => names.indexOf(name) < at) ?? null;
}

/** The commands of all hooks, in their order. Of a text that is not understood, none. */
export const commandsIn = (text: string | null): CommandAt[] =>
  placesIn(bodyOf(text)).map(({ event, command }) => ({ event, command }));

interface Place extends CommandAt {
  readonly path: JSONPath;
}

function placesIn(body: string): Place[] {
  const { root } = treeOf(body);
  const hooks = root && findNodeAtLocation(root, [HOOKS]);
  return propertiesOf(hooks).flatMap(({ name: event, value }) =>
    itemsOf(value).flatMap((entry, nth) =>
      itemsOf(findNodeAtLocation(entry, [HOOKS])).flatMap((hook, at) => {
        const command: unknown = findNodeAtLocation(hook, ['command'])?.value;
        return typeof command === 'string' ? [{ event, command, path: [HOOKS, event, nth, HOOKS, at] }] : [];
      }),
    ),
  );
}

const itemsOf = (node: Node | undefined): readonly Node[] => (node?.type === 'array' ? (node.children ?? []) : []);

/** Whether all hooks of a program are switched off here. */
export function areHooksOff(text: string | null): boolean {
  const { root } = treeOf(bodyOf(text));
  return root !== undefined && findNodeAtLocation(root, ['disableAllHooks'])?.value === true;
}

/** With these hooks behind those that are there. Only of a text that is not unfit. */
export function withHooks(text: string | null, hooks: readonly Hook[]): string {
  const head = text?.startsWith(BOM) === true ? BOM : '';
  let body = bodyOf(text);
  for (const { event, command, timeout } of hooks) {
    const entry = { hooks: [{ type: 'command', command, timeout }] };
    const { root } = treeOf(body);
    if (root === undefined) throw new TypeError('the text is unfit');
    const there = findNodeAtLocation(root, [HOOKS]);
    const list = there && findNodeAtLocation(there, [event]);
    if (there === undefined) body = insertPiece(body, root, HOOKS, { [event]: [entry] });
    else body = list === undefined ? insertPiece(body, there, event, [entry]) : insertPiece(body, list, null, entry);
  }
  return head + body;
}

/** Without the hooks whose command is ours, and without what they leave empty. Only of a text that is not unfit. */
export function withoutHooks(text: string, isOurs: (command: string) => boolean): string {
  const head = text.startsWith(BOM) ? BOM : '';
  let body = text.slice(head.length);
  for (;;) {
    const place = placesIn(body).find(({ command }) => isOurs(command));
    if (place === undefined) return head + body;
    body = removePiece(body, emptiedBy(body, place.path));
  }
}

/** The outermost part that holds this hook and nothing else: a property, or an item of a list. */
function emptiedBy(body: string, path: JSONPath): Node {
  const { root } = treeOf(body);
  const nodes = path.map((_, at) => root && findNodeAtLocation(root, path.slice(0, at + 1)));
  // hooks, its event, an entry, the list in that entry, the hook. The list goes with its entry.
  const [all, event, entry, list, hook] = nodes;
  const alone = (node: Node | undefined): boolean => node?.children?.length === 1;
  if (hook === undefined) throw new TypeError('there is no such hook');
  if (!alone(list)) return hook;
  if (!alone(event)) return entry ?? hook;
  return (alone(all) ? all?.parent : event?.parent) ?? hook;
}
