/** A test that inherits the developer's town or tmux would talk to it. */
import { describe, expect, it } from 'vitest';
import { isOurs, scrubbed } from '../../scripts/environment.ts';

describe('the environment of tests', () => {
  it('names no town and no tmux', () => {
    expect(Object.keys(process.env).filter(isOurs)).toEqual([]);
  });

  it('drops those names and keeps all others', () => {
    const env = {
      TMUX: '1',
      TMUX_PANE: '%1',
      TMUX_TMPDIR: '/t',
      TOWN_ROOT: '/r',
      GT_ROOT: '/r',
      FUGUE_WATCHDOG_X: '1',
      HOME: '/h',
    };
    expect(scrubbed(env)).toEqual({ TMUX_TMPDIR: '/t', HOME: '/h' });
  });
});
