/**
 * Judges what became of a town's work by what stands in its ledger, its mailboxes and its git in the end. Its own arithmetic: it
 * knows no table and no machine.
 */
import type { Bead } from '../../machines/ledger/bead.ts';
import { BEAD_STATUSES } from '../../machines/ledger/bead.ts';
import { sessionOf } from '../../machines/rigs/names.ts';
import type { PatrolRecord } from '../../machines/protocol/patrols.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { items } from '../../src/ledger/walk.ts';
import { DEFAULTS } from '../../src/config/settings.ts';
import type { Received } from '../../state/mail/mailbox.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { readPatrol } from '../../state/patrols/records.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import type { Rigs } from './rigs.ts';

interface Left {
  /** Rigs in which no other polecat finds room, since a person has to decide about each that is there. */
  readonly full: ReadonlySet<string>;
  readonly beads: readonly Bead[];
  /** What is put before a person and open: escalations and cases. */
  readonly open: readonly Bead[];
  /** What a person is alerted of since a witness cannot do it, cycle after cycle: `<act>/<address>`. */
  readonly cannot: readonly string[];
  /** What a witness sees standing, of which a person is alerted: `<rig> <kind> <text>`. */
  readonly stands: readonly string[];
  readonly person: readonly Received[];
}

const isEscalation = ({ labels }: Bead): boolean => labels.includes('gt:escalation');
const isCase = ({ type }: Bead): boolean => type === 'triage_request';

const textOf = (bead: Bead): string =>
  JSON.stringify([bead.title, bead.description, bead.labels, bead.metadata, bead.extra]);

/** A name, and not the beginning of a longer one. */
const says = (text: string, id: string): boolean => new RegExp(`${id}(?![0-9])`).test(text);

async function leftIn(sim: Rigs): Promise<Left> {
  const beads: Bead[] = [];
  for await (const bead of items((page) => sim.memory.list({ statuses: [...BEAD_STATUSES] }, page))) beads.push(bead);
  const open = beads.filter((bead) => bead.status !== 'closed' && (isEscalation(bead) || isCase(bead)));
  const boxes = ['mayor', 'overseer'].map((to) => sim.boxOf(to).inbox({ archived: true }));
  const records = await recordsOf(sim);
  const cannot = cannotIn(records);
  const stands = records.flatMap(({ of, claims }) => (claims ?? []).map(({ kind, text }) => `${of} ${kind} ${text}`));
  const full = await fullRigs(sim, [...open.map(textOf), ...cannot, ...stands]);
  return { beads, open, cannot, stands, full, person: (await Promise.all(boxes)).flat() };
}

async function recordsOf(sim: Rigs): Promise<PatrolRecord[]> {
  const notes = {
    disk: sim.desk,
    quarantine: new Quarantine({ disk: sim.desk, wall: () => sim.wall, onRefused: () => undefined }),
  };
  const records = await Promise.all(sim.rigs.map(({ name }) => readPatrol({ ...notes }, name)));
  return records.filter((record) => record !== null);
}

function cannotIn(records: readonly PatrolRecord[]): readonly string[] {
  const { undoneCycles, undoneForMs } = DEFAULTS.patrols.patrol;
  return records
    .flatMap(({ tried }) => Object.entries(tried))
    .filter(([, { cycles, forMs }]) => cycles >= undoneCycles && forMs >= undoneForMs)
    .map(([key]) => key);
}

/** It is named as an agent: its work often has the same name, and a later polecat one that begins with it. */
const isAbout = (text: string, { rig, name }: PolecatRecord): boolean =>
  new RegExp(`(?:polecats/|\\b${rig}/|gt-${rig}-)${name}(?![0-9-])`).test(text);

/** `told`: what is put before a person, in words. */
async function fullRigs(sim: Rigs, told: readonly string[]): Promise<ReadonlySet<string>> {
  const { found } = await new RigRecords({ disk: sim.desk }).polecats();
  const living = found.filter((one) => sim.standing(sessionOf(one)) === 'lives');
  const waiting = living.filter((polecat) => told.some((one) => isAbout(one, polecat)));
  const isFull = ({ name: rig }: { readonly name: string }): boolean =>
    waiting.filter((one) => one.rig === rig).length >= sim.scene.maxPolecats;
  return new Set(sim.rigs.filter(isFull).map(({ name }) => name));
}

/** How a piece of work ended; null = it did. */
function workLeft({ id, status, labels, metadata, assignee, rig }: Bead, { open, stands, full }: Left): string | null {
  if (status === 'closed') return null;
  if (status === 'blocked' && labels.includes('failed') && (metadata['last_failure'] ?? '') !== '') return null;
  if ([...open.map(textOf), ...stands].some((one) => says(one, id))) return null;
  const isHeld = full.has(rig) || stands.some((one) => one.startsWith(`${rig} dispatch-rests `));
  return status === 'open' && isHeld
    ? null
    : `${id} is ${status}, of ${assignee || 'no agent'}, and no agent waits for it`;
}

