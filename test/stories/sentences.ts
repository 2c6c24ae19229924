/**
 * The sentences that a story may use for what happens, and what each does to the world. Everything that is not indented in
 * a story is one of these, a title (`#`) or a blank line.
 */
import { POLICY } from '../../machines/policy.ts';
import type { Order, Request, RestartPolicy } from '../../machines/protocol.ts';
import { attemptLines } from '../../src/journal/attempts.ts';
import { CRASH } from '../world/machine.ts';
import { specOf } from '../world/records.ts';
import { type Mood } from './world.ts';
import type { Stage } from './stage.ts';

const UNITS: Readonly<Record<string, number>> = { millisecond: 1, second: 1_000, minute: 60_000, hour: 3_600_000 };
const ms = (count = '', unit = ''): number => {
  const factor = UNITS[unit.replace(/s$/, '')];
  if (factor === undefined) throw new Error(`no unit of time: ${unit}`);
  return Number(count) * factor;
};
const TIME = '(\\d+) (milliseconds?|seconds?|minutes?|hours?)';

/** As `town dog show` tells the questions of its newest hearing. */
function showHearing(stage: Stage, session = ''): void {
  const dance = stage.drive.dances.findLast((d) => d.target.session === session);
  if (dance === undefined) throw new Error(`${session} has no hearing`);
  stage.teller.shown(attemptLines(dance), stage.drive.now);
}
const mood = (stage: Stage, session: string, to: Mood): unknown => (stage.world.target(session).mood = to);
const start = (name: string, restart: string): Request => ({
  verb: 'startSession',
  spec: specOf(name, { restart: restart as RestartPolicy }),
});

const orderOfStep = (step: string): Order['type'] =>
  step === 'deacon' ? 'observeDeacon' : step === 'discovery' ? 'discover' : 'readDeaconMail';

const MOODS = {
  'shows signs of life': 'evidence',
  reacts: 'inconclusive',
  'shows a usage limit': 'limited',
  'shows an error': 'error',
  'shows a dialog': 'dialog',
  'cannot be typed into': 'busy',
} as const;

