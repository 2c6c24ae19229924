/** Takes a tmux socket again and again and gives it back; says `ok <times it had it>`, or what shows that two had it at once. */
import { mkdirSync, rmdirSync } from 'node:fs';
import { SocketClaim } from '../../../state/process/socket-claim.ts';

const [path = '', root = '', rounds = ''] = process.argv.slice(2);
const claim = new SocketClaim({ path, alive: () => true });
let had = 0;
for (let round = 0; round < Number(rounds); round += 1) {
  const taken = await claim.take({ root, town: { pid: process.pid, started: '1@boot' } });
  if (taken.kind !== 'ours') continue;
  mkdirSync(`${path}.alone`);
  had += 1;
  rmdirSync(`${path}.alone`);
  await claim.release();
}
process.stdout.write(`ok ${String(had)}\n`);
