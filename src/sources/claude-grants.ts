/** What a Claude Code would do from then on, by its own suggestions in a hook `PermissionRequest`, as seen with 2.1. Pure. */
import * as z from 'zod';

/** How long it holds, by where the program keeps it. */
const UNTIL = {
  session: 'until this session ends',
  localSettings: 'in this project, until you take it out of .claude/settings.local.json',
  projectSettings: 'for all who work in this project, until you take it out of .claude/settings.json',
  userSettings: 'in all your projects, until you take it out of your settings.json',
} as const;
const destination = z.enum(Object.keys(UNTIL) as (keyof typeof UNTIL)[]);

const SUGGESTIONS = z.array(
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('addRules'),
      behavior: z.literal('allow'),
      rules: z.array(z.object({ toolName: z.string(), ruleContent: z.string().optional() })).min(1),
      destination,
    }),
    z.object({ type: z.literal('addDirectories'), directories: z.array(z.string()).min(1), destination }),
    z.object({ type: z.literal('setMode'), mode: z.literal('acceptEdits'), destination: z.literal('session') }),
  ]),
);
type Suggestion = z.output<typeof SUGGESTIONS>[number];

/** undefined = it suggests nothing; null = something whose meaning is not known here. */
export function grantIn(suggestions: readonly unknown[]): string | null | undefined {
  if (suggestions.length === 0) return undefined;
  const { data } = SUGGESTIONS.safeParse(suggestions);
  return data === undefined ? null : data.map((one) => `${actOf(one)} ${UNTIL[one.destination]}`).join('; ');
}

/** In a folder of its work it still asks for some: its label says no more than access. */
function actOf(one: Suggestion): string {
  if (one.type === 'setMode') return 'edit files without asking';
  if (one.type === 'addDirectories') return `have access to ${one.directories.join(', ')}`;
  const rules = one.rules
    .map(({ toolName, ruleContent }) =>
      ruleContent === undefined ? `all of ${toolName}` : `${toolName}(${ruleContent})`,
    )
    .join(', ');
  return `do not ask again for ${rules}`;
}
