/** What each sentence of a story about rigs does on its stage. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import { close, hook } from '../../../machines/ledger/changes.ts';
import { REPORT_STATUSES, type ReportStatus } from '../../../machines/protocol/monitor.ts';
import type { PatrolRecord } from '../../../machines/protocol/patrols.ts';
import { sessionOf } from '../../../machines/rigs/names.ts';
import { CHOICES, type Choice } from '../../../machines/triage/cases.ts';
import { acknowledge } from '../../../src/ledger/escalations.ts';
import { changeBead } from '../../../src/ledger/change.ts';
import { gateFields } from '../../../src/ledger/gates.ts';
import { items } from '../../../src/ledger/walk.ts';
import { undecidedCases } from '../../../src/triage/requests.ts';
import { resolveCase } from '../../../src/triage/resolve.ts';
import { STATE } from '../../../state/files/policy.ts';
import { PATROLS } from '../../../state/patrols/records.ts';
import { settled } from '../../world/time.ts';
import type { RigStage } from './stage.ts';
import { SECOND, RIG } from './stage.ts';

const UNITS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3_600, day: 86_400 };
const ms = (count: string, unit: string): number => Number(count) * (UNITS[unit.replace(/s$/, '')] ?? NaN) * SECOND;
const TIME = '(\\d+) (seconds?|minutes?|hours?|days?)';

type Act = (stage: RigStage, ...words: string[]) => unknown;

const tracks = (type: string, ...ids: readonly string[]) =>
  ids.map((on) => ({ on, type, createdAt: '', createdBy: '', extra: {} }));
/** Why a nudge is refused, by what a screen shows. */
const SHOWN: Readonly<Record<string, string>> = { work: 'working', 'a dialog': 'dialog', 'an unknown screen': 'busy' };
/** A bead that a person changes. */
const changed = ({ sim }: RigStage, id: string, to: (one: Bead) => Bead) => changeBead(sim.memory, id, to);

