/** A day of a thousand quiet agents in virtual time: the shipped street with hands that see everybody alive. */
import { POLICY } from '../../machines/policy.ts';
import type { OutcomeBody, SeenSession } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/session-rules.ts';
import { Drive, incarnation, quiet, townInput } from '../machines/drive.ts';
import { figure, type Figure } from './figure.ts';

const AGENTS = 1_000;
const DAY_MS = 24 * 3_600_000;

export function measureDay(): Promise<Figure[]> {
  const lives = Array.from({ length: AGENTS }, (_, n) => incarnation(n));
  const spec = { command: ['x'], dir: '/', tags: [], restart: 'transient', process: null } as const;
  const sessions = lives.map((life) => ({
    ...freshSession({ ...spec, name: life.session }, ''),
    state: 'running' as const,
    pending: null,
    incarnation: life,
  }));
  const seen = lives.map(({ session: name, uuid }): SeenSession => ({
    name,
    uuid,
    life: 'alive',
    exit: null,
    condemned: false,
  }));
  const alive: OutcomeBody = { type: 'SESSIONS_SEEN', server: 'up', seen };
  let scans = 0;
  const began = performance.now();
  const drive = new Drive((order) => {
    if (order.type === 'readSessions') return { type: 'SESSIONS_READ', sessions };
    if (order.type !== 'scan') return quiet(order);
    scans += 1;
    return alive;
  }, townInput(POLICY));
  drive.run(DAY_MS);
  const seconds = (performance.now() - began) / 1_000;
  if (scans < DAY_MS / POLICY.sessions.scanEveryMs / 2) throw new Error(`only ${scans} scans in a day`);
  return Promise.resolve([figure(`${AGENTS} agents for a day of town time, ${scans} scans`, seconds, 20, 's')]);
}
