/** `town health` (P-17): one line for people, an exit code for cron. The running town judges itself. */
import { exitOf, type HealthView } from '../../inspect/health.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../../terminal/failure.ts';
import { clean } from '../../terminal/print.ts';

const SECOND_MS = 1_000;
const seconds = (ms: number): string => `${(ms / SECOND_MS).toFixed(1)} s`;

function told(view: HealthView, degraded: string | null, changes: readonly string[]): string {
  const late = view.late.map(({ what, age_ms: age, limit_ms: limit }) => {
    return `late: the last ${what} was ${seconds(age)} ago, more than ${seconds(limit)}`;
  });
  const ages = Object.entries(view.ages_ms).map(
    ([what, age]) => `last ${what} ${age === null ? 'still to come' : `${seconds(age)} ago`}`,
  );
  return [
    ...late,
    ...(view.tmux === 'silent' ? ['tmux does not answer'] : []),
    ...(degraded === null ? [] : [`degraded: ${clean(degraded)}`]),
    ...(view.well && degraded === null
      ? [`well: ${ages.join(', ')}, tmux ${view.tmux === 'answered' ? view.tmux : 'has not been asked yet'}`]
      : []),
    // A change that degrades the town stands there already.
    ...changes.filter((change) => change !== degraded).map((change) => `changed: ${clean(change)}`),
  ].join('\n');
}

/** 0 = well, 1 = late or still starting, 3 = down, 4 = degraded. */
export async function health(context: Context): Promise<ExitCode> {
  context.existing();
  const up = await context.askIfUp((town) => town.status());
  if (up === null) {
    const { whyNobody } = await import('../asking/silence.ts');
    context.answer('health', { running: false, well: false }, await whyNobody(context));
    return EXIT.notRunning;
  }
  const { health: view, degraded, changes = [] } = up;
  if (view === null) {
    context.answer('health', { running: true, well: false, starting: true }, 'the town is starting');
    return EXIT.failed;
  }
  const why = degraded.is ? (degraded.why ?? 'the reason is unknown') : null;
  const data = { running: true, ...view, degraded: degraded.is, degraded_why: why, changes };
  context.answer('health', data, told(view, why, changes));
  return exitOf(view, degraded.is);
}
