/** Every probe, by key. Those that start real programs are run in test/live. */
import { agents } from './agents.ts';
import { asking } from './asking.ts';
import { channels } from './channels.ts';
import { dance } from './dance.ts';
import { hands, nudge } from './hands.ts';
import { guarding, health, log, world } from './process.ts';
import { monitor, monitorMode, presets } from './monitor.ts';
import type { Probes } from './probe.ts';
import { patrols } from './patrols.ts';
import { rigs } from './rigs.ts';
import { sessions, supervisor } from './sessions.ts';
import { state } from './state.ts';
import { tickle } from './tickle.ts';
import { triage } from './triage.ts';
import { boot, daemon, deacon, mail, patrol } from './watchdog.ts';

export const PURE: Probes = {
  ...dance,
  ...sessions,
  ...supervisor,
  ...agents,
  ...channels,
  ...daemon,
  ...monitor,
  ...monitorMode,
  ...presets,
  ...boot,
  ...deacon,
  ...patrol,
  ...mail,
  ...hands,
  ...asking,
  ...nudge,
  ...rigs,
  ...patrols,
  ...triage,
  ...tickle,
  ...state,
  ...guarding,
  ...health,
  ...log,
  ...world,
};
