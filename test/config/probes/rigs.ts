/** `[rig.<name>]`: what polecats run, how many there may be, and what merges their work. */
import type { Settings } from '../../../src/config/settings.ts';
import { witnessSession } from '../../../src/patrols/agent/watch.ts';
import { choicesOf } from '../../../src/rigs/choices.ts';
import { probe, type Probes } from './probe.ts';

const decides = (settings: Settings): unknown => choicesOf(settings, { name: 'shop', agent: ['sh'] });
const table = (more: object): object => ({ rig: { shop: more } });

export const rigs: Probes = {
  'rig.*.agent': probe([table({}), table({ agent: 'claude' })], decides),
  'rig.*.witness': probe(
    [table({}), table({ witness: 'watch' })],
    (settings) => witnessSession(settings, { name: 'shop', repo: '/shop' }),
    ['witness.mode=session'],
  ),
  'rig.*.refinery': probe([table({}), table({ refinery: 'merge' })], decides),
  'rig.*.max_polecats': probe([table({}), table({ max_polecats: 7 })], decides),
  'rig.*.merge': probe([table({}), table({ merge: 'squash' })], decides),
  'rig.*.test': probe([table({}), table({ test: 'npm test' })], decides),
  'rig.*.done_check': probe([table({}), table({ done_check: 'npm test' })], decides),
  'rig.*.test_limit': probe([table({}), table({ test_limit: '5m' })], decides),
  'rig.*.pull_request': probe([table({}), table({ pull_request: 'gh pr create' })], decides),
  'rig.*.delete_branch': probe([table({}), table({ delete_branch: false })], decides),
};
