/** What an hour showed, as a table: scene, agent, how often, and how long after it was true the town said it. */
import type { Noticed, Oracle } from './oracle.ts';
import type { Played } from './play.ts';

const HEAD = [
  '| scene | agent | played | what | noticed after: median, max | promised |',
  '| --- | --- | --- | --- | --- | --- |',
];
const secondsOf = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const programOf = (agent: string): string => agent.replace(/\d+$/, '');

function medianOf(all: readonly Noticed[]): string {
  const ms = all.map((one) => one.ms).sort((one, other) => one - other);
  return `${secondsOf(ms[Math.floor(ms.length / 2)] ?? 0)}, ${secondsOf(ms.at(-1) ?? 0)} (${String(ms.length)})`;
}

export function tableOf(played: readonly Played[], { noticed }: Oracle): string {
  const still = noticed.filter(({ isAcross }) => !isAcross);
  const keyOf = (agent: string, scene: string, what: string): string => [scene, programOf(agent), what].join('|');
  const groups = Map.groupBy(still, ({ agent, scene, what }) => keyOf(agent, scene, what));
  const rows = [...groups]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([key, all]) => {
      const [scene = '', program = '', what = ''] = key.split('|');
      const count = played.filter((one) => one.scene === scene && programOf(one.agent) === program).length;
      return `| ${[scene, program, String(count), what, medianOf(all), secondsOf(all[0]?.limitMs ?? 0)].join(' | ')} |`;
    });
  const left = noticed.length - still.length;
  const unplayed = played.filter(({ isPlayed }) => !isPlayed).length;
  const tail = `${String(played.length)} scenes, ${String(unplayed)} not played to their end; ${String(left)} measures across a kill of the town are left out`;
  return [...HEAD, ...rows, '', tail].join('\n');
}
