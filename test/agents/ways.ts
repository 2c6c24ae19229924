/** The ways by which a person far from the pane is asked and answers: IRC, ntfy, the popup of townwatch.tmux, and a stock client of MCP. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execa, execaSync } from 'execa';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { PASSWORD } from '../channels/ircd.ts';
import { WITHIN_MS } from './ears.ts';
import type { Stage } from './stage.ts';

const LOOK_MS = 50;
const CHECKOUT = join(import.meta.dirname, '..', '..');
const MAIN = join(CHECKOUT, 'src', 'main.ts');

/** What a person read, and when. */
export interface Read {
  readonly by: string;
  readonly text: string;
  readonly at: number;
}

/** One answer to one question, as often as it is given. */
export interface Answer {
  /** When it was asked there, where that was before it was ready to be answered. */
  readonly askedAt?: number;
  /** `at`: when it was given. What the person reads of it. */
  readonly give: () => Promise<{ readonly at: number; readonly read: Read }>;
}

export interface Way {
  readonly name: string;
  /** Has its agent ask, waits until that is asked here, and has the answer "yes" to it ready. */
  readonly asked: (ask: () => Promise<void>) => Promise<Answer>;
}

/** The first that is there in time. Throws where none comes. */
async function first<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + WITHIN_MS; Date.now() < end;) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(LOOK_MS);
  }
  throw new Error(`in vain: ${what}`);
}

export interface Servers {
  readonly settings: string;
  readonly ways: readonly Way[];
}

