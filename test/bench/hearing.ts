/** Hearings: how late windows end, how long a step takes with a thousand warrants waiting, how soon all go on after kill -9. */
import { realDisk } from '../../state/files/disk.ts';
import { readJournal } from '../../state/journal.ts';
import { Store } from '../../state/store.ts';
import { POLICY } from '../../machines/policy.ts';
import { STATE } from '../../state/files/policy.ts';
import { figure, type Figure } from './figure.ts';
import { namesOf, pause, withTown, type BenchTown } from './town.ts';
import { incarnation } from '../world/drive.ts';
import { running } from '../world/records.ts';

const WAITING = 1_000;
const WINDOW_MS = 5_000;
const DEAF = 5;

export async function measureHearing(): Promise<Figure[]> {
  return [...(await measureWindows()), ...(await measureRecovery())];
}

/** Agents that answer nothing, each of them accused. */
async function accuseDeaf(town: BenchTown): Promise<void> {
  const names = namesOf('deaf', DEAF);
  await town.start(names, { restart: 'temporary' });
  for (const name of names) town.town(['warrant', 'file', name, '--reason', 'bench']);
}

/** By the journal: from the moment a window ran to the moment it was over, less the window. */
const measureWindows = (): Promise<Figure[]> =>
  withTown(`[dance]\nwindows = ["${WINDOW_MS}ms", "${WINDOW_MS}ms", "${WINDOW_MS}ms"]\n`, async (town) => {
    town.town(['up']);
    await accuseDeaf(town);
    await pause(3 * WINDOW_MS + 5_000);
    const late: number[] = [];
    const began = new Map<string, number>();
    for await (const line of readJournal(realDisk(town.root, 0))) {
      const key = `${String(line['dance'])}/${String(line['attempt'])}`;
      if (line.kind === 'dance.interrogating.listening') began.set(key, Date.parse(line.at));
      const start = line.kind === 'dance.evaluating' ? began.get(key) : undefined;
      if (start !== undefined) late.push(Date.parse(line.at) - start - WINDOW_MS);
    }
    if (late.length === 0) throw new Error('no window ended');
    return [figure(`latest end of ${late.length} windows, five at once`, Math.max(...late), 100, 'ms')];
  });

/** A thousand lives of the past, so that a thousand warrants have an agent to wait for. */
async function fillQueue(root: string): Promise<void> {
  const wall = Date.now();
  const store = new Store({
    disk: realDisk(root, 0),
    policy: STATE,
    heardWithinMs: POLICY.dance.heardWithinMs,
    wall: () => wall,
    onRefused: ({ file, why }) => {
      throw new Error(`${file}: ${why}`);
    },
  });
  await store.open();
  const records = Array.from({ length: WAITING }, (_, n) => {
    const proc = { pid: 4_000_000 + n, started: `1@${'0'.repeat(8)}` };
    const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    const life = incarnation(n, { uuid, session: `past-${n}`, server: proc, agent: proc });
    const value = running(life, { restart: 'temporary' }, { state: 'ended' });
    return { kind: 'session', id: life.session, value } as const;
  });
  await store.commit(records);
}

const measureRecovery = (): Promise<Figure[]> =>
  withTown('[dance]\nwindows = ["120s", "120s", "240s"]\n', async (town) => {
    await fillQueue(town.root);
    town.town(['up']);
    await accuseDeaf(town);
    const dancing = (status: { actors: readonly { id: string; state: string }[] }) =>
      status.actors.filter(({ id, state }) => id.includes('/dog-') && state !== 'recovering').length;
    await town.statusWhen((s) => dancing(s) === DEAF);
    await dropWarrants(town.root);
    await pause(8_000);
    const before = await town.statusWhen(() => true);
    const falls = Date.now();
    process.kill(before.pid, 'SIGKILL');
    const after = await town.statusWhen((s) => s.pid !== before.pid && s.ready && dancing(s) === DEAF);
    const resumedMs = Date.now() - Date.parse(after.started_at);
    const awayMs = Date.now() - falls;
    const { stdout } = town.town(['warrant', 'list', '--json']);
    const kept = (JSON.parse(stdout) as { data: { state: string }[] }).data;
    const open = kept.filter(({ state }) => state !== 'closed').length;
    return [
      figure(`longest step with ${WAITING} warrants waiting`, before.steps.longest_ms, 50, 'ms'),
      figure(`longest step of the restart with them`, after.steps.longest_ms, 50, 'ms'),
      figure(`all ${DEAF} dances on again after the restart`, resumedMs, 1_000, 'ms'),
      figure(`… and since the kill -9, the guard's wait included`, awayMs, 3_000, 'ms'),
      figure('warrants lost', DEAF + WAITING - open, 0, ''),
    ];
  });

/** As any program may: each a whole file that appears under its name at once. */
async function dropWarrants(root: string): Promise<void> {
  const disk = realDisk(root, 1);
  for (let n = 0; n < WAITING; n += 1) {
    const id = `bench-${String(n).padStart(4, '0')}`;
    const file = { id, target: `past-${n}`, reason: 'bench', requester: 'overseer' };
    const text = JSON.stringify({ ...file, filed_at: new Date().toISOString() });
    await disk.write(`deacon/dogs/warrants/.${id}.tmp`, text);
    await disk.rename(`deacon/dogs/warrants/.${id}.tmp`, `deacon/dogs/warrants/${id}.json`);
  }
}
