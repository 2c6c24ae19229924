/** [tickle]: the stall watch in virtual time, beside one silent agent. */
import type { Settings } from '../../../src/config/settings.ts';
import { TickleTown } from '../../tickle/town.ts';
import { HOUR, MINUTE, probe, section, type Probes } from './probe.ts';

interface World {
  /** How long the agent was silent when the town started. */
  readonly silentMs?: number;
  readonly runMs?: number;
  /** It answers each page within a minute. */
  readonly answers?: true;
  readonly isLost?: true;
}

function watch({ policy }: Settings, { silentMs = HOUR, runMs = HOUR, answers, isLost }: World = {}): TickleTown {
  const town = new TickleTown(policy.tickle);
  town.agent('builder', silentMs);
  town.isLost = isLost === true;
  for (let ms = 0; ms < runMs; ms += MINUTE) {
    const { length } = town.pages;
    town.run(MINUTE);
    if (answers === true && town.pages.length > length) town.sign('builder');
  }
  return town;
}
const ON = ['tickle.enabled=true'];
const pages = (settings: Settings, world?: World): unknown => {
  const { pages: all, alerts } = watch(settings, world);
  return [all.map(({ by, at }) => [by, at]), alerts];
};
const orders = (settings: Settings): unknown =>
  watch(settings)
    .drive.given('readEvidence', 'ringBell')
    .map((one) => (one.type === 'ringBell' ? one.limitMs : one.named));

export const tickle: Probes = section('tickle', {
  enabled: probe('true', (settings) => pages(settings)),
  threshold: probe('20m', (settings) => pages(settings, { silentMs: 0 }), ON),
  scan: probe('10m', (settings) => watch(settings).drive.given('readEvidence').length, ON),
  ack: probe('20m', (settings) => pages(settings, { runMs: 10 * MINUTE }), ON),
  grace: probe('20m', (settings) => pages(settings), ON),
  agents: probe('another', orders, ON),
  nicks: probe('builder', (settings) => pages(settings), ON),
  bell: probe('ring', (settings) => pages(settings), ON),
  cooldown: probe('30m', (settings) => pages(settings, { answers: true, runMs: 2 * HOUR }), ON),
  bell_limit: probe('5s', orders, [...ON, 'tickle.bell=ring']),
  max_failures: probe('100', (settings) => pages(settings, { isLost: true }), ON),
});
