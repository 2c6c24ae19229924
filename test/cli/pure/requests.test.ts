/** Law 11: who may ask the running town what. */
import { describe, expect, test } from 'vitest';
import type { Request, SessionSpec } from '../../../machines/protocol.ts';
import { denialOf } from '../../../src/socket/denial.ts';
import { OPERATOR, type Caller } from '../../../src/socket/permission.ts';
import { checkRequest } from '../../../src/socket/messages.ts';

describe('a request to the running town', () => {
  const spec: SessionSpec = {
    name: 'builder',
    command: ['agent'],
    dir: '/',
    tags: ['worker'],
    restart: 'transient',
    process: null,
  };
  const builder: Caller = { is: 'agent', session: 'builder', uuid: 'u', spec };
  const protectedBy = (name: string) => (name === 'protected' ? 'prot*' : null);
  const rules = { deacon: 'hq-deacon', witnessesAreAgents: true, protectedBy };
  const start = (more: Partial<SessionSpec> = {}): Request => ({ verb: 'startSession', spec: { ...spec, ...more } });

  const REQUESTS: Readonly<Record<Request['verb'], { refused: readonly Request[]; allowed: readonly Request[] }>> = {
    startSession: {
      refused: [start({ name: 'other' }), start({ command: ['sh'] }), start({ dir: '/tmp' }), start({ tags: [] })],
      allowed: [start()],
    },
    adoptSession: { refused: [{ verb: 'adoptSession', name: 'builder', process: null, tags: [] }], allowed: [] },
    stopSession: {
      refused: [
        { verb: 'stopSession', name: 'other', then: 'end', force: false },
        { verb: 'stopSession', name: 'builder', then: 'end', force: false },
        { verb: 'stopSession', name: 'builder', then: 'restart', force: true },
      ],
      allowed: [],
    },
    removeSession: { refused: [{ verb: 'removeSession', name: 'builder' }], allowed: [] },
    cancelWarrant: { refused: [{ verb: 'cancelWarrant', id: 'w', by: 'builder' }], allowed: [] },
    startTimer: {
      refused: [{ verb: 'startTimer', name: 'builder', timer: 'default', interval: 30, message: 'check' }],
      allowed: [],
    },
    stopTimer: { refused: [{ verb: 'stopTimer', timer: null }], allowed: [] },
    send: {
      refused: ['builder', 'other'].map((name) => ({ verb: 'send', name, send: 'a', text: 'x', from: name }) as const),
      allowed: [],
    },
    cancelSend: { refused: [{ verb: 'cancelSend', send: 'a' }], allowed: [] },
    nudge: {
      refused: [
        { verb: 'nudge', name: 'other', text: 'x', from: 'builder', raw: false },
        { verb: 'nudge', name: 'builder', text: 'x', from: 'overseer', raw: false },
        { verb: 'nudge', name: 'builder', text: '/exit', from: 'builder', raw: true },
      ],
      allowed: [{ verb: 'nudge', name: 'builder', text: 'x', from: 'builder', raw: false }],
    },
    answer: {
      refused: ['builder', 'other'].map((name) => {
        return { verb: 'answer', name, dialog: 'dialog-123456789', question: 'Proceed?', option: 'Yes' };
      }),
      allowed: [],
    },
    bootTriage: { refused: [{ verb: 'bootTriage' }], allowed: [] },
    tickle: {
      refused: (['scan', 'cycle', 'page', 'start', 'stop'] as const).map((what) => {
        return { verb: 'tickle', do: what, agent: what === 'page' ? 'builder' : null };
      }),
      allowed: [],
    },
    patrol: {
      refused: [
        { verb: 'patrol', of: 'shop' },
        { verb: 'patrol', of: 'deacon' },
      ],
      allowed: [],
    },
    healthCheck: {
      refused: [
        { verb: 'healthCheck', session: null },
        { verb: 'healthCheck', session: 'other' },
      ],
      allowed: [{ verb: 'healthCheck', session: 'builder' }],
    },
  };
  const all = (of: 'refused' | 'allowed'): Request[] => Object.values(REQUESTS).flatMap((row) => row[of]);

  test.each(all('refused'))('an agent may not: %j', (request) => {
    expect(checkRequest(request)).toMatchObject({ ok: true });
    expect(denialOf(builder, request, rules)).toMatchObject({ text: expect.stringContaining('') as string });
    expect(denialOf(OPERATOR, request, rules)).toBeNull();
  });
  test.each(all('allowed'))('an agent may: %j', (request) => {
    expect(denialOf(builder, request, rules)).toBeNull();
  });
  // Rules: law 11, W-8.
  describe.each([true, false])('where witnesses are agents: %s', (witnessesAreAgents) => {
    const named = (session: string): Caller => ({ ...builder, session });
    const mayPatrol = (session: string, of: string): boolean =>
      denialOf(named(session), { verb: 'patrol', of }, { ...rules, witnessesAreAgents }) === null;
    test('each patrols its own rig and no other, and only then', () => {
      expect(mayPatrol('gt-shop-witness', 'shop')).toBe(witnessesAreAgents);
      expect(mayPatrol('gt-shop-witness', 'bank')).toBe(false);
      expect(mayPatrol('gt-shop-witness', 'deacon')).toBe(false);
    });
    test('the Deacon patrols all', () => {
      expect([mayPatrol('hq-deacon', 'shop'), mayPatrol('hq-deacon', 'deacon')]).toEqual([true, true]);
    });
  });
  test('the agent of a protected session may not start it', () => {
    const own = { ...spec, name: 'protected' };
    const caller: Caller = { ...builder, session: 'protected', spec: own };
    expect(denialOf(caller, { verb: 'startSession', spec: own }, rules)).toMatchObject({ code: 'protected_target' });
  });
});
