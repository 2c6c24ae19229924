/** What an orchestrator gets of a worker: the payload of the seed, field by field, and what to do about it (M-5, M-10). Pure. */
import { isoOf } from '../kernel/iso-time.ts';
import type { Stamp, TagMessage, WorkerAlert, WorkerSeen } from '../protocol.ts';
import { reportOf, type Worker } from './judge.ts';
import { MAX_LINE, type MonitorPolicy } from './policy.ts';

type Payload = TagMessage['payload'];
type Suggested = TagMessage['suggested'];

const SECOND = 1_000;
const ID_SIGNS = 8;

const cut = (text: string): string => (text.length > MAX_LINE ? `${text.slice(0, MAX_LINE - 1)}…` : text);
const preview = ({ lines }: WorkerSeen, { outputPreviewLines }: MonitorPolicy): string[] =>
  lines.slice(-outputPreviewLines).map(cut);

const ERROR_LINE = 'it reported an error';

/** What kind of answer its question wants. `permission`: to do something; `confirmation`: yes or no; `input`: words. */
export function promptType({ state, rule, detail }: Pick<WorkerSeen, 'state' | 'rule' | 'detail'>): string {
  const words = `${rule ?? ''} ${detail ?? ''}`;
  if (state === 'logged_out') return 'input';
  if (/permission|approv|allow|trust\b/i.test(words)) return 'permission';
  if (state === 'asks' && !/\b(?:an answer|AskUserQuestion|type|enter|write)\b/i.test(words)) return 'confirmation';
  return 'input';
}

function more(state: WorkerAlert, worker: Worker, policy: MonitorPolicy, now: Stamp): Payload {
  const { seen, unchanged, activeAt } = worker;
  const report = reportOf(seen);
  switch (state) {
    case 'stuck':
      return {
        last_activity: isoOf(now.wall - (now.at - activeAt)),
        duration_secs: Math.round((now.at - activeAt) / SECOND),
        intervals_stuck: unchanged,
        last_output_preview: preview(seen, policy).join('\n'),
      };
    case 'error': {
      const reported = report?.status === 'error' ? (report.message ?? ERROR_LINE) : null;
      return {
        error_context: cut(reported ?? seen.error ?? seen.detail ?? seen.state),
        output_tail: preview(seen, policy),
      };
    }
    case 'complete':
      return { outcome: report?.outcome ?? null, completion_message: cut(report?.message ?? '') };
    case 'needs_input': {
      const isAsked = seen.state === 'asks' || seen.state === 'logged_out';
      const words = isAsked ? seen.detail : (report?.message ?? seen.detail);
      return { prompt_type: promptType(seen), prompt_preview: cut(words ?? seen.lines.at(-1) ?? '') };
    }
  }
}

/** By the worker's session. The actions are the seed's, the options our commands. */
const SUGGESTED: Readonly<Record<WorkerAlert, (name: string) => Suggested>> = {
  stuck: (name) => ({
    action: 'check_on_worker',
    options: [
      `town session logs ${name}   # see its current output`,
      `town nudge ${name} "how is it going?"   # nudge it`,
      `town session restart ${name}   # end it, its work saved, and start it again`,
    ],
  }),
  needs_input: (name) => ({
    action: 'provide_input',
    options: [
      'town questions   # its question, with its number; then town answer <number> yes to confirm',
      'town answer <number> no   # decline',
      `town session logs ${name}   # see the whole prompt`,
    ],
  }),
  complete: (name) => ({
    action: 'collect_results',
    options: [
      `town session logs ${name}   # its final output`,
      'merge its branch',
      `town session stop ${name}   # clean up`,
    ],
  }),
  error: (name) => ({
    action: 'investigate',
    options: [
      `town session logs ${name}   # the whole error`,
      `town nudge ${name} "try again"   # after mending its cause`,
      `town session restart ${name}   # begin anew in another way`,
    ],
  }),
};

/** One message, under an id that is the same however often it is made at this time. `leftOut`: reports that were not sent. */
export function messageOf(
  state: WorkerAlert,
  worker: Worker,
  policy: MonitorPolicy,
  now: Stamp,
  leftOut = 0,
): TagMessage {
  const { uuid, session } = worker.seen.life;
  return {
    id: `worker-${now.wall}-${uuid.slice(0, ID_SIGNS)}`,
    tag: policy.orchestratorTag,
    type: `worker.${state}`,
    payload: {
      worker_id: uuid,
      worker_name: session,
      ...more(state, worker, policy, now),
      ...(leftOut > 0 && { reports_left_out: leftOut }),
    },
    suggested: SUGGESTED[state](session),
  };
}
