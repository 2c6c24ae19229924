/**
 * The hands of a running town: one performer per order over the real ports, and what goes on beside them. Owns the door to
 * tmux and everything that listens.
 * 1. The right to kill is read anew before every signal: the epoch on disk and the owner of the tmux server are ours.
 * 2. What listens (deaths, changes in tmux, a folder) only hints; findings come from orders.
 */
import { Alerts } from '../../state/alerts.ts';
import { readEpoch } from '../../state/epoch.ts';
import { Mailbox } from '../../state/mail.ts';
import type { Quarantine, Refused } from '../../state/quarantine.ts';
import { saveRescue } from '../../state/rescue.ts';
import type { Store } from '../../state/store.ts';
import { rootSecret, tokenFor } from '../../state/tokens.ts';
import type { Settings } from '../config/settings.ts';
import type { Host } from '../guard/process.ts';
import { askHand } from '../hearing/ask.ts';
import { CpuSampler } from '../hearing/cpu.ts';
import { lookHand, type LookDeps } from '../hearing/look.ts';
import { Memory } from '../hearing/memory.ts';
import { PaneQueue } from '../hearing/queue.ts';
import { createNotifier } from '../notify/notify.ts';
import type { Announce, Hands } from '../ports.ts';
import { listTreeHand } from '../proc/listTree.ts';
import { signalHand } from '../proc/signal.ts';
import { createRescuer, rescueHand } from '../rescue/rescue.ts';
import { adoptSession } from '../tmux/adopt.ts';
import { clearSession } from '../tmux/clear.ts';
import { isFault } from '../tmux/errors.ts';
import { claimServer, townLives, type Claim, type Owner } from '../tmux/owner.ts';
import { scanSessions } from '../tmux/scan.ts';
import { socketPath } from '../tmux/socket.ts';
import { startSession } from '../tmux/start.ts';
import { ControlTmux } from '../tmux/tmux.ts';
import { listen } from './listen.ts';
import { createNotices, type Notices } from './notices.ts';
import { paneReader } from './panes.ts';

export interface HandsNeeds {
  readonly settings: Settings;
  readonly host: Host;
  readonly store: Store;
  readonly quarantine: Quarantine;
  readonly announce: Announce;
}

