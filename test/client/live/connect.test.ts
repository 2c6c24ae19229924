/** The client library on a real town. */
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { fileSchemas } from '../../../scripts/schemas.ts';
import { FILES } from '../../../state/files/layout.ts';
import { connect, Failure, type TownEvent } from '../../../src/client/connect.ts';
import { print } from '../../../src/terminal/streams.ts';
import { killHard, TestTown, until } from '../../cli/town.ts';

const shapeOf = (schema: object): z.ZodType => z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);

/** null = the town moved it on since the folder was read. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The files of a root that name a schema, each with why it does not fit that; null = it does. */
async function filesOf(root: string): Promise<Map<string, string | null>> {
  const schemas = await fileSchemas();
  const files = new Map<string, string | null>();
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.json'))) {
    const text = readIfThere(join(root, path));
    if (text === null) continue;
    const value = JSON.parse(text) as { readonly schema?: string };
    const [kind = ''] = value.schema?.split('/') ?? [];
    const schema = schemas.get(kind);
    if (value.schema === undefined) continue;
    const checked = schema && shapeOf(schema).safeParse(value);
    files.set(path, checked === undefined ? 'it has no schema' : (checked.error?.message ?? null));
  }
  return files;
}

/** The events of these kinds, until the stream is ended. */
function listen(events: AsyncIterable<TownEvent>): { readonly seen: TownEvent[]; readonly over: Promise<void> } {
  const seen: TownEvent[] = [];
  const over = (async () => {
    for await (const event of events) seen.push(event);
  })();
  return { seen, over };
}

test('with a Node that is too old it says so, before anything of it fails', async () => {
  const { versions } = process;
  vi.stubGlobal('process', Object.create(process, { versions: { value: { ...versions, node: '20.19.5' } } }));
  const failed = connect({ root: '/nowhere' });
  vi.unstubAllGlobals();
  await expect(failed).rejects.toMatchObject({
    name: 'Failure',
    exit: 1,
    code: 'old_node',
    message: expect.stringMatching(/^townwatch\/client needs Node 24 or newer, and this is Node 20\.19\.5; /) as string,
  });
});

test('an argument of a wrong type is a refusal that names it', async () => {
  const wrong = (message: string) => ({ name: 'Failure', exit: 2, code: 'bad_argument', message });
  await expect(connect({ root: 5 as never })).rejects.toMatchObject(
    wrong('connect: root must be a string, and it is of the type number'),
  );
  const town = await connect({ root: new TestTown().root });
  await expect(town.send(5 as never, {} as never)).rejects.toMatchObject(
    wrong('send: session must be a string, and it is of the type number'),
  );
  await expect(town.send('w1', null as never)).rejects.toMatchObject(
    wrong('send: text must be a string, and it is null'),
  );
  await expect(town.answer('a', undefined as never)).rejects.toMatchObject(
    wrong('answer: option must be a string, and it is of the type undefined'),
  );
});

test('a program sees a town, gives work, and hears each event once, over a kill of the town', async () => {
  const test = await new TestTown().up();
  const town = await connect({ root: test.root });
  expect(town.root).toBe(test.root);
  const stop = new AbortController();
  const live = listen(town.events({ signal: stop.signal }));
  await test.agent('w1', ['cat']);
  expect(await town.status()).toMatchObject({ running: true, root: test.root, questions: [] });
  expect(await town.sessions()).toMatchObject([{ name: 'w1', state: 'running', alive: true }]);
  expect(await town.asks()).toEqual([]);
  expect(await town.warrants()).toEqual([]);
  expect(await town.send('w1', 'do it')).toMatchObject({ session: 'w1', ahead: 0 });
  await until(() => test.tmux('capture-pane', '-p', '-t', '=w1:').includes('do it'));
  const { pid } = await test.status();
  killHard(pid);
  await until(
    () => test.status(),
    (now) => now.pid !== pid,
  );
  await test.agent('w2', ['cat']);
  await until(() => live.seen.some((event) => event['session'] === 'w2'));
  stop.abort();
  await live.over;

  // A stream that begins after an event has all later events, and none of the others.
  const all = listen(town.events({ after: 'start', signal: AbortSignal.timeout(2_000) }));
  await all.over;
  const cursors = all.seen.map(({ cursor }) => cursor);
  expect(new Set(cursors).size).toBe(cursors.length);
  const heard = live.seen.map(({ cursor }) => cursor);
  const from = cursors.indexOf(heard[0] ?? '');
  expect(cursors.slice(from, from + heard.length)).toEqual(heard);
  const middle = cursors[Math.floor(cursors.length / 2)] ?? '';
  const rest = listen(town.events({ after: middle, signal: AbortSignal.timeout(2_000) }));
  await rest.over;
  expect(rest.seen.map(({ cursor }) => cursor)).toEqual(cursors.slice(cursors.indexOf(middle) + 1));
});

