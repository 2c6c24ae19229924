/** Rigs in `town status`: a line for each, who works there on what, when it was patrolled last and what came of it. */
import { age, sinceText } from '../journal/when.ts';
import { times } from '../../machines/kernel/span.ts';
import type { RigView, RigsView, RoundView } from '../overview/rigs.ts';
import { clean } from '../terminal/print.ts';

/** Polecats named in one line. */
const NAMED = 5;

function roundText(round: RoundView | null): string {
  if (round === null) return 'not patrolled yet';
  const when = `patrolled ${age(round.ended_at)} ago`;
  if (round.why !== null) return `${when}, which came to nothing ${times(round.failures, 'time')}: ${clean(round.why)}`;
  const undone = round.undone === 0 ? '' : `, ${times(round.undone, 'act')} not done`;
  return `${when}${round.done === 0 ? '' : `, ${times(round.done, 'act')}`}${undone}`;
}

function polecatsText({ polecats, polecat_count: count = polecats.length }: RigView): string {
  if (count === 0) return 'no polecats';
  const named = polecats.slice(0, NAMED).map(({ name, bead }) => (bead === null ? name : `${name} on ${bead}`));
  const more = count > named.length ? `, ${count - named.length} more` : '';
  return `${times(count, 'polecat')} (${clean(named.join(', '))}${more})`;
}

const rigText = (rig: RigView): string => {
  const { name, patrol } = rig;
  const stranded = patrol?.stranded.length ?? 0;
  const { waiting = 0 } = patrol?.observed ?? {};
  const strands = stranded === 0 ? '' : `, ${times(stranded, 'bead')} stranded: no agent`;
  const waits = waiting === 0 ? '' : `, ${times(waiting, 'bead')} not given out yet`;
  return `rig ${name}: ${polecatsText(rig)}${strands}${waits}; ${roundText(patrol)}`;
};

/** Of the town's own round what is open. */
function deaconText(round: RoundView): string {
  const { convoys = 0, gates = 0, triage = 0 } = round.observed;
  return `${times(convoys, 'open convoy')}, ${times(gates, 'gate')}, ${times(triage, 'open case')} of triage; ${roundText(round)}`;
}

/** Which part of the town's own rounds needed a decision. */
function triageText({ cycles, triage_cycles: needed, triage_share: share }: RigsView): string {
  if (share === null) return '';
  return `; ${needed} of ${times(cycles, 'cycle')} (${(share * 100).toFixed(1)} %) needed triage`;
}

/** What each works on, where that is known. */
const titleLines = ({ polecats }: RigView): string[] =>
  polecats
    .slice(0, NAMED)
    .flatMap(({ name, title }) => (title === undefined ? [] : [`  ${clean(name)}: ${clean(title)}`]));

const requestLines = ({ pull_requests: all = [] }: RigView): string[] => {
  const more = all.length - NAMED;
  const lines = all.slice(0, NAMED).map(({ bead, title, url, opened_at: at }) => {
    const where = url === null ? '' : `: ${url}`;
    return clean(`  pull request of ${bead} (${title}), open ${sinceText(at)}${where}`);
  });
  return more > 0 ? [...lines, `  … and ${more} more, in town report`] : lines;
};

export const rigLines = (view: RigsView): string[] => [
  ...view.rigs.flatMap((rig) => [rigText(rig), ...titleLines(rig), ...requestLines(rig)]),
  ...(view.deacon === null ? [] : [deaconText(view.deacon)]),
  `the last round: ${times(view.model_calls, 'model call')}${triageText(view)}`,
];
