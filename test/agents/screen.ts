/** One screen of a pane as a text file: what a terminal shows with its colours, and what tmux knows about it. */
import { homedir } from 'node:os';
import { basename } from 'node:path';
import { CACHE } from './install.ts';
import type { Stage } from './stage.ts';

export const LABELS = [
  ...(['busy', 'idle', 'draft', 'busy_draft', 'blocked', 'login', 'limited', 'picker', 'error', 'gone'] as const),
];
export type Label = (typeof LABELS)[number];

/** Where a program shows another state in a scene than most do: as it was seen on the recorded screens. */
const SEEN: Readonly<Record<string, Partial<Record<string, Label>>>> = {
  interrupted: { claude: 'draft', qwen: 'draft' },
  'interrupted-queued': { claude: 'busy', codex: 'busy', qwen: 'draft' },
  'mcp-broken': { claude: 'blocked' },
  limit: { qwen: 'busy' },
  model: { aider: 'idle' },
  'retrying-later': { copilot: 'error' },
  // What is typed while it works is not shown before it is done.
  'thinking-draft': { aider: 'busy' },
  'streaming-draft': { aider: 'busy' },
  'streaming-draft-later': { aider: 'busy' },
  'tool-draft': { aider: 'busy' },
  'ticking-draft': { aider: 'busy' },
};
export const labelOf = (scene: string, agent: string, label: Label): Label => SEEN[scene]?.[agent] ?? label;

export interface Shot {
  readonly rows: string;
  readonly head: { readonly size: string; readonly cursor: string; readonly alternate: string; readonly title: string };
}

/** As long as the real one, so that no column moves. */
const CACHE_OF_NOBODY = `${'/home/dev/.cache/'.padEnd(CACHE.length - 7, 'x')}/agents`;
const FORMAT = '#{pane_width}x#{pane_height}\t#{cursor_x},#{cursor_y}\t#{?alternate_on,true,false}\t#{pane_title}';

/** Rows and facts of one instant: tmux carries out both commands without reading a pane in between. */
export function shoot(stage: Stage, target: string): Shot {
  const all = stage.tmux('capture-pane', '-p', '-e', '-t', target, ';', 'display-message', '-p', '-t', target, FORMAT);
  const rows = all.split('\n').slice(0, -1);
  const [size = '', cursor = '', alternate = '', title = ''] = (rows.pop() ?? '').split('\t');
  return { rows: rows.join('\n'), head: { size, cursor, alternate, title } };
}

export const plain = (rows: string): string =>
  rows.replace(/\u001b\[[0-9;:]*m|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[()][A-Z0-9]|[\u000e\u000f]/g, '');

/** The file: escape bytes as a visible sign, paths of this machine as made-up ones. */
export function written(shot: Shot, stage: Stage, state: Label, scene: string): string {
  const anonymous = (text: string) =>
    text
      .replaceAll(stage.home, '/home/dev')
      .replaceAll(`(${basename(stage.home)})`, '(home)')
      .replaceAll(CACHE, CACHE_OF_NOBODY)
      .replaceAll(homedir(), '/home/dev')
      .replaceAll('\u001b', '␛');
  const head = [
    'townwatch screen 1',
    `agent: ${stage.program.id}`,
    `version: ${stage.program.version}`,
    `size: ${shot.head.size}`,
    `cursor: ${shot.head.cursor}`,
    `alternate: ${shot.head.alternate}`,
    `title: ${anonymous(shot.head.title)}`,
    `state: ${state}`,
    `scene: ${scene}`,
    '---',
  ];
  return `${[...head, anonymous(shot.rows)].join('\n')}\n`;
}
