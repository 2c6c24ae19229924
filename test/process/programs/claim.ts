/** Takes a tmux socket and gives it back until it had it `times` times; prints `ok`, or fails when two had it at once. */
import { mkdirSync, rmdirSync } from 'node:fs';
import { SocketClaim } from '../../../state/process/socket-claim.ts';

const [path = '', root = '', times = ''] = process.argv.slice(2);
const claim = new SocketClaim({ path, alive: () => true });
for (let had = 0; had < Number(times);) {
  const taken = await claim.take({ root, town: { pid: process.pid, started: '1@boot' } });
  if (taken.kind !== 'ours') continue;
  mkdirSync(`${path}.alone`);
  had += 1;
  rmdirSync(`${path}.alone`);
  await claim.release();
}
process.stdout.write('ok\n');
