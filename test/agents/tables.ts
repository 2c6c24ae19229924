/** What came of the scenes, for people: agent × scene, and agent × what the town promises. */
import type { Cell } from './matrix.ts';

/** A mark each: `.` right, `X` wrong, blank where a program has no such scene. */
export function marksOf(cells: readonly Cell[]): string {
  const agents = [...new Set(cells.map(({ agent }) => agent))];
  const scenes = [...new Set(cells.map(({ scene }) => scene))];
  const mark = (agent: string, scene: string) => {
    const found = cells.filter((cell) => cell.agent === agent && cell.scene === scene);
    return found.length === 0 ? ' ' : found.every(({ isRight }) => isRight) ? '.' : 'X';
  };
  const rows = scenes.map((scene) =>
    [scene.padEnd(11), ...agents.map((agent) => mark(agent, scene).padEnd(9))].join(''),
  );
  return [''.padEnd(11) + agents.map((agent) => agent.padEnd(9)).join(''), ...rows].join('\n');
}

const PROMISES: Readonly<Record<string, readonly string[]>> = {
  'state recognised': ['error', 'limit', 'limited', 'trust', 'login'],
  'asked safely': ['prose', 'prose late', 'tool', 'tick', 'stream', 'think'],
  'answer read': ['answer', 'bare', 'obey', 'quote', 'command', 'mark'],
  'dialog spared': ['permission', 'edit', 'ask', 'trust', 'login'],
  'draft spared': ['draft', 'folded', 'mimic'],
  'hang ended': ['hang', 'stopped'],
  'tree ended': ['end'],
};

/** The table of docs/agents.md: how many of the scenes behind a promise went right; a hang says how. */
export function promisesOf(cells: readonly Cell[]): string {
  const row = (words: readonly string[]): string => `| ${words.join(' | ')} |`;
  const agents = [...new Set(cells.map(({ agent, version }) => `${agent} ${version}`))];
  const head = ['agent', ...Object.keys(PROMISES)];
  const body = agents.map((agent) => {
    const own = cells.filter((cell) => `${cell.agent} ${cell.version}` === agent);
    return row([agent, ...Object.entries(PROMISES).map(([name, scenes]) => kept(name, own, scenes))]);
  });
  return [row(head), row(head.map(() => '---')), ...body].join('\n');
}

function kept(name: string, cells: readonly Cell[], scenes: readonly string[]): string {
  const played = cells.filter(({ scene }) => scenes.includes(scene));
  if (played.length === 0) return '–';
  const count = `${played.filter(({ isRight }) => isRight).length} of ${played.length}`;
  const how = new Set(played.map(({ got }) => got));
  return name === 'hang ended' ? `${count} (${[...how].join(', ')})` : count;
}
