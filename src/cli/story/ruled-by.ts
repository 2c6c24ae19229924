/** Which rule of `[[asks.rule]]` answers what stands before an agent, and else why not, as the town decides it. */
import { rulingFor, signatureOf } from '../../../machines/channels/rules.ts';
import { asksOnFile } from '../../../state/channels/asks.ts';
import { restoredAt } from '../../../state/process/restored.ts';
import { FITS } from '../../config/fits.ts';
import { peopleAt } from '../../hearings/people.ts';
import { Onlooker } from '../../overview/onlooker.ts';
import { readSessions } from '../../overview/records.ts';
import { doorTo } from '../../overview/scene.ts';
import { systemClock } from '../../ports/clock.ts';
import type { Dialog } from '../../screen/dialog.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import type { PersonsQuestion } from './question.ts';

type Ruled = Pick<NonNullable<PersonsQuestion['dialog']>, 'rule' | 'unruled'>;
export type RuledBy = (session: string | null, dialog: Dialog) => Ruled;
const NONE: Ruled = { rule: null, unruled: null };

/** Where the answers of rules cannot be read, none answers. `isAsked`: some dialog stands. */
export async function ruledByIn(context: Context, isAsked: boolean): Promise<RuledBy> {
  const settings = isAsked ? await context.settings() : null;
  const rules = settings?.askRules ?? [];
  if (settings === null || rules.length === 0) return () => NONE;
  const disk = await context.disk();
  const { found } = await readSessions(disk);
  const lives = found.flatMap(({ value: { incarnation } }) => incarnation ?? []);
  const people = { tmux: await doorTo(settings, disk), clock: systemClock, policy: settings.hands };
  const [asks, copied, used] = await Promise.all([
    asksOnFile({ disk, quarantine: new Onlooker(disk, note) }).catch(() => null),
    restoredAt(disk),
    peopleAt(people, lives).catch(() => null),
  ]);
  return (session, { id, way, whole, offers: options }) => {
    const life = lives.find((one) => one.session === session);
    if (asks === null || session === null || life === undefined) return NONE;
    const isUsed = used === null || used.has(session);
    const around = { asks, now: systemClock.wall(), isUsed, isCopy: copied !== null };
    const asking = { session, life: life.uuid, dialog: id, way, whole, options };
    const ruling = rulingFor(rules, asking, FITS, around);
    if (ruling === null) return NONE;
    const by = signatureOf(ruling.rule);
    return ruling.why === null
      ? { rule: `${by}: ${ruling.option.word}`, unruled: null }
      : { rule: null, unruled: `${by}: ${ruling.why}` };
  };
}
