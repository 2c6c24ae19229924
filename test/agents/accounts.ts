/**
 * Two real agents with one dead login (M-9): one alert for their account, no start of the one that is killed until the login is
 * back, and then the other one named, which still uses the old one. Where that one rests with a conversation, the town restarts
 * it, and it goes on with it.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { actorOn } from './actor.ts';
import { until } from './ears.ts';
import { playOne } from './play-one.ts';
import { PROGRAMS } from './programs.ts';
import type { Stage } from './stage.ts';
import { openTown, type BenchTown } from './town.ts';

const [ADA, BOB] = ['ada', 'bob'] as const;
/** A session that nothing holds starts again within two seconds. */
const HELD_MS = 20_000;
const HOUR_MS = 3_600_000;

interface View {
  readonly pid: number;
  readonly restarts: number;
  readonly note: string;
  readonly account: { readonly label: string; readonly barred: string | null } | null;
  readonly conversation: { readonly resumed: boolean } | null;
}

/** What a person's login would leave in its file. */
interface Login {
  readonly file: string;
  readonly login: () => object;
  /** Without a login it takes a prompt, which begins a conversation. */
  readonly converses: boolean;
}
const LOGINS: Readonly<Record<string, Login>> = {
  claude: {
    file: '.claude/.credentials.json',
    converses: true,
    login: () => ({
      claudeAiOauth: {
        accessToken: 'sk-ant-oat01-dummy',
        refreshToken: 'sk-ant-ort01-dummy',
        expiresAt: Date.now() + HOUR_MS,
        scopes: ['user:inference', 'user:profile'],
        subscriptionType: 'max',
      },
    }),
  },
  codex: { file: '.codex/auth.json', converses: false, login: () => ({ OPENAI_API_KEY: 'sk-dummy' }) },
};

const loginOf = ({ program }: Stage): Login => LOGINS[program.id] ?? { file: '', converses: false, login: () => ({}) };

/** The texts of the open alerts of this kind. */
async function alertsOf(town: BenchTown, kind: string): Promise<string[]> {
  const all = await town.told<{ episode: string; text: string }[]>('alerts', 'list');
  return all.flatMap(({ episode, text }) => (episode.startsWith(kind) ? [text] : []));
}

async function play(stage: Stage, say: (line: string) => void): Promise<string | null> {
  const town = await openTown(stage, '[sessions]\nbackoff = "1s"\n');
  const view = (name: string) => town.told<View>('session', 'status', name);
  const shown = () => [ADA, BOB].map((name) => actorOn(stage, name).screen()).join('\n');
  for (const name of [ADA, BOB]) await town.start(name, stage.program.argv('keyless'), { restart: 'permanent' });
  const isTold = async () => (await alertsOf(town, 'account-logged-out')).some((text) => text.includes('2 of 2'));
  const toldMs = await until(isTold);
  if (toldMs === null) return `no alert of both: ${JSON.stringify([await view(ADA), await view(BOB)])}\n${shown()}`;
  const others = await alertsOf(town, 'needs-input');
  if (others.length > 0) return `alerted one by one: ${others.join(' ')}`;
  if (loginOf(stage).converses) await actorOn(stage, ADA).say('Count the words of the readme.');
  const { pid, account } = await view(BOB);
  say(`  one alert ${(toldMs / 1_000).toFixed(1)} s after both were started: account ${account?.label ?? 'unknown'}`);
  process.kill(pid, 'SIGKILL');
  await pause(HELD_MS);
  const held = await view(BOB);
  if (held.restarts > 0) return `it was started into the dead login: ${held.note}`;
  const { file, login, converses } = loginOf(stage);
  writeFileSync(join(stage.home, file), JSON.stringify(login()), { mode: 0o600 });
  const isBack = async () => (await view(BOB)).restarts === 1;
  const backMs = await until(isBack);
  if (backMs === null) return `it was not started after the login: ${JSON.stringify(await view(BOB))}`;
  say(`  held for ${HELD_MS / 1_000} s, started ${(backMs / 1_000).toFixed(1)} s after the login: ${held.note}`);
  const isNamed = async () =>
    (await alertsOf(town, 'account-login-old')).some((text) => text.includes(`restart ${ADA}`));
  // One that the town restarts itself may be back before it is named.
  if (!converses && (await until(isNamed)) === null)
    return `the one with the old login is not named: ${JSON.stringify(await view(ADA))}`;
  const isWell = async () => {
    const left = await alertsOf(town, 'account-logged-out');
    return left.length === 0 && (await view(BOB)).account?.barred === null;
  };
  if ((await until(isWell)) === null) return `it shows no login yet: ${JSON.stringify(await view(BOB))}\n${shown()}`;
  if (!converses) return null;
  const isRenewed = async () => {
    const { restarts, conversation } = await view(ADA);
    return restarts === 1 && conversation?.resumed === true;
  };
  const renewedMs = await until(isRenewed);
  if (renewedMs === null) return `it keeps the old login: ${JSON.stringify(await view(ADA))}\n${shown()}`;
  say(`  the other one was restarted ${(renewedMs / 1_000).toFixed(1)} s later, and went on with its conversation`);
  return null;
}

/** How many programs did not behave so. */
export async function playAccounts(say: (line: string) => void): Promise<number> {
  let failed = 0;
  const right = 'one alert, no start until it is back';
  const part = {
    variant: 'keyless',
    as: 'with a dead login',
    right,
    say,
    play: (stage: Stage) => play(stage, say),
  } as const;
  for (const program of PROGRAMS.filter(({ id }) => id in LOGINS)) failed += await playOne(program, [part]);
  return failed;
}