/** The whole vocabulary. */
const SENTENCES: readonly (readonly [RegExp, (stage: Stage, ...words: string[]) => unknown])[] = [
  [
    /^The pool holds (\d+) dogs?\.$/,
    (stage, n) => (stage.policy = { ...POLICY, dance: { ...POLICY.dance, poolSize: Number(n) } }),
  ],
  [/^The hearing of (\S+) is shown\.$/, showHearing],
  [
    /^(\S+) (shows signs of life|reacts|shows a usage limit|shows an error|shows a dialog|cannot be typed into): (.+)\.$/,
    (stage, session, how, what) => mood(stage, session, { kind: MOODS[how as keyof typeof MOODS], what }),
  ],
  [/^(\S+) is silent\.$/, (stage, session) => mood(stage, session, { kind: 'silent' })],
  [/^A person types in (\S+)\.$/, (stage, session) => mood(stage, session, { kind: 'person', what: 'a key just now' })],
  [
    /^The agent of (\S+) is gone, its pane is left\.$/,
    (stage, session) => mood(stage, session, { kind: 'gone', paneStays: true }),
  ],
  [
    /^The agent of (\S+) is gone with its pane\.$/,
    (stage, session) => mood(stage, session, { kind: 'gone', paneStays: false }),
  ],
  [
    /^(\S+) outlives its pane\.$/,
    (stage, session) => {
      const { agent, paneId } = stage.world.target(session).incarnation;
      const what = `its pane ${paneId} is gone, but its process ${agent.pid} lives on`;
      stage.world.target(session).mood = { kind: 'paneless', what };
    },
  ],
  [/^Another life has the name (\S+)\.$/, (stage, session) => mood(stage, session, { kind: 'replaced' })],
  [
    /^The work of (\S+) cannot be saved: (.+)\.$/,
    (stage, session, why) => (stage.world.target(session).unsavable = why),
  ],
  [
    /^A child of (\S+) ignores TERM and HUP, and (\d+) more appear\.$/,
    (stage, session, n) => {
      const target = stage.world.target(session);
      target.stubborn.add(target.tree.at(-1)?.pid ?? 0);
      target.breeds = Number(n);
    },
  ],
  [
    /^(\S+) answers at TERM( alone)?, and lives on\.$/,
    (stage, session, alone) => {
      const target = stage.world.target(session);
      target.wakesAtTerm = true;
      for (const { pid } of alone ? target.tree.slice(0, 1) : target.tree) target.stubborn.add(pid);
    },
  ],
  [
    /^The dog of (\S+) throws at its next (\d+) looks\.$/,
    (stage, session, n) => (stage.world.target(session).poison = Number(n)),
  ],
  [
    /^(\S+) files (\S+) against (\S+): (.+)\.$/,
    (stage, who, id, session, reason) => stage.file(who, id, session, reason),
  ],
  [
    /^(\S+) filed (\S+) against (\S+) (\d+) (\S+) ago: (.+)\.$/,
    (stage, who, id, session, n, unit, reason) => stage.file(who, id, session, reason, { agoMs: ms(n, unit) }),
  ],
  [
    /^(\S+) left (\S+) against (\S+) with the town down (\d+) (\S+) ago: (.+)\.$/,
    (stage, who, id, session, n, unit, reason) => stage.leave(who, id, session, reason, { agoMs: ms(n, unit) }),
  ],
  [
    /^The operator kills (\S+) by force, as (\S+)\.$/,
    (stage, session, id) => stage.file('operator', id, session, 'session kill --force', { force: true }),
  ],
  [/^(\S+) cancels (\S+)\.$/, (stage, by, id) => stage.request({ verb: 'cancelWarrant', id, by })],
  [
    /^(\S+) prints the code of question (\d)\.$/,
    (stage, session, n) => stage.world.target(session).said.add(stage.codeOf(session, Number(n))),
  ],
  [
    /^(\S+) calls town alive with the code of question (\d)\.$/,
    (stage, session, n) =>
      stage.drive.tell({
        type: 'ALIVE_ANSWERED',
        code: stage.codeOf(session, Number(n)),
        uuid: stage.world.target(session).incarnation.uuid,
      }),
  ],
  [new RegExp(`^${TIME} pass(?:es)?\\.$`), (stage, n, unit) => stage.drive.run(ms(n, unit))],
  [new RegExp(`^The machine sleeps for ${TIME}\\.$`), (stage, n, unit) => stage.drive.sleep(ms(n, unit))],
  [
    new RegExp(`^The clock of the machine steps (ahead|back) by ${TIME}\\.$`),
    (stage, way, n, unit) => (stage.drive.stepMs += way === 'back' ? -ms(n, unit) : ms(n, unit)),
  ],
  [
    new RegExp(`^The town is (?:killed and starts|stopped, and started) again after ${TIME}\\.$`),
    (stage, n, unit) => stage.restart(ms(n, unit)),
  ],
  [/^There is no tmux on this machine\.$/, (stage) => (stage.world.tmux = 'none')],
  [/^tmux stops answering\.$/, (stage) => (stage.world.mute = true)],
  [/^tmux answers again\.$/, (stage) => (stage.world.mute = false)],
  [/^The tmux server dies with every agent in it\.$/, (stage) => stage.world.endServer(stage.drive.now)],
  [
    /^The operator starts (\S+), (permanent|transient|temporary)\.$/,
    (stage, name, restart) => stage.request(start(name, restart)),
  ],
  [
    /^The operator starts (\d+) agents, (permanent|transient|temporary)\.$/,
    (stage, n, restart) => stage.request(...Array.from({ length: Number(n) }, (_, i) => start(`a${i + 1}`, restart))),
  ],
  [
    new RegExp(`^(\\S+) exits with code (\\d+) whenever it has run for ${TIME}\\.$`),
    (stage, name, code, n, unit) =>
      stage.world.fates.set(name, { ms: ms(n, unit), exit: { kind: 'code', code: Number(code) } }),
  ],
  [
    new RegExp(`^A usage limit stops (\\S+) whenever it has run for ${TIME}: (.+)\\.$`),
    (stage, name, n, unit, limit) => stage.world.fates.set(name, { ms: ms(n, unit), exit: CRASH, limit }),
  ],
  [/^No agent can be started: (.+)\.$/, (stage, why) => (stage.world.unstartable = { why, taken: false })],
  [/^Another session is in its name: (.+)\.$/, (stage, why) => (stage.world.unstartable = { why, taken: true })],
  [/^Agents can be started again\.$/, (stage) => (stage.world.unstartable = null)],
  [
    new RegExp(`^The tmux server dies whenever it has run for ${TIME}\\.$`),
    (stage, n, unit) => (stage.world.serverLifeMs = ms(n, unit)),
  ],
  [/^The tmux server runs well from now on\.$/, (stage) => (stage.world.serverLifeMs = null)],
  [/^The Deacon is an? (actor|session)\.$/, (stage, mode) => stage.deacon.become(mode as 'actor' | 'session')],
  [/^The Deacon stops beating\.$/, (stage) => stage.deacon.beat(false, stage.drive.now)],
  [/^The Deacon beats again\.$/, (stage) => stage.deacon.beat(true, stage.drive.now)],
  [/^(\d+) messages wait for the Deacon\.$/, (stage, n) => (stage.deacon.mail = Number(n))],
  [
    /^(\S+) writes to the Deacon: ([^/]+)(?: \/ (.+))?\.$/,
    (stage, from, subject, body = '') => {
      stage.deacon.write(from, { subject, body });
      stage.drive.tell({ type: 'CHANGED', what: 'mail' });
    },
  ],
  [
    /^The daemon's step (deacon|discovery|lifecycle) fails: (.+)\.$/,
    (stage, step, why) => stage.deacon.failing.set(orderOfStep(step), why),
  ],
  [
    /^The daemon's step (deacon|discovery|lifecycle) works again\.$/,
    (stage, step) => stage.deacon.failing.delete(orderOfStep(step)),
  ],
  [
    /^The operator asks (\S+) for a sign of life\.$/,
    (stage, session) => stage.request({ verb: 'healthCheck', session }),
  ],
  [
    /^(\S+) calls town alive with the code of its check\.$/,
    (stage, session) =>
      stage.drive.tell({
        type: 'ALIVE_ANSWERED',
        code: stage.drive.note('healthChecks')?.[session]?.code ?? 'NONE',
        uuid: stage.world.of(session).at(-1)?.incarnation.uuid ?? null,
      }),
  ],
  [/^The Deacon is paused\.$/, (stage) => (stage.deacon.paused = true)],
  [/^The Deacon is resumed\.$/, (stage) => (stage.deacon.paused = false)],
  [
    /^The Deacon's pane is (blocked|busy|idle): (.+)\.$/,
    (stage, pane, what) => (stage.deacon.pane = { pane: pane as 'blocked' | 'busy' | 'idle', what }),
  ],
  [
    /^Boot is off\.$/,
    (stage) => {
      const { watchdog } = stage.deacon;
      stage.deacon.watchdog = { ...watchdog, boot: { ...watchdog.boot, enabled: false } };
    },
  ],
  [
    /^The daemon's own check is off\.$/,
    (stage) => (stage.deacon.watchdog = { ...stage.deacon.watchdog, deaconCheck: false }),
  ],
  [
    /^While the town is away (\S+) ends and its record is lost\.$/,
    (stage, name) => {
      for (const { incarnation } of stage.world.of(name)) stage.world.lives.delete(incarnation.uuid);
      stage.drive.records.delete(`session/${name}`);
      stage.drive.restart(1_000);
    },
  ],
  [
    /^(\S+), (\S+) and (\S+) share the account (\S+)\.$/,
    (stage, one, two, three, label) => stage.world.login.share(label, [one, two, three]),
  ],
  [/^The login of the account dies\.$/, (stage) => stage.world.login.dies()],
  [/^A person logs in at (\S+)\.$/, (stage, name) => stage.world.login.logsIn(name)],
  [/^(\S+) runs well from now on\.$/, (stage, name) => stage.world.fates.delete(name)],
];

/** What a sentence does. */
export function actOf(sentence: string): (stage: Stage) => unknown {
  for (const [pattern, act] of SENTENCES) {
    const words = pattern.exec(sentence);
    if (words) return (stage) => act(stage, ...words.slice(1));
  }
  throw new Error(`No story knows the sentence "${sentence}"; see test/stories/sentences.ts for those there are.`);
}