/** The servers of IRC and ntfy in the stage's namespace, and a person there. */
export async function openServers(stage: Stage): Promise<Servers> {
  const program = [...stage.enter, process.execPath, join(import.meta.dirname, 'person.ts')];
  const env = { ...stage.env, PATH: process.env['PATH'] ?? '' };
  const person = execa('nsenter', program, { env, extendEnv: false, reject: false, stderr: 'inherit' });
  stage.endsWith(async () => {
    person.stdin.end();
    await person;
  });
  const reads: Read[] = [];
  const up = Promise.withResolvers<{ irc: number; ntfy: string }>();
  createInterface({ input: person.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as Read | { irc: number; ntfy: string };
    if ('by' in said) reads.push(said);
    else up.resolve(said);
  });
  const { irc, ntfy } = await up.promise;
  const mayAnswer = (from: string): string =>
    `[[may_answer]]\nfrom = "${from}"\nkinds = ["permission"]\noptions = ["yes"]`;
  const settings = [
    `[irc]\nserver = "127.0.0.1"\nport = ${irc}\nchannel = "#town"\ntls = false\npassword = "${PASSWORD}"`,
    `[ntfy]\nurl = "${ntfy}"\ntopic = "town"\nreply_topic = "answers"`,
    mayAnswer('irc:ana'),
    mayAnswer('ntfy'),
  ].join('\n');
  const order = (text: string): void => void person.stdin.write(`${text}\n`);
  const way = (name: string, isAsked: RegExp, orderOf: (number: string) => string): Way => {
    const find = (words: RegExp, from: number) =>
      first(`${String(words)} by ${name} in ${JSON.stringify(reads)}`, () => {
        const at = reads.findIndex((one, nth) => nth >= from && one.by === name && words.test(one.text));
        return at < 0 ? undefined : at;
      });
    return {
      name,
      asked: async (ask) => {
        const seen = reads.length;
        await ask();
        const [, number = ''] = isAsked.exec(reads[await find(isAsked, seen)]?.text ?? '') ?? [];
        return {
          give: async () => {
            const from = reads.length;
            const at = Date.now();
            order(orderOf(number));
            return { at, read: reads[await find(/Question q\d+/, from)] as Read };
          },
        };
      },
    };
  };
  return {
    settings,
    ways: [
      way('irc', /@townwatch (q\d+) yes/, (number) => `say @townwatch ${number} yes`),
      way('ntfy', /\[/, () => 'press yes'),
    ],
  };
}

/** A person's terminal at this tmux: not at the agent's session. Its key of the plugin opens the popup. */
export function popup(stage: Stage): Way {
  const desk = join(stage.home, '.bench', 'desk');
  const plugin = join(stage.home, '.bench', 'plugin', 'townwatch.tmux');
  mkdirSync(join(plugin, '..', 'dist'), { recursive: true });
  copyFileSync(join(CHECKOUT, 'townwatch.tmux'), plugin);
  const command = join(plugin, '..', 'dist', 'town.cjs');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  for (const file of [plugin, command]) chmodSync(file, 0o755);
  stage.tmux('new-session', '-d', '-x', '120', '-y', '50', '-s', 'mine', 'sleep', '100000');
  stage.tmux('set', '-t', '=mine:', 'status', 'off');
  execaSync(plugin, [], { env: { ...stage.env, TMUX: `${stage.socket},1,0` }, extendEnv: false });
  const at = (...words: string[]) =>
    execaSync('tmux', ['-f', '/dev/null', '-S', desk, ...words], { env: stage.env, extendEnv: false }).stdout;
  at(
    'new-session',
    '-d',
    '-x',
    '120',
    '-y',
    '50',
    'env',
    '-u',
    'TMUX',
    'tmux',
    '-S',
    stage.socket,
    'attach',
    '-t=mine',
  );
  stage.endsWith(async () => void at('kill-server'));
  const PROMPT = /number and option \(nothing = leave\): *[│|]?\s*$/;
  const shown = () =>
    at('capture-pane', '-p')
      .replaceAll(/[│┌┐└┘─]/g, ' ')
      .trimEnd();
  const page = () =>
    first('the popup asks for an answer', () => (PROMPT.test(shown()) ? shown() : undefined)).catch(
      (error: unknown) => {
        throw new Error(shown(), { cause: error });
      },
    );
  const close = async (): Promise<void> => {
    at('send-keys', 'Enter');
    await first('the popup is gone', () => (shown().includes('number and option') ? undefined : true));
  };
  return {
    name: 'popup',
    asked: async (ask) => {
      if (shown().includes('number and option')) await close();
      await ask();
      const number = await first('the popup shows a question', async () => {
        at('send-keys', 'C-b', 'T');
        const [, found] = /town answer (\d+) yes/.exec(await page()) ?? [];
        if (found === undefined) await close();
        return found;
      });
      return {
        give: async () => {
          at('send-keys', '-l', `${number} yes`);
          await first('the answer is typed', () => (shown().endsWith(`${number} yes`) ? true : undefined));
          const given = Date.now();
          at('send-keys', 'Enter');
          const [, text = ''] = (await page()).split(`leave): ${number} yes`).slice(-1).join('').split('\n');
          return { at: given, read: { by: 'popup', text: text.trim(), at: Date.now() } };
        },
      };
    },
  };
}

interface Listed {
  readonly id: string;
  readonly options: readonly { readonly key: string }[];
}

/** `town ask answer`, by the id under which the question was first listed: it stays the only one while the question stands. */
export function desk(stage: Stage, root: string): Way {
  const env = { PATH: process.env['PATH'] ?? '', HOME: stage.home };
  const town = (...words: string[]) =>
    execa('nsenter', [...stage.enter, process.execPath, MAIN, '--root', root, 'ask', ...words], {
      env,
      extendEnv: false,
      reject: false,
      all: true,
      cwd: stage.home,
    });
  const listed = async (): Promise<readonly string[]> => {
    const { data = [] } = JSON.parse((await town('list', '--json')).stdout) as { readonly data?: readonly Listed[] };
    return data.filter(({ options }) => options.some(({ key }) => key === 'yes')).map(({ id }) => id);
  };
  return {
    name: 'desk',
    asked: async (ask) => {
      await ask();
      const [id = ''] = await first('ask list has it', async () => {
        const ids = await listed();
        return ids.length === 0 ? undefined : ids;
      });
      const askedAt = Date.now();
      for (const until = askedAt + STANDS_MS; Date.now() < until;) {
        const ids = await listed();
        if (ids.join() !== id) throw new Error(`its id was ${id}, and is ${ids.join()}`);
      }
      return {
        askedAt,
        give: async () => {
          const at = Date.now();
          const { all: text } = await town('answer', id, 'yes');
          return { at, read: { by: 'desk', text, at: Date.now() } };
        },
      };
    },
  };
}

/** Its program, its screen and its alert have told of it by then. */
const STANDS_MS = 10_000;

/** A stock client that started `town mcp` as the operator. */
export async function mcp(stage: Stage, root: string): Promise<Way> {
  const client = new Client({ name: 'stock', version: '1' });
  // Inside: it asks some programs itself what they ask.
  const args = [...stage.enter, process.execPath, MAIN, '--root', root, 'mcp', '--stdio', '--role', 'operator'];
  const env = { PATH: process.env['PATH'] ?? '', HOME: stage.home };
  await client.connect(new StdioClientTransport({ command: 'nsenter', args, env, cwd: stage.home }));
  stage.endsWith(() => client.close());
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: input });
    return (content as { readonly text?: string }[])[0]?.text ?? '';
  };
  return {
    name: 'mcp',
    asked: async (ask) => {
      await ask();
      const { id } = await first('list_asks lists it', async () =>
        (JSON.parse(await call('list_asks')) as Listed[]).find(({ options }) =>
          options.some(({ key }) => key === 'yes'),
        ),
      );
      return {
        give: async () => {
          const at = Date.now();
          const text = await call('answer_ask', { id, option: 'yes' });
          return { at, read: { by: 'mcp', text, at: Date.now() } };
        },
      };
    },
  };
}