const twice = (words: readonly string[]): string[] => words.filter((word, at) => words.indexOf(word) !== at);

function ofSwarms({ beads, person }: Left): string[] {
  const words = person.flatMap(({ subject, to }) => {
    const id = /^SWARM_COMPLETE: (.*)/.exec(subject)?.[1];
    return id === undefined ? [] : [{ id, to }];
  });
  const said = words.map(({ id }) => id);
  const swarms = beads.filter(({ labels }) => labels.includes('swarm'));
  const isClosed = (id: string): boolean => beads.some((one) => one.id === id && one.status === 'closed');
  const complete = swarms
    .filter(({ dependencies }) => dependencies.every(({ on }) => isClosed(on)))
    .flatMap(({ labels }) => labels.find((one) => one.startsWith('swarm_id:'))?.slice('swarm_id:'.length) ?? []);
  return [
    ...twice(words.map(({ id, to }) => `${id} to ${to}`)).map((one) => `SWARM_COMPLETE ${one} was said twice`),
    ...twice(swarms.map(({ title }) => title)).map((title) => `${title} is tracked twice`),
    ...complete.filter((id) => !said.includes(id)).map((id) => `SWARM_COMPLETE ${id} was never said`),
  ];
}

/** A call for help is before a person or an agent once: as a letter to the mayor, an escalation, or the words of a case. */
function ofCries(sim: Rigs, { beads, person }: Left): string[] {
  return sim.people.cries.flatMap((cry) => {
    const word = cry.slice(cry.indexOf('cry-'));
    const told = beads.filter((bead) => (isEscalation(bead) || isCase(bead)) && !('related_bead' in bead.metadata));
    const count = told.filter((bead) => textOf(bead).includes(word)).length;
    const letters = person.filter(({ from, body }) => /\/witness$/.test(from) && body.includes(word)).length;
    if (count + letters === 0) return [`no person ever heard "${cry}"`];
    return count + letters > 1 ? [`"${cry}" was handled ${count + letters} times`] : [];
  });
}

async function ofRigs(sim: Rigs, all: Left): Promise<string[]> {
  const found: string[] = [];
  const { found: records } = await new RigRecords({ disk: sim.desk }).polecats();
  for (const { step, rig, name, bead } of records) {
    // CONTINUE keeps a worktree for the next one at the work; a person takes up what has failed.
    const [work] = step === 'left' && bead !== null ? await sim.memory.beads([bead]) : [];
    if (work?.status === 'blocked') continue;
    // Its work is open, and gets no polecat while each place has a living one that a person has to decide about.
    if (work?.status === 'open' && all.full.has(rig)) continue;
    if (step !== 'running') found.push(`${rig}/${name} is ${step} in the end, and no command goes on with it`);
  }
  for (const { name } of sim.rigs) {
    const letters = await sim.boxOf(`${name}/witness`).inbox();
    const odd = letters.filter(({ subject }) => subject !== 'A word');
    for (const { subject, body } of odd) found.push(`${name}/witness has not handled "${subject}" ${body}`);
    const sent = await sim.boxOf(`${name}/refinery`).inbox({ archived: true });
    const told = sent.map(({ id }) => id);
    found.push(...twice(told).map((id) => `${id} is twice with the refinery of ${name}`));
  }
  return found;
}

/** What is wrong in the end; empty = nothing. */
export async function judgeRigs(sim: Rigs): Promise<string[]> {
  const left = await leftIn(sim);
  const work = left.beads.filter(({ id, isWisp }) => /-w\d+$/.test(id) && !id.startsWith('cv-') && !isWisp);
  const cases = left.beads.filter(isCase);
  return [
    ...sim.git.lost.map((piece) => `${piece} went with its worktree and is nowhere else`),
    ...work.flatMap((bead) => workLeft(bead, left) ?? []),
    ...left.beads
      .filter(({ type, dependencies, status }) => {
        const isDone = dependencies.every(({ on }) =>
          left.beads.some((one) => one.id === on && one.status === 'closed'),
        );
        return type === 'convoy' && isDone && status !== 'closed';
      })
      .map(({ id }) => `${id} never landed`),
    ...ofSwarms(left),
    ...ofCries(sim, left),
    ...cases
      .filter(({ metadata }) => /triage/.test(`${metadata['agent_bead_id']} ${metadata['snapshot_hook_bead_id']}`))
      .map(({ id }) => `${id} is triage about triage`),
    ...(await ofRigs(sim, left)),
  ];
}
