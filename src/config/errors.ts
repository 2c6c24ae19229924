/**
 * Wrong configuration, a wrong pack, or a root that is unusable or another user's: lists every mistake, one line each.
 * Always exit code 2.
 */
export class ConfigError extends Error {
  readonly exit = 2;
  readonly code: 'bad_config' | 'bad_root' | 'no_root' | 'bad_pack' | 'not_yours';
  /** One sentence per mistake: what, which value, what is allowed, what to type. */
  readonly lines: readonly string[];

  constructor(code: ConfigError['code'], lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'ConfigError';
    this.code = code;
    this.lines = lines;
  }
}
