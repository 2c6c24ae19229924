/** `[presets.<name>]`: the command of an agent, from the program that it is and how it is to run. */
import type { PresetSettings, Settings } from './settings.ts';

/** The options by which each program is told its model, and to ask for no permission. */
const HARNESSES: Readonly<Record<PresetSettings['harness'], { readonly model: string; readonly skip: string }>> = {
  claude: { model: '--model', skip: '--dangerously-skip-permissions' },
  codex: { model: '--model', skip: '--dangerously-bypass-approvals-and-sandbox' },
  gemini: { model: '--model', skip: '--yolo' },
};

/** null = there is none of this name. */
export function presetCommand({ presets }: Pick<Settings, 'presets'>, name: string): string[] | null {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (preset === undefined) return null;
  const { harness, 'config.model': model, 'config.dangerously_skip_permissions': skips } = preset;
  const words = HARNESSES[harness];
  return [harness, ...(model === null ? [] : [words.model, model]), ...(skips ? [words.skip] : [])];
}

/** `watchdog (Dedicated worker monitoring agent)` of each; empty = there are none. */
export const presetsText = ({ presets }: Pick<Settings, 'presets'>): string =>
  Object.entries(presets)
    .map(([name, { description }]) => (description === null ? name : `${name} (${description})`))
    .join(', ');