test('an alert is one event, however often the town is killed while it stands', async () => {
  const test = await new TestTown().up();
  const town = await connect({ root: test.root });
  const stop = new AbortController();
  const live = listen(town.events({ after: 'start', signal: stop.signal }));
  const alerts = (): unknown[] => live.seen.filter(({ kind }) => kind === 'alert').map(({ episode }) => episode);
  const gates: string[] = [];
  for (const title of ['Release it', 'Buy a name', 'Sign it']) {
    const { id } = await test.data<{ id: string }>('bead', 'gate', 'create', title, '--type', 'human');
    gates.push(`gate/${id}`);
    // The look that sees this one sees the earlier ones again.
    await until(() => alerts().includes(`gate/${id}`));
    const { pid } = await test.status();
    killHard(pid);
    await until(
      () => test.status(),
      (now) => now.pid !== pid && now.ready,
    );
  }
  stop.abort();
  await live.over;
  expect(alerts()).toEqual(gates);
});

test('what stands on the disk of a town fits the JSON Schemas that are shipped', async () => {
  const test = await new TestTown('[ntfy]\nurl = "http://127.0.0.1:9"\ntopic = "town"\n').up();
  await test.agent('w1', ['cat']);
  await test.agent('w2', ['sleep', '1000']);
  await test.run('mail', 'send', 'overseer', '--subject', 'which database?', '--urgent');
  await test.run('send', 'w1', 'do it', '--wait');
  await test.run('mail', 'send', 'w1', '--subject', 'hello', '--body', 'there');
  await test.data('warrant', 'file', 'w2', '--reason', 'it hangs');
  await test.data('bead', 'gate', 'create', 'Release it', '--type', 'human');
  // An alert is no letter: its slot has none.
  const isAlerted = () => {
    const { slots = {} } = JSON.parse(test.read(FILES.notices) || '{}') as { slots?: Record<string, object> };
    return Object.values(slots).some((slot) => !('letters' in slot));
  };
  const kinds = [
    'deacon/dogs/active/',
    'sessions/w1.json',
    'daemon/sends.json',
    'mail/',
    'daemon/guard',
    'daemon/spool/',
  ];
  const files = await until(
    () => filesOf(test.root),
    (all) => isAlerted() && kinds.every((kind) => [...all.keys()].some((path) => path.startsWith(kind))),
  );
  expect([...files].filter(([, why]) => why !== null)).toEqual([]);
});

test('the library prints nothing, also where its command has a note beside the answer', async () => {
  const test = new TestTown();
  test.session('w1');
  expect((await test.run('session', 'list')).stderr).not.toBe('');
  const written = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'));
  const sessions = await (await connect({ root: test.root })).sessions();
  const printed = written.flatMap(({ mock }) => mock.calls);
  written.forEach((spy) => spy.mockRestore());
  expect(sessions).toMatchObject([{ name: 'w1' }]);
  expect(printed).toEqual([]);
  // Its host may use other parts of the package, which print as ever.
  const say = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  print('as ever');
  expect(say).toHaveBeenCalledWith('as ever');
  say.mockRestore();
});

test('a town that is down is a Failure like any other; work that is given twice under one id is typed once', async () => {
  const test = await new TestTown().up();
  await test.run('session', 'start', 'w1', '--', 'cat');
  const town = await connect({ root: test.root });
  const [first, again] = [
    await town.send('w1', 'mend it', { request: 'monday-1' }),
    await town.send('w1', 'mend it', { request: 'monday-1' }),
  ];
  expect(again.id).toBe(first.id);
  await test.run('down');
  const failed = await town.send('w1', 'mend it').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Failure);
  expect(failed).toMatchObject({ exit: 3, code: 'not_running' });
  expect(await town.status()).toMatchObject({ running: false });
});

test('what is refused says so with the exit code and the word of its command', async () => {
  const test = await new TestTown().up();
  const town = await connect({ root: test.root });
  const refused = (exit: number, code: string) => expect.objectContaining({ exit, code }) as Failure;
  await expect(town.send('absent', 'x')).rejects.toEqual(refused(2, 'unknown_session'));
  await expect(town.answer('dialog-000000001', 'yes')).rejects.toEqual(refused(3, 'over'));
  await expect(listen(town.events({ after: '2020-01-01.jsonl:7' })).over).rejects.toEqual(refused(3, 'cursor_gone'));
  await expect(listen(town.events({ after: '../../etc/passwd' })).over).rejects.toEqual(refused(2, 'bad_cursor'));
  await expect(connect({ root: `${test.root}/absent` })).rejects.toBeInstanceOf(Failure);
});

test.each([
  ['an empty word', ''],
  ['a file', import.meta.filename],
  ['no text', null as unknown as string],
])('a root that is %s is a Failure', async (_, root) => {
  await expect(connect({ root })).rejects.toBeInstanceOf(Failure);
});

test('a root that others may write, and an answer without an id, are Failures too, also of the events', async () => {
  const { root } = new TestTown();
  const town = await connect({ root });
  await expect(town.answer(undefined as unknown as string, 'no')).rejects.toBeInstanceOf(Failure);
  chmodSync(root, 0o777);
  await expect(connect({ root })).rejects.toMatchObject({ name: 'Failure', exit: 2 });
  await expect(town.events()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ name: 'Failure', exit: 2 });
});
