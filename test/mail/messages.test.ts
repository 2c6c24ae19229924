import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MESSAGE_TYPES } from '../../machines/witness/messages.ts';
import { fieldsOf, messageOf } from '../../state/mail/messages.ts';

const read = (subject: string, body = '') => messageOf({ subject, body });

describe('a subject says what a message is', () => {
  // Rules: W-1.
  test.each([
    ['POLECAT_STARTED nux', 'POLECAT_STARTED', 'nux', null],
    ['POLECAT_DONE shop/nux', 'POLECAT_DONE', 'nux', 'shop'],
    ['POLECAT_DONE shop/polecats/nux', 'POLECAT_DONE', 'nux', 'shop'],
    ['MERGED nux', 'MERGED', 'nux', null],
    ['MERGE_FAILED: nux', 'MERGE_FAILED', 'nux', null],
    ['MERGE_READY nux', 'MERGE_READY', 'nux', null],
    ['RECOVERY_NEEDED shop/nux', 'RECOVERY_NEEDED', 'nux', 'shop'],
    ['IDLE_DIRTY: nux has uncommitted work', 'IDLE_DIRTY', 'nux', null],
    ['HELP: the tests never end', 'HELP', null, null],
    ['HANDOFF', 'HANDOFF', null, null],
    ['SWARM_START', 'SWARM_START', null, null],
    ['WITNESS_PING shop', 'WITNESS_PING', null, null],
    ['ALERT: Deacon appears unresponsive', 'ALERT', null, null],
    ['LIFECYCLE:Shutdown nux', 'LIFECYCLE', 'nux', null],
  ])('%s', (subject, type, polecat, rig) => {
    expect(read(subject)).toMatchObject({ type, polecat, rig });
  });

  test.each(['', 'hello', 'MERGEDnux', 'POLECAT_DONEX', 'polecat_done nux', 'RE: POLECAT_DONE nux', '__proto__ x'])(
    'and %j is none',
    (subject) => {
      expect(read(subject)).toBeNull();
    },
  );
});

// Rules: R-2.
test('a failed merge has the output below its fields, and no other message has', () => {
  const body = 'Error: npm test fails\nBranch: polecat/nux\n\nok 1\n\nnot ok 2\n';
  expect(read('MERGE_FAILED nux', body)).toMatchObject({
    error: 'npm test fails\n\nok 1\n\nnot ok 2',
    branch: 'polecat/nux',
  });
  expect(read('MERGE_FAILED nux', 'Error: CONFLICT in a\n')).toMatchObject({ error: 'CONFLICT in a' });
  expect(read('HELP: it is red', body)).toMatchObject({ error: 'npm test fails' });
});

describe('a body has two forms', () => {
  test('lines', () => {
    const body = 'Exit: COMPLETED\nIssue: tw-12\nBranch: polecat/nux\nCleanup Status: clean\n\nNotes: a: b\n';
    expect(read('POLECAT_DONE nux', body)).toMatchObject({
      action: 'completed',
      issue: 'tw-12',
      branch: 'polecat/nux',
      cleanup: 'clean',
    });
    expect(fieldsOf(body)['notes']).toBe('a: b');
  });

  test('JSON', () => {
    const body = JSON.stringify({ polecat: 'shop/ada', branch: 'polecat/ada', 'merge-commit': 'abc123', issue: 7 });
    expect(read('MERGED nux', body)).toMatchObject({ polecat: 'ada', rig: 'shop', commit: 'abc123', issue: null });
  });

  test.each([
    ['lines', 'SwarmID: batch-1\nBeads: tw-1, tw-2\nTotal: 2'],
    ['JSON', '{"swarm_id": "batch-1", "beads": ["tw-1", "tw-2"]}'],
  ])('a swarm in %s', (_, body) => {
    expect(read('SWARM_START', body)?.swarm).toEqual({ id: 'batch-1', beads: ['tw-1', 'tw-2'], total: 2 });
  });

  test('what a lifecycle request wants stands in either place', () => {
    expect(read('LIFECYCLE:Shutdown nux')?.action).toBe('shutdown');
    expect(read('LIFECYCLE: nux', '{"action":"restart"}')?.action).toBe('restart');
  });

  test.each([
    ['Total: 3', 3],
    ['Total: three', null],
    ['Total: -1', null],
    ['', 2],
  ])('its total in %j is %j', (line, total) => {
    expect(read('SWARM_START', `SwarmID: s\nBeads: tw-1 tw-2 tw-1\n${line}`)?.swarm?.total).toBe(total);
  });

  test.each(['Blocked: no key', 'BLOCKED no key', 'blocked'])('%s is a call for help', (subject) => {
    expect(read(subject)?.type).toBe('HELP');
  });
  test('what only begins like that is none', () => {
    expect(read('Blockedness: no')).toBe(null);
  });

  test('the end of a swarm names it in its subject', () => {
    expect(read('SWARM_COMPLETE: batch-1', 'All 2 polecats merged.')?.swarm?.id).toBe('batch-1');
  });
});

// Rules: P-2.
test('property: no mail makes it throw, and the type is the one of the subject', () => {
  const body = fc.oneof(fc.string(), fc.json(), fc.constantFrom('{', '[]', 'null', '{"__proto__":{"branch":"x"}}'));
  fc.assert(
    fc.property(fc.constantFrom(...MESSAGE_TYPES), fc.string(), body, (type, about, text) => {
      expect(read(`${type}: ${about}`, text)?.type).toBe(type);
    }),
  );
});
