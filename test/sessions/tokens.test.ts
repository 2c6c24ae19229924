import { expect, test } from 'vitest';
import { FILES } from '../../state/files/layout.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import { saveRescue } from '../../state/hearings/rescue.ts';
import { hashOf, ownerOf, rootSecret, tokenFor } from '../../state/sessions/tokens.ts';
import { SimDisk, systemError } from '../world/disk.ts';
import { session } from '../state/make.ts';

function secretOn(sim: SimDisk): Promise<string> & { refused: Refused[] } {
  const refused: Refused[] = [];
  const disk = sim.mount();
  const secret = rootSecret(disk, new Quarantine({ disk, wall: () => 0, onRefused: (one) => refused.push(one) }));
  return Object.assign(secret, { refused });
}

test('a life has the same token whenever it is asked, another life and another root another', async () => {
  const sim = new SimDisk();
  const secret = await secretOn(sim);
  sim.crash(() => true);
  expect(await secretOn(sim)).toBe(secret);
  const token = tokenFor(secret, 'uuid-1');
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(tokenFor(secret, 'uuid-1')).toBe(token);
  expect(tokenFor(secret, 'uuid-2')).not.toBe(token);
  expect(tokenFor(await secretOn(new SimDisk()), 'uuid-1')).not.toBe(token);
});

// Rules: law 11.
test('a token belongs to the session whose record has its hash, and to no other', () => {
  const sessions = [session('a'), session('b', { tokenHash: hashOf('right') })];
  expect(ownerOf('right', sessions)?.spec.name).toBe('b');
  for (const wrong of ['', 'Right', hashOf('right')]) expect(ownerOf(wrong, sessions)).toBeNull();
});

test.each(['', 'short', 'x'.repeat(1_000)])('a broken secret is set aside and replaced', async (text) => {
  const sim = new SimDisk();
  sim.put('daemon/secret', text);
  const made = secretOn(sim);
  expect(await made).toMatch(/^[0-9a-f]{64}$/);
  expect(made.refused).toHaveLength(1);
});

test('a secret that is closed to us is set aside and replaced', async () => {
  const sim = new SimDisk();
  const secret = await secretOn(sim);
  sim.fault = (operation, path) => (operation === 'read' && path === FILES.secret ? systemError('EACCES') : undefined);
  const made = secretOn(sim);
  expect(await made).not.toBe(secret);
  expect(made.refused).toMatchObject([{ why: 'it may not be read (permission denied).' }]);
});

test('a secret that cannot be read now is not replaced', async () => {
  const sim = new SimDisk();
  const secret = await secretOn(sim);
  sim.fault = (operation) => (operation === 'read' ? systemError('EMFILE') : undefined);
  await expect(secretOn(sim)).rejects.toThrow('EMFILE');
  sim.fault = undefined;
  expect(await secretOn(sim)).toBe(secret);
});

test('a rescue is durable, complete, and can be done again', async () => {
  const sim = new SimDisk();
  const files = [
    { name: 'scrollback.txt', content: 'text' },
    { name: '../evil', content: 'x' },
  ];
  expect(await saveRescue(sim.mount(), 'dog-1', files)).toBe('rescue/dog-1');
  expect(await saveRescue(sim.mount(), 'dog-1', files)).toBe('rescue/dog-1');
  sim.crash(() => true);
  expect(sim.files().get('rescue/dog-1/scrollback.txt')).toBe('text');
  expect([...sim.files().keys()].every((path) => path.startsWith('rescue/dog-1/'))).toBe(true);
  sim.fault = (operation) => (operation === 'write' ? systemError('ENOSPC') : undefined);
  await expect(saveRescue(sim.mount(), 'dog-2', files)).rejects.toThrow('ENOSPC');
});
