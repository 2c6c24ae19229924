/** Numbers of hooks that a person installs, with unit and reason. */
export const HOOK_FILES = {
  /** Bytes of a settings file; the largest known ones have some kB. */
  maxBytes: 1_048_576,
  /** Permissions of a settings file where there was none: it may hold keys later. */
  mode: 0o600,
} as const;