const SENTENCES: readonly (readonly [pattern: string, act: Act])[] = [
  [`${TIME} pass(?:es)?`, (stage, count, unit) => stage.pass(ms(count, unit))],
  ['The bead (\\S+) is filed', (stage, id) => stage.bead(id)],
  [
    'The bead (\\S+) is filed, which waits for (\\S+)',
    (stage, id, on) => stage.bead(id, { dependencies: tracks('blocks', on) }),
  ],
  [
    'The bead (\\S+) waits for nothing any more',
    (stage, id) => changed(stage, id, (one) => ({ ...one, dependencies: [] })),
  ],
  [`The clock is set forward by ${TIME}`, ({ sim }, count, unit) => sim.setClock(ms(count, unit))],
  [`The clock is set back by ${TIME}`, ({ sim }, count, unit) => sim.setClock(-ms(count, unit))],
  [
    'What is escalated is read',
    async (stage) => {
      const { memory } = stage.sim;
      for await (const { description } of items((page) => memory.list({ labels: ['gt:escalation'] }, page)))
        for (const line of description.split('\n').filter((one) => one !== '')) stage.say(line);
    },
  ],
  [
    'What stands for a person is read',
    async (stage) => {
      const text = (await stage.sim.desk.read(PATROLS.place('deacon'), STATE.maxRecordBytes)) ?? '{}';
      const { stands = {} } = JSON.parse(text) as Partial<PatrolRecord>;
      const texts = Object.values(stands).flatMap((one) => Object.values(one));
      for (const text of texts.length === 0 ? ['nothing'] : texts) stage.say(text);
    },
  ],
  [
    'The bead (\\S+) is closed',
    (stage, id) => changed(stage, id, (one) => close(one, 'a person closed it', stage.sim.iso)),
  ],
  [
    'The bead (\\S+) is handed to the refinery',
    (stage, id) => changed(stage, id, (one) => ({ ...one, status: 'in_progress', assignee: `${RIG}/refinery` })),
  ],
  [
    'The bead (\\S+) is taken off its hook',
    (stage, id) =>
      changed(stage, id, (one) => ({ ...one, status: 'deferred', assignee: '', updatedAt: stage.sim.iso })),
  ],
  [
    'The bead (\\S+) is on the hook of (\\S+)',
    (stage, id, who) =>
      changed(stage, id, (one) => {
        const hooked = hook(one, who, stage.sim.iso);
        return hooked.ok ? hooked.bead : one;
      }),
  ],
  [
    `The gate (\\S+) is to open within ${TIME}`,
    (stage, id, count, unit) =>
      stage.bead(id, { type: 'gate', extra: gateFields('human', ms(count, unit), undefined) }),
  ],
  [
    'The convoy (\\S+) tracks (\\S+) and (\\S+)',
    (stage, id, one, other) => stage.bead(id, { type: 'convoy', rig: '', dependencies: tracks('tracks', one, other) }),
  ],
  [
    '(\\S+) commits a step',
    ({ sim, polecat }, name) => {
      const { uuid } = polecat(name).record;
      sim.git.work(uuid);
      sim.git.commit(uuid, sim.wall);
    },
  ],
  ['(\\S+) leaves something uncommitted', ({ sim, polecat }, name) => sim.git.work(polecat(name).record.uuid)],
  ['(\\S+) commits on a second branch', ({ sim, polecat }, name) => sim.git.scattered.add(polecat(name).record.uuid)],
  [
    'A person brings the commits of (\\S+) together',
    ({ sim, polecat }, name) => sim.git.scattered.delete(polecat(name).record.uuid),
  ],
  ['(\\S+) pushes', ({ sim, polecat }, name) => sim.git.push(polecat(name).record.uuid)],
  ['(\\S+) dies', ({ sim, polecat }, name) => sim.agents.end(polecat(name).life, 'crash')],
  ['(\\S+) answers no hearing', ({ sim, polecat }, name) => sim.agents.hang(polecat(name).life, true)],
  [
    'The screen of (\\S+) shows (a dialog|work|an unknown screen|nothing of that)',
    ({ sim, polecat }, name, what) => {
      const { screens } = sim.people;
      const { session } = polecat(name);
      if (what === 'nothing of that') screens.delete(session);
      else screens.set(session, SHOWN[what] ?? what);
    },
  ],
  [
    `(\\S+) reports that it is (${REPORT_STATUSES.join('|')})`,
    ({ sim, polecat }, name, word) => sim.people.report(polecat(name).agent, word as ReportStatus),
  ],
  ['(\\S+) gives a sign of life', ({ sim, polecat }, name) => sim.people.say(polecat(name).agent, 'heartbeat', '')],
  [
    '(\\S+) says that it begins to finish',
    ({ sim, polecat }, name) => sim.people.say(polecat(name).agent, 'done-intent', 'done'),
  ],
  ['(\\S+) writes "([^"]*)"', (stage, name, subject) => stage.sim.people.mail(RIG, subject, '', stage.addressOf(name))],
  [
    '(\\S+) writes "([^"]*)": (.*)',
    (stage, name, subject, body) =>
      stage.sim.people.mail(RIG, subject, body.replaceAll('\\n', '\n'), stage.addressOf(name)),
  ],
  ['The refinery merges (\\S+)', (stage, name) => stage.merge(name, 'MERGED', true)],
  ['The refinery says falsely that it merged (\\S+)', (stage, name) => stage.merge(name, 'MERGED', false)],
  ['The refinery could not merge (\\S+): (.*)', (stage, name, why) => stage.merge(name, 'MERGE_FAILED', true, why)],
  [
    'The refinery ends',
    ({ sim }) => sim.agents.end(sim.agents.living(sessionOf({ rig: RIG, name: 'refinery' })), 'crash'),
  ],
  [
    `The overseer chooses (${CHOICES.join('|')}) for (\\S+)`,
    async (stage, choice, name) => {
      const { memory, wall } = stage.sim;
      const one = (await undecidedCases(memory)).find(({ agent, id }) => agent.endsWith(name) || id === name);
      if (one === undefined) throw new Error(`no case of ${name} is open`);
      const chosen = { choice: choice as Choice, note: 'go on', by: 'overseer', now: wall, among: null } as const;
      await resolveCase(memory, one.id, chosen);
      // Time passes for the step that carries it out.
      const done = stage.sim.carryOut();
      await settled();
      await stage.pass(SECOND);
      await done;
    },
  ],
  [
    `The reasoner chooses (${CHOICES.join('|')}|nothing)`,
    ({ sim }, choice) => (sim.chooses = choice as Choice | 'nothing'),
  ],
  ['The model calls are counted', (stage) => stage.say(`model calls: ${stage.sim.modelCalls}`)],
  [
    'The overseer takes note of what is escalated',
    async (stage) => {
      const { memory, iso } = stage.sim;
      for await (const { id } of items((page) => memory.list({ labels: ['gt:escalation'] }, page)))
        await changed(stage, id, (one) => acknowledge(one, 'overseer', iso));
    },
  ],
  ['The town is killed', ({ sim }) => sim.kill()],
  [`No one can see sessions for ${TIME}`, ({ sim }, count, unit) => (sim.blindUntil = sim.time.now + ms(count, unit))],
  [`The Deacon is ${TIME} late`, ({ sim }, count, unit) => (sim.deaconLateMs = ms(count, unit))],
  ['The Deacon beats', ({ sim }) => (sim.deaconLateMs = null)],
  ['The rig names no agent', ({ sim }) => (sim.agent = null)],
  [
    'The bead (\\S+) is looked at',
    async (stage, id) => {
      const [one] = await stage.sim.memory.beads([id]);
      const whose = one?.assignee === '' ? 'on no hook' : `of ${one?.assignee}`;
      const found = one && `${one.status}, ${whose}, after ${one.attempts} failed attempts`;
      stage.say(`${id} is ${found ?? 'not there'}`);
    },
  ],
  [
    'What (\\S+) holds is looked at',
    (stage, name) => {
      const { git } = stage.sim;
      const isThere = [...git.trees.values()].some(({ record }) => record.name === name);
      stage.say(
        `the worktree of ${name} is ${isThere ? 'there' : 'gone'}; ${git.rescued.size} pieces are rescued, ${git.lost.length} lost`,
      );
    },
  ],
  [
    'The mail of (\\S+) is read',
    async (stage, address) => {
      const mail = await stage.sim.boxOf(address).inbox();
      if (mail.length === 0) stage.say(`${address} has no mail`);
      for (const { subject } of mail) stage.say(`${address} has mail: ${subject}`);
    },
  ],
  [
    'The notes of the witness are read',
    async (stage) => {
      for await (const { text } of items((page) => stage.sim.memory.evidence(`${RIG}/witness/patrol`, page)))
        stage.say(`noted: ${text}`);
    },
  ],
];

/** What a line of a story does. Throws where no sentence is like it. */
export function actOf(line: string): (stage: RigStage) => unknown {
  for (const [pattern, act] of SENTENCES) {
    const found = new RegExp(`^${pattern}\\.$`).exec(line);
    if (found !== null) return (stage) => act(stage, ...found.slice(1));
  }
  throw new Error(`no such sentence: ${line}`);
}
