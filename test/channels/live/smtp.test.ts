/** Mail to a real SMTP server: what it gets, and servers that refuse, hang or are away. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { expect, test, vi } from 'vitest';
import { CHANNELS } from '../../../machines/channels/policy.ts';
import { deliverOnce } from '../../../src/channels/deliver.ts';
import { channelOf, testMessage } from '../../../src/channels/make.ts';
import { NO_REACH, type Undelivered } from '../../../src/channels/port.ts';
import type { ChannelSettings } from '../../../src/channels/settings.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { whenOver } from '../../world/over.ts';
import { channelsWith } from '../make.ts';
import { Office } from '../office.ts';

const SMTP = { server: '127.0.0.1', encryption: 'none', from: 'town@example.org', to: 'me@example.org' } as const;

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: unknown;
  readonly text: string;
}

class Post {
  readonly mails: Mail[] = [];
  readonly port: number;
  /** Connections that were made. */
  dialogues = 0;
  /** Once it has a mail. */
  answer: (done: () => void) => void = (done) => done();
  readonly #sockets = new Set<Socket>();

  constructor({ server }: SMTPServer) {
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket: Socket) => {
      this.dialogues += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves once no connection stands. */
  async left(): Promise<void> {
    await vi.waitFor(() => expect(this.#sockets.size).toBe(0), 20_000);
  }

  static async open(options: Partial<SMTPServerOptions> = {}): Promise<Post> {
    const box: { post?: Post } = {};
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      authOptional: true,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) =>
        password === 'right' ? done(null, { user: username }) : done(new Error('wrong password')),
      onData: (stream, { envelope, user }, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
          box.post?.mails.push({
            from,
            to: envelope.rcptTo.map(({ address }) => address),
            user: user as unknown,
            text,
          });
          box.post?.answer(done);
        });
      },
      ...options,
    });
    server.on('error', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    whenOver(() => server.close());
    box.post = new Post(server);
    return box.post;
  }
}

const send = (smtp: Partial<ChannelSettings['smtp']>, signal = new AbortController().signal): Promise<string> =>
  channelOf('smtp', channelsWith({ smtp: { ...SMTP, ...smtp } })).send(testMessage(1), signal);
const refusal = (smtp: Partial<ChannelSettings['smtp']>): Promise<Undelivered> =>
  send(smtp).then(
    () => Promise.reject(new Error('it was delivered')),
    (error: unknown) => error as Undelivered,
  );

test('a mail has its words, its lines to type and its addresses, and counts once the server took it', async () => {
  const post = await Post.open();
  expect(await send({ port: post.port, user: 'me', password: 'right' })).toMatch(/^250 /);
  expect(post.mails).toHaveLength(1);
  const [mail] = post.mails;
  expect(mail).toMatchObject({ from: SMTP.from, to: [SMTP.to], user: 'me' });
  for (const words of ['Subject: town: a test', 'What needs you will come here.', 'town status'])
    expect(mail?.text).toContain(words);
  expect(mail?.text).toContain('Auto-Submitted: auto-generated');
});

test.each(['me@example.org\r\nBcc: all@example.org', 'me@example.org, all@example.org', 'me', 'Me <me@example.org>'])(
  'what is not one plain address is refused: %j',
  async (to) => {
    const post = await Post.open();
    expect((await refusal({ port: post.port, to })).message).toBe('[smtp] to is not one plain address');
    expect(post.mails).toEqual([]);
  },
);

const no = (code: number, text: string): Error => Object.assign(new Error(text), { responseCode: code });

test('a refused address, a full server and a wrong password are tried again: each may be mended', async () => {
  const strict = await Post.open({ onRcptTo: (_, __, done) => done(no(550, 'no such mailbox')) });
  expect(await refusal({ port: strict.port })).toMatchObject({
    isFinal: false,
    message: expect.stringContaining('no such mailbox') as unknown,
  });
  const full = await Post.open({ onRcptTo: (_, __, done) => done(no(452, 'mailbox is full')) });
  expect(await refusal({ port: full.port })).toMatchObject({ isFinal: false });
  const login = await Post.open();
  const wrong = await refusal({ port: login.port, user: 'me', password: 'a-wrong-one' });
  expect(wrong.isFinal).toBe(false);
  expect(wrong.message).not.toContain('a-wrong-one');
});

test('nothing goes out unencrypted, with words or with a login, unless that is configured', async () => {
  const plain = await Post.open();
  expect((await refusal({ port: plain.port, encryption: 'starttls', user: 'me', password: 'right' })).isFinal).toBe(
    false,
  );
  expect((await refusal({ port: plain.port, encryption: 'tls' })).isFinal).toBe(false);
  expect(plain.mails).toEqual([]);
});

