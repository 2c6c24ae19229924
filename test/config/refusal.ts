/** The lines by which a configuration is refused; none = it is not. */
import { ConfigError } from '../../src/config/errors.ts';

export function refusal(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
  return [];
}
