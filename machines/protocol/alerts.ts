/** Every kind of alert, once: what tells a person anything is one of these, and each has its row in src/alerts/questions.ts. */
export const ALERT_KINDS = [
  ...([
    'dance-escalated',
    'dance-failed',
    'dance-survivors',
    'dance-overdue',
    'dance-hopeless',
    'heard-often',
  ] as const),
  ...(['needs-input', 'usage-limit', 'agent-error', 'health', 'agent-changed', 'agent-removed'] as const),
  ...(['tmux-server-died', 'tmux-server-keeps-dying', 'tmux-unknown', 'name-taken', 'start-failing'] as const),
  ...(['crash-loop', 'ends-at-once', 'life-unknown', 'survivors', 'end-waits', 'output-unsaved'] as const),
  ...(['deacon-blocked', 'deacon-unreachable', 'deacon-no-command', 'deacon-silent', 'deacon-down'] as const),
  ...(['deacon-mail', 'daemon-step', 'file-refused', 'config-broken', 'socket-moved', 'disk'] as const),
  ...(['ledger-fails', 'patrol-fails'] as const),
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** Names an episode: its kind, and behind a stroke whom or what it is about. */
export type EpisodeName = AlertKind | `${AlertKind}/${string}`;