test('what was given up before goes to no server, and one that is given up goes on to none', async () => {
  const asked = Promise.withResolvers<() => void>();
  const post = await Post.open({ onRcptTo: (_, __, done) => asked.resolve(done) });
  await expect(send({ port: post.port }, AbortSignal.abort())).rejects.toThrow('did not answer in time');
  const limit = new AbortController();
  const sent = send({ port: post.port }, limit.signal);
  const goOn = await asked.promise;
  limit.abort();
  await expect(sent).rejects.toMatchObject({ isUnsure: false });
  goOn();
  await post.left();
  expect(post.mails).toEqual([]);
});

const deliverTo = async (port: number): Promise<Office> => {
  const office = new Office();
  await office.add('builder asks');
  office.configured(channelsWith({ smtp: { ...SMTP, port } }));
  return office;
};
const idOf = ({ text }: Mail): string => /^Message-ID: (\S+)/im.exec(text)?.[1] ?? '';

test('a server that takes longer than others for its word gets a mail once', { timeout: 60_000 }, async () => {
  const post = await Post.open();
  post.answer = (done) => void setTimeout(done, CHANNELS.sendMs + 1_000);
  const office = await deliverTo(post.port);
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), 30_000);
  expect([post.mails.length, post.dialogues]).toEqual([1, 1]);
});

test('only a mail that a server was given may be there', async () => {
  const post = await Post.open();
  post.answer = () => post.hangUp();
  expect((await refusal({ port: post.port })).isUnsure).toBe(true);
  const early = await Post.open({ onRcptTo: () => early.hangUp() });
  expect((await refusal({ port: early.port })).isUnsure).toBe(false);
});

test('a server that has a mail and hangs up without a word gets it again under the same id', async () => {
  const post = await Post.open();
  post.answer = (done) => (post.mails.length === 1 ? post.hangUp() : done());
  const office = await deliverTo(post.port);
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), 30_000);
  const ids = post.mails.map(idOf);
  expect(ids).toEqual([expect.stringMatching(/^<\d+-[0-9a-f]+@townwatch>$/), ids[0]]);
});

test('without a town a server may take longer than the command gives for all, and gets a mail once', async () => {
  const post = await Post.open();
  const office = new Office();
  await office.add('builder asks');
  const taken = Promise.withResolvers<() => void>();
  post.answer = taken.resolve;
  let passedMs = 0;
  const pauses = new Set<object>();
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + passedMs,
    sleep: async (ms: number, signal?: AbortSignal) => {
      const pause = {};
      pauses.add(pause);
      await systemClock.sleep(ms, signal);
      pauses.delete(pause);
    },
  };
  const disk = realDisk(office.root, 1);
  const delivers = { disk, clock, channels: channelsWith({ smtp: { ...SMTP, port: post.port } }) };
  const more = {
    routes: [],
    mayAnswer: [],
    key: '',
    perHour: 30,
    perHourInAll: 30,
    peopleAt: () => Promise.resolve(new Set<string>()),
    offer: () => Promise.resolve(null),
    reach: NO_REACH,
  };
  const deliver = (): Promise<number | null> =>
    deliverOnce(office.root, { ...delivers, ...more, log: () => undefined });
  const delivered = deliver();
  const done = await taken.promise;
  await office.add('it comes too late for this run');
  passedMs = CHANNELS.deliverMs;
  await vi.waitFor(() => expect(pauses.size).toBe(0), 20_000);
  expect(await deliver()).toBeNull();
  done();
  expect(await delivered).toBe(1);
  expect([post.mails.length, post.dialogues]).toEqual([1, 1]);
  // Nothing of a run goes on once it failed.
  vi.spyOn(disk, 'list').mockRejectedValue(new Error('EIO'));
  await expect(deliver()).rejects.toThrow('EIO');
  expect(pauses.size).toBe(0);
});

test('a server that took a mail and then hangs up gets it once', async () => {
  const post = await Post.open();
  post.answer = (done) => {
    done();
    setImmediate(() => post.hangUp());
  };
  const office = await deliverTo(post.port);
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), 30_000);
  await office.add('another');
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), 30_000);
  expect(new Set(post.mails.map(idOf)).size).toBe(2);
  expect(post.mails).toHaveLength(2);
});

test('a server that never answers is left when the time for a message is over', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  whenOver(() => void silent.close());
  const limit = AbortSignal.timeout(300);
  const { port } = silent.address() as AddressInfo;
  const began = performance.now();
  await expect(send({ port }, limit)).rejects.toThrow('did not answer in time');
  expect(performance.now() - began).toBeLessThan(CHANNELS.sendMs / 2);
});

test('no server, and a missing key, are one sentence each', async () => {
  expect(await refusal({ port: 1 })).toMatchObject({
    isUnsure: false,
    message: expect.stringContaining('ECONNREFUSED') as unknown,
  });
  expect((await refusal({ to: null })).message).toBe('[smtp] to is not set');
});
