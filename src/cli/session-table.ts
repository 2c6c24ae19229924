/** Sessions as a table for people. */
import type { SessionView } from '../overview/sessions.ts';
import { table } from './output.ts';

function alive(view: SessionView): string {
  if (view.state === 'foreign') return '-';
  return view.alive === null ? 'unknown' : view.alive ? 'yes' : 'no';
}

export function sessionTable(views: readonly SessionView[]): string {
  if (views.length === 0) return 'no sessions';
  const row = (v: SessionView): string[] => [
    v.name,
    v.state,
    alive(v),
    v.pid === null ? '-' : `${v.pid}`,
    `${v.restarts}`,
    v.note,
  ];
  return table(['NAME', 'STATE', 'ALIVE', 'PID', 'RESTARTS', 'NOTE'], views.map(row));
}