/** The hands and what an engine asks of them besides orders. */
export interface HandsOf {
  readonly perform: Hands;
  /** Takes the tmux server for this root; why not, as a sentence, when another living town has it. null = ours, or none runs. */
  claim(): Promise<string | null>;
  /** Why the town is degraded by its hands (no tmux); null = it is not. */
  degradedBy(): string | null;
  /** A file that does not count is told as an episode of its own. */
  alarm(refused: Refused): Promise<void>;
  /** An edge of the disk's trouble; null = it is over. */
  diskAlarm(why: string | null): Promise<void>;
  /** Listens and reminds until `stop`. */
  attend(stop: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const NO_TMUX = 'tmux is not installed: hearings wait and no session can be started; install it (apt-get install tmux)';

export async function createHands(needs: HandsNeeds): Promise<HandsOf> {
  const { settings, host, store, announce } = needs;
  const { processes, clock, disk, logger } = host;
  const secret = await rootSecret(disk, needs.quarantine);
  const tmux = new ControlTmux({
    socketPath: socketPath(settings.tmux.socket),
    policy: settings.hands,
    processes,
    lost: (why) => announce({ type: 'LOST', what: 'tmux', why }),
    notice: () => announce({ type: 'POKED', what: 'sessions' }),
  });
  const owner: Owner = { root: settings.root, epoch: host.epoch };
  const claim = (): Promise<Claim> =>
    claimServer({ tmux, processes, lives: (o) => livesElsewhere(o, owner, host) }, owner);
  const mayKill = async (): Promise<boolean> =>
    (await readEpoch(disk)) === host.epoch && (await claim()).kind === 'owned';
  const panes = paneReader(tmux);
  const cpu = new CpuSampler(processes, settings.hands);
  const hearing: LookDeps = {
    tmux,
    processes,
    clock,
    cpu,
    policy: settings.hands,
    memory: new Memory(settings.hands),
    queue: new PaneQueue(),
    answerFor: async (code, uuid) => (await store.answerFor(code, uuid)) !== null,
  };
  const rescuer = createRescuer({
    cwdOf: (agent) => processes.cwdOf(agent),
    dirOf: async (target) => (await store.session(target.session))?.spec.dir ?? null,
    saveRescue: async (folder, files) => {
      const named = Object.entries(files).map(([name, content]) => ({ name, content }));
      await saveRescue(disk, folder.replace(/^rescue\//, ''), named);
    },
    policy: settings.hands,
  });
  const notices = noticesOf(needs);
  const scan = scanSessions({ tmux, processes, condemned: (uuid) => store.condemned(uuid) });
  const tokens = (uuid: string) => tokenFor(secret, uuid);
  let absent = false;
  const connectTmux = async (): Promise<void> => {
    try {
      absent = false;
      if ((await tmux.connect()) === 'none') throw new Error('no tmux server runs yet');
    } catch (error) {
      absent = isFault(error, 'absent');
      throw error;
    }
    const claimed = await claim();
    if (claimed.kind === 'refused') throw new Error(claimed.why);
  };
  const start = startSession({ tmux, processes, owner, claim, tokenFor: tokens, policy: settings.hands });
  const perform: Hands = {
    checkpoint: () => Promise.resolve({ type: 'SAVED' }),
    readRecords: () => store.readRecords(),
    readWarrants: async () => ({ type: 'WARRANTS_READ', warrants: await store.readWarrants() }),
    readSessions: async () => ({ type: 'SESSIONS_READ', sessions: await store.readSessions() }),
    ask: askHand(hearing),
    look: lookHand(hearing),
    listTree: listTreeHand({ processes, ttyOf: panes.ttyOf }),
    rescue: rescueHand({ rescuer, scrollback: panes.scrollback }),
    signal: signalHand({
      processes,
      clock,
      mayKill,
      ttyOf: panes.ttyOf,
      policy: { ...settings.policy.dance, ...settings.hands },
    }),
    clear: clearSession({ tmux, processes, owner }),
    tell: notices.tell,
    scan: async (order, signal) => {
      void cpu.sample(order.known, clock.now()); // a sign of life is told against what the tree did before
      return scan(order, signal);
    },
    startSession: async (order, signal) => {
      const outcome = await start(order, signal);
      if (outcome.type === 'SESSION_STARTED' && !tmux.connected)
        await connectTmux().catch((error: unknown) => logger.warn({ err: error }, 'no control client yet'));
      return outcome;
    },
    adoptSession: adoptSession({ tmux, processes, owner, claim, tokenFor: tokens }),
    alert: notices.alert,
    endAlert: notices.endAlert,
    reply: host.reply,
    connect: async ({ what }) => {
      await connectTmux();
      return { type: 'CONNECTED', what };
    },
  };
  return {
    perform,
    claim: async () => {
      try {
        const claimed = await claim();
        return claimed.kind === 'refused' ? claimed.why : null;
      } catch (error) {
        absent = isFault(error, 'absent');
        logger.warn({ err: error }, 'the tmux server could not be claimed yet');
        return null; // nothing is touched before it is: every kill asks again
      }
    },
    degradedBy: () => (absent ? NO_TMUX : null),
    alarm: (refused) => alarm(notices, refused),
    diskAlarm: (why) => diskAlarm(notices, why),
    attend: (stop) =>
      Promise.all([
        notices.remind(stop),
        listen({ root: settings.root, disk, policy: settings.hands, announce, log: (text) => logger.warn(text), stop }),
      ]).then(() => undefined),
    close: () => tmux.close(),
  };
}

/** Whether the town of another claim lives; an older epoch of our own root never does: we hold its lock. */
const livesElsewhere = (other: Owner, ours: Owner, { processes }: Host): boolean =>
  other.root !== ours.root && townLives(other, processes);

function noticesOf({ settings, host, store, quarantine }: HandsNeeds): Notices {
  const { disk, clock, logger } = host;
  const files = { disk, quarantine };
  const { command } = settings.notify;
  const notify = createNotifier(command === null ? null : { command, limitMs: settings.process.notifyMs }, (text) =>
    logger.warn(text),
  );
  return createNotices({
    clock,
    notify,
    alerts: new Alerts({ ...files, policy: settings.state }),
    mailboxOf: (address) => new Mailbox(files, settings.state.mostRecordBytes, address),
    correspondents: async () => ({
      rigs: Object.keys(settings.rigs),
      sessions: (await store.readSessions()).map(({ spec }) => spec.name),
    }),
    log: (text, more) => logger.warn(more, text),
    remindEveryMs: settings.state.remindEveryMs,
  });
}

async function alarm(notices: Notices, { file, why, movedTo }: Refused): Promise<void> {
  const place = movedTo === null ? `It was left at ${file}.` : `It is kept in ${movedTo}.`;
  await quietly(notices.alert, {
    type: 'alert',
    id: `file/${file}`,
    alert: {
      episode: `file-refused/${file}`,
      severity: 'medium',
      session: null,
      text: `${file} does not count: ${why} ${place}`,
    },
  });
}

async function diskAlarm(notices: Notices, why: string | null): Promise<void> {
  const episode = 'disk';
  if (why === null)
    await quietly(notices.endAlert, {
      type: 'endAlert',
      id: 'disk/end',
      episode,
      text: 'The disk takes records again.',
    });
  else
    await quietly(notices.alert, {
      type: 'alert',
      id: 'disk',
      alert: {
        episode,
        severity: 'critical',
        session: null,
        text: `The town is degraded, nothing is killed meanwhile: ${why}`,
      },
    });
}

/** An alarm about the disk may fail because of the disk; it is in the log already. */
async function quietly<O>(perform: (order: O, signal: AbortSignal) => Promise<unknown>, order: O): Promise<void> {
  await perform(order, new AbortController().signal).catch(() => undefined);
}
