/** What patrols leave in the journal: each deed once, as long as it leads to the same, and cycles that come to nothing. */
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
  'patrol.failed': kind(
    { patrol: words, why: words, failures: amount },
    (l) => `${whose(l.patrol)} came to nothing: ${l.why}`,
  ),
};

/** Each deed once, as long as it leads to the same. */
const didIn = (patrol: string, deeds: readonly ActOutcome[], seen: Pick<Correlation, 'isNew'>) =>
  deeds
    .filter(({ act, about, done, text }) => seen.isNew(`deed/${patrol}/${act}/${about}`, `${String(done)} ${text}`))
    .map(({ act, about, done, text }): Draft<typeof kinds> => {
      const polecat = act === 'nuke' ? { rig: patrol, name: about } : polecatIn(about);
      const session = polecat === null ? {} : { session: sessionOf(polecat) };
      return { kind: done ? 'patrol.did' : 'patrol.did_not', patrol, act, about, text, ...session };
    });

export const patrols: Story<typeof kinds> = {
  kinds,
  facts: {
    PATROLLED: ({ re, found }, seen) => didIn(re.rig ?? '', found.deeds, seen),
    SURVEYED: ({ re, watched }, seen) => didIn(re.rig ?? '', watched, seen),
    ACTED: ({ re, outcomes }, seen) => didIn(re.rig ?? '', outcomes, seen),
    // An act whose order came to nothing: the hands threw, or took too long.
    ORDER_FAILED: ({ re, why }, seen) => {
      if (re.giver !== 'patrol' || re.verb !== 'act') return [];
      const [act = '', ...about] = (re.name ?? '').split('/');
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
