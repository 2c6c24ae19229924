/** What patrols leave in the journal: each deed once, as long as it leads to the same, and cycles that come to nothing. */
import type { OrderId } from '../../machines/protocol.ts';
import { polecatIn, sessionOf } from '../../machines/rigs/names.ts';
import type { ActOutcome } from '../../machines/protocol/patrols.ts';
import { couldNotText, didText } from '../../machines/patrols/act-words.ts';
import type { Correlation } from './correlation.ts';
import { amount, kind, words, type Draft, type Story } from './kind.ts';

const DEED = { patrol: words, act: words, about: words, text: words };
const whose = (patrol: string): string => (patrol === 'deacon' ? "the Deacon's patrol" : `the patrol of ${patrol}`);

const kinds = {
  'patrol.did': kind(DEED, (l) => `${whose(l.patrol)} ${didText(l.act, l.about)}: ${l.text}`),
  'patrol.did_not': kind(DEED, (l) => `${whose(l.patrol)} ${couldNotText(l.act, l.about)}: ${l.text}`),
  'patrol.step_failed': kind(
    { patrol: words, step: words, why: words },
    (l) => `${whose(l.patrol)} did not get through its step ${l.step}: ${l.why}`,
  ),
  'patrol.failed': kind(
    { patrol: words, why: words, failures: amount },
    (l) => `${whose(l.patrol)} came to nothing: ${l.why}`,
  ),
};

/** Each deed once, as long as it leads to the same; each close, since a bead that was closed before was opened again. */
const didIn = (patrol: string, deeds: readonly ActOutcome[], seen: Pick<Correlation, 'isNew'>) =>
  deeds
    .filter(({ act, about, done, text }) => {
      const isNew = seen.isNew(`deed/${patrol}/${act}/${about}`, `${String(done)} ${text}`);
      return isNew || (done && act === 'close');
    })
    .map(({ act, about, done, text }): Draft<typeof kinds> => {
      const polecat = act === 'nuke' ? { rig: patrol, name: about } : polecatIn(about);
      const session = polecat === null ? {} : { session: sessionOf(polecat) };
      return { kind: done ? 'patrol.did' : 'patrol.did_not', patrol, act, about, text, ...session };
    });

/** What a cycle does, an act or a step: the patrols' own lines say that it failed. */
export const isOfCycle = ({ issuer, verb }: OrderId): boolean =>
  issuer === 'patrol' && (verb === 'act' || verb === 'step');

export const patrols: Story<typeof kinds> = {
  kinds,
  facts: {
    PATROLLED: ({ re, found }, seen) => didIn(re.rig ?? '', found.deeds, seen),
    SURVEYED: ({ re, watched }, seen) => didIn(re.rig ?? '', watched, seen),
    ROUND_OPENED: ({ re, watched }, seen) => didIn(re.rig ?? '', watched, seen),
    STEP_DONE: ({ re, outcomes }, seen) => didIn(re.rig ?? '', outcomes, seen),
    ACTED: ({ re, outcomes }, seen) => didIn(re.rig ?? '', outcomes, seen),
    // An act or a step whose order came to nothing: the hands threw, or took too long.
    ORDER_FAILED: ({ re, why }, seen) => {
      if (!isOfCycle(re)) return [];
      const [act = '', ...about] = (re.name ?? '').split('/');
      if (re.verb === 'step')
        return seen.isNew(`step/${act}`, why)
          ? [{ kind: 'patrol.step_failed', patrol: re.rig ?? '', step: act, why }]
          : [];
      return didIn(re.rig ?? '', [{ act, about: about.join('/'), done: false, text: why }], seen);
    },
  },
  records: {
    // Written when its reason changes; the outcomes of cycles say what they did.
    patrol: ({ value: { of, why, failures } }, seen) =>
      seen.isNew(`patrol/${of}`, why ?? '') && why !== null
        ? { kind: 'patrol.failed', patrol: of, why, failures }
        : null,
  },
};
