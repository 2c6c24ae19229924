/** Who calls: an agent by its token acts in its own name only, and some things are the operator's. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { MAIL_BUDGET } from '../../state/mail/policy.ts';
import { exits, TestTown } from './town.ts';

let town: TestTown;
beforeEach(() => {
  town = new TestTown('[town]\nprotected = ["mayor"]\n');
  town.session('builder');
  town.session('other');
});

describe('who calls', () => {
  const TOKEN = 'token-of-builder';

  // Rules: law 11.
  test('an agent files and writes in its own name only', async () => {
    const filed = await town.as(TOKEN, 'warrant', 'file', 'other', '--reason', 'x', '--json');
    expect(JSON.parse(filed.stdout)).toMatchObject({ data: { requester: 'builder', via: 'agent' } });
    const sent = await town.as(TOKEN, 'mail', 'send', 'overseer', '--subject', 'hello', '--json');
    expect(JSON.parse(sent.stdout)).toMatchObject({ data: { from: 'builder', to: 'overseer' } });
    expect(await town.data('mail', 'inbox')).toMatchObject([{ from: 'builder', via: 'agent', box: 'new' }]);
  });

  test('an agent that says the same again while its warrant waits files no second one', async () => {
    const accuse = () => town.as(TOKEN, 'warrant', 'file', 'other', '--reason', 'x', '--json');
    const idIn = ({ stdout }: { readonly stdout: string }): string =>
      (JSON.parse(stdout) as { data: { id: string } }).data.id;
    expect(idIn(await accuse())).toBe(idIn(await accuse()));
    expect((await town.data<{ requester: string }>('warrant', 'file', 'other', '--reason', 'x')).requester).toBe(
      'overseer',
    );
    expect(town.names('deacon/dogs/warrants')).toHaveLength(2);
  });

  test.each([
    [
      ['warrant', 'file', 'other', '--reason', 'x', '--by', 'mayor'],
      /--by "mayor" is not you: TOWN_TOKEN belongs to builder/,
    ],
    [['mail', 'send', 'overseer', '--subject', 'x', '--from', 'mayor'], /--from "mayor" is not you/],
    [['mail', 'inbox', '--for', 'overseer'], /--for "overseer" is not you/],
    [['mail', 'read', 'm-1', '--for', 'other'], /--for "other" is not you/],
    [['alive', 'M2X9'], /M2-X9 asks other, and TOWN_TOKEN says that builder calls/],
    [['up'], /town up is for the operator/],
    [['down'], /town down is for the operator/],
    [['restart'], /town restart is for the operator/],
    [['daemon', 'run'], /town daemon run is for the operator/],
    [['session', 'kill', 'other'], /session kill is for the operator/],
    [['session', 'kill', 'other', '--force'], /session kill --force is for the operator/],
    [['session', 'adopt', 'other'], /adopting a session is for the operator/],
    [['warrant', 'cancel', 'w-dog-1'], /cancelling a warrant is for the operator/],
    [['deacon', 'health-check', 'other'], /a check of other is for the operator and the Deacon/],
    [['deacon', 'health-check'], /a check of all sessions is for the operator and the Deacon/],
  ])('an agent may not %j', async (words, sentence) => {
    town.dance('dog-1', 'other');
    exits(await town.as(TOKEN, ...words), 5, sentence);
    expect(town.names('deacon/dogs/warrants')).toEqual([]);
    expect(town.names('deacon/dogs/answers')).toEqual([]);
    expect(town.names('daemon')).toEqual([]);
  });

  // Rules: law 11.
  test('an agent sees how many letters wait for the operator, and no word of them', async () => {
    await town.data('mail', 'send', 'overseer', '--subject', 'the-subject', '--from', 'mayor');
    const looks = [
      [['status'], { mail: [], mail_count: 1 }],
      [['report', '--since', '1h'], { waiting: { mail: [], mail_count: 1 } }],
    ] as const;
    for (const [words, left] of looks) {
      expect((await town.run(...words)).stdout).toContain('the-subject');
      const [ofAgent, asJson] = [await town.as(TOKEN, ...words), await town.as(TOKEN, ...words, '--json')];
      expect(ofAgent.stdout + asJson.stdout).not.toContain('the-subject');
      expect(JSON.parse(asJson.stdout)).toMatchObject({ data: left });
    }
  });

  // Rules: C-16.
  test('an agent that sent all its letters of this hour sends no more, and the person hears of it once', async () => {
    // The hour may end between two commands.
    const hour = Math.floor(Date.now() / MAIL_BUDGET.hourMs);
    for (const name of [hour, hour + 1]) town.write(`mail/builder/sent/${name}`, '.'.repeat(MAIL_BUDGET.perHour));
    exits(
      await town.as(TOKEN, 'mail', 'send', 'other', '--subject', 'x'),
      5,
      /builder sent 300 letters within this hour/,
    );
    exits(await town.as(TOKEN, 'handoff', '-s', 'x', '-m', 'y'), 5, /this one was not sent/);
    expect([town.names('mail/other/new'), town.names('mail/deacon/new')]).toEqual([[], []]);
    expect(await town.data('mail', 'inbox')).toMatchObject([
      { from: 'town', subject: 'builder sends letters without end' },
    ]);
    await town.data('mail', 'send', 'other', '--subject', 'x', '--from', 'builder');
    expect(town.names('mail/other/new')).toHaveLength(1);
  });

  // Rules: law 11.
  test('a health check may be asked for by the Deacon\u2019s session and of oneself; never of a protected name', async () => {
    town.write('town.toml', `${readFileSync(join(town.root, 'town.toml'), 'utf8')}[deacon]\nmode = "session"\n`);
    town.session('hq-deacon');
    town.session('mayor');
    const asked = [
      await town.as('token-of-hq-deacon', 'deacon', 'health-check', 'other'),
      await town.as('token-of-hq-deacon', 'deacon', 'health-check'),
      await town.as(TOKEN, 'deacon', 'health-check', 'builder'),
      await town.run('deacon', 'health-check', 'other'),
    ];
    expect(asked.map(({ code }) => code)).toEqual([3, 3, 3, 3]); // no town runs here
    exits(await town.run('deacon', 'health-check', 'mayor'), 5, /mayor is protected/);
  });

  test.each(['stranger', '', 'token-of-gone'])('the token %j is refused', async (token) => {
    town.session('gone', { state: 'ended' });
    exits(
      await town.as(token, 'warrant', 'file', 'other', '--reason', 'x'),
      5,
      /TOWN_TOKEN belongs to no living session of .*; unset it/,
    );
    expect(town.names('deacon/dogs/warrants')).toEqual([]);
  });

  test('an agent answers for itself, with its life on record', async () => {
    town.dance('dog-1', 'builder');
    expect((await town.as(TOKEN, 'alive', 'm2-x9')).code).toBe(0);
    const answer: unknown = JSON.parse(readFileSync(join(town.root, 'deacon/dogs/answers/M2X9.json'), 'utf8'));
    expect(answer).toMatchObject({ uuid: 'uuid-of-builder', via: 'agent' });
  });
});
