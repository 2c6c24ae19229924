/**
 * The agent programs: which version, from where, how each is set up to speak to the model on loopback, and by which
 * words its screens are told apart. The words are the bench's own, written from what was seen; the product's packs are not used.
 */
import { join } from 'node:path';
import { MODEL_URL, type Program, type Variant } from './program.ts';

const OPENAI = { OPENAI_API_KEY: 'sk-dummy' };
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const has = (variant: Variant, of: Record<string, string>) => (variant === 'keyless' ? {} : of);

const BROKEN = { broken: { command: 'false', args: [] } };
const serving = (variant: Variant) => (variant === 'served' ? { mcpServers: BROKEN } : {});

/** Throws each prompt back, and says so in a file: the first ones, so that a question needs more than one try, or all. */
const THROWN_BACK = 5;
const throwing = (least: number) =>
  `echo refused >> "$HOME/.bench/refused"; [ $(wc -l < "$HOME/.bench/refused") -gt ${least} ] || { echo "not now" >&2; exit 2; }`;
const HOOKS: Partial<Record<Variant, string>> = { refusing: throwing(THROWN_BACK), barring: throwing(1_000) };

const CLAUDE_KEY = 'sk-ant-api03-dummy-dummy-dummy-dummy';
const claude: Program = {
  id: 'claude',
  version: '2.1.330',
  source: { npm: '@anthropic-ai/claude-code', after: 'install.cjs' },
  argv: () => ['claude'],
  env: ({ variant }) => ({
    ANTHROPIC_BASE_URL: MODEL_URL,
    DISABLE_AUTOUPDATER: '1',
    ...(variant === 'subscribed' || variant === 'lived'
      ? { CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-dummy' }
      : has(variant, { ANTHROPIC_API_KEY: CLAUDE_KEY })),
  }),
  files: ({ dir, variant }) => ({
    '.claude/settings.json': json({
      permissions: {
        defaultMode: 'default',
        ...(variant === 'trusting' && { allow: ['Bash', 'Write'] }),
        ...(variant === 'lived' && { allow: ['Bash'], ask: ['Bash(touch:*)'] }),
      },
      ...(HOOKS[variant] !== undefined && {
        hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: HOOKS[variant] }] }] },
      }),
    }),
    ...(variant === 'served' && { 'shop/.mcp.json': json(serving(variant)) }),
    '.claude.json': json({
      hasCompletedOnboarding: true,
      theme: 'dark',
      numStartups: 9,
      ...(variant !== 'unasked' && { hasSeenAutoDefaultNudge: true, hasSeenAutoDefaultNotice: true }),
      customApiKeyResponses: { approved: [CLAUDE_KEY.slice(-20)], rejected: [] },
      projects:
        variant === 'untrusted' ? {} : { [dir]: { hasTrustDialogAccepted: true, projectOnboardingSeenCount: 9 } },
    }),
  }),
  ready: /^❯\u00a0/m,
  busy: /esc to interrupt|^[✶✢✽✻·*✳] \S+…/m,
  blocked: /Esc to cancel · Tab to amend|Enter to select · ↑/,
  error: /API Error|Invalid API key/,
  limit: /Request rejected \(429\)|hit your 5-hour limit/,
  asks: true,
  suggests: 'Try "how does app.py work?"',
  trust: /Enter to confirm · Esc to cancel/,
  login: /Not logged in|Select login method/,
};

const codex: Program = {
  id: 'codex',
  version: '0.169.0',
  source: { npm: '@openai/codex' },
  argv: () => ['codex'],
  env: ({ variant }) => has(variant, OPENAI),
  files: ({ dir, variant }) => ({
    '.codex/config.toml': [
      ...(variant === 'keyless'
        ? []
        : [
            'model = "gpt-mock"\nmodel_provider = "mock"\napproval_policy = "on-request"',
            `[model_providers.mock]\nname = "mock"\nbase_url = "${MODEL_URL}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"`,
          ]),
      ...(variant === 'untrusted' ? [] : [`[projects."${dir}"]\ntrust_level = "trusted"`]),
      ...(variant === 'served' ? ['[mcp_servers.broken]\ncommand = "false"'] : []),
      '[features]\ndefault_mode_request_user_input = true',
      '[tui]\nscreen_reader_detection_done = true\n',
    ].join('\n'),
  }),
  ready: /gpt-mock \S+ · /,
  busy: /esc to interrupt/,
  blocked: /Press enter to confirm or esc|enter to submit/i,
  error: /^■ /m,
  limit: /hit your usage limit/,
  asks: false,
  suggests: 'Ask Codex to do anything',
  trust: /Trust and continue/,
  login: /Sign in with ChatGPT/,
};

const gemini: Program = {
  id: 'gemini',
  version: '0.61.0',
  source: { npm: '@google/gemini-cli' },
  argv: (variant) => ['gemini', '-m', 'gemini-2.5-pro', ...(variant === 'trusting' ? ['--yolo'] : [])],
  env: ({ variant }) => ({
    GOOGLE_GEMINI_BASE_URL: MODEL_URL,
    ...has(variant, { GEMINI_API_KEY: 'dummy' }),
  }),
  files: ({ variant }) => ({
    '.gemini/settings.json': json({
      ...serving(variant),
      security: {
        ...(variant !== 'keyless' && { auth: { selectedType: 'gemini-api-key' } }),
        folderTrust: { enabled: variant === 'untrusted' },
      },
      general: { enableAutoUpdate: false },
    }),
  }),
  ready: /Type your message or @path/,
  busy: /esc to cancel, /,
  blocked: /● 1\. |Enter to select|Enter to submit/,
  error: /API Error/,
  limit: /Usage limit reached/,
  asks: true,
  suggests: 'Type your message or @path/to/file',
  trust: /Do you trust the files in this folder/,
  login: /Get started|How would you like to authenticate|Use Enter to select/,
};

const qwen: Program = {
  id: 'qwen',
  version: '0.24.4',
  source: { npm: '@qwen-code/qwen-code' },
  argv: () => ['qwen'],
  env: ({ variant }) => has(variant, { ...OPENAI, OPENAI_BASE_URL: `${MODEL_URL}/v1`, OPENAI_MODEL: 'gpt-mock' }),
  files: ({ variant }) => ({
    '.qwen/settings.json': json({
      $version: 4,
      ...serving(variant),
      security: {
        ...(variant !== 'keyless' && { auth: { selectedType: 'openai' } }),
        folderTrust: { enabled: variant === 'untrusted' },
      },
      ...(variant !== 'unasked' && { tools: { approvalMode: variant === 'trusting' ? 'yolo' : 'default' } }),
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      ui: { autoModeAcknowledged: true },
    }),
  }),
  ready: /Type your message or @path/,
  busy: /esc to cancel/,
  blocked: /Waiting for user confirmation/,
  error: /API Error/,
  limit: /esc to cancel|429/,
  asks: true,
  suggests: 'Type your message or @path/to/file',
  trust: /Do you trust/,
  login: /Connect a Provider|Get started/,
};

const asking = (variant: Variant) => ({
  ...(variant !== 'trusting' && { bash: 'ask', edit: 'ask' }),
  ...(variant === 'lived' && { bash: { '*': 'ask', 'timeout *': 'allow' } }),
  ...(variant === 'tooled' && { 'notes_*': 'ask' }),
});
const notesServer = (dir: string) => ['node', join(import.meta.dirname, 'notes-server.ts'), join(dir, 'NOTES')];

const opencode: Program = {
  id: 'opencode',
  version: '1.18.33',
  source: { npm: 'opencode-ai', after: 'postinstall.mjs' },
  argv: () => ['opencode'],
  // Without a network it would wait for half a minute for a list of models before its server answers.
  env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  files: ({ variant, dir }) => ({
    '.config/opencode/opencode.json': json({
      $schema: 'https://opencode.ai/config.json',
      autoupdate: false,
      share: 'disabled',
      permission: asking(variant),
      ...(variant === 'served' && { mcp: { broken: { type: 'local', command: ['false'], enabled: true } } }),
      ...(variant === 'tooled' && { mcp: { notes: { type: 'local', command: notesServer(dir), enabled: true } } }),
      ...(variant !== 'keyless' && {
        model: 'mock/gpt-mock',
        provider: {
          mock: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Mock',
            options: { baseURL: `${MODEL_URL}/v1`, apiKey: 'sk-dummy' },
            models: { 'gpt-mock': { name: 'GPT Mock' } },
          },
        },
      }),
    }),
  }),
  serves: true,
  ready: /Ask anything|╹▀▀▀/,
  busy: /esc interrupt/,
  blocked: /Permission required|enter submit/,
  error: /invalid x-api-key/,
  limit: /retrying in|exceeded your current quota/,
  asks: true,
  suggests: 'Ask anything... ',
  trust: null,
  login: null,
  interrupt: ['Escape', 'Escape'],
  quit: ['C-c'],
};

const copilot: Program = {
  id: 'copilot',
  version: '1.0.102',
  source: { npm: '@github/copilot' },
  argv: (variant) => ['copilot', ...(variant === 'trusting' ? ['--allow-all-tools'] : [])],
  env: ({ variant }) =>
    has(variant, {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${MODEL_URL}/v1`,
      COPILOT_PROVIDER_API_KEY: 'sk-dummy',
      COPILOT_MODEL: 'claude-sonnet-4.6',
    }),
  files: ({ dir, variant }) => ({
    ...(variant === 'served' && {
      '.copilot/mcp-config.json': json({
        mcpServers: { broken: { type: 'local', command: 'false', args: [], tools: ['*'] } },
      }),
    }),
    '.copilot/config.json': json({
      trusted_folders: variant === 'untrusted' ? [] : [dir],
      banner: 'never',
      trustedFolders: variant === 'untrusted' ? [] : [dir],
    }),
  }),
  ready: /^❯ ?/m,
  busy: /[◉◎○●] (?:Working|Thinking)|esc esc interrupt|esc interrupt/i,
  blocked: /↑\/?↓ to navigate|enter to select|enter accept/i,
  error: /✗ /,
  limit: /Last error: 429|429/,
  asks: true,
  suggests: 'Enter @ to mention files or / for commands',
  trust: /trust/i,
  login: /You must be logged in|login/i,
  interrupt: ['C-c'],
};

const aider: Program = {
  id: 'aider',
  version: '0.86.2',
  source: { pip: 'aider-chat' },
  argv: (variant) => [
    'aider',
    '--no-check-update',
    '--no-show-release-notes',
    '--analytics-disable',
    ...(variant === 'unasked' ? [] : ['--no-gitignore']),
    ...(variant === 'keyless' ? [] : ['--model', 'openai/gpt-mock', '--no-show-model-warnings']),
  ],
  env: ({ variant }) => has(variant, { ...OPENAI, OPENAI_API_BASE: `${MODEL_URL}/v1` }),
  files: () => ({ '.aider.model.settings.yml': '- name: openai/gpt-mock\n  edit_format: diff\n' }),
  ready: /^> ?$/m,
  busy: /[░█]+ +Waiting for \S+\s*$/,
  blocked: /\(Y\)es\/\(N\)o/,
  error: /AuthenticationError|invalid x-api-key/,
  limit: /RateLimitError|exceeded your current quota/,
  asks: true,
  trust: null,
  login: /\(Y\)es\/\(N\)o/,
  interrupt: ['C-c'],
  quit: ['C-d'],
};

const amp: Program = {
  id: 'amp',
  version: '0.0.1790142911-g7618fb',
  source: { npm: '@ampcode/cli', after: 'install.cjs' },
  argv: () => ['amp'],
  env: ({ variant }) => ({ AMP_URL: MODEL_URL, ...has(variant, { AMP_API_KEY: 'sgamp_user_dummy' }) }),
  files: ({ variant }) => ({
    '.local/share/amp/session.json': json({ agentMode: 'medium', neoWelcomeDismissed: variant !== 'unasked' }),
  }),
  ready: /Welcome to Amp[^]*╭─+ medium ─╮/,
  busy: /esc to cancel/i,
  blocked: /Space to continue|Enter to get started/,
  error: /Connection failed|Reconnecting/,
  limit: /out of credits/i,
  asks: true,
  trust: null,
  login: /log in to Amp\?/,
  only: { takes: ['login', 'welcome'], scenes: ['error', 'login', 'draft', 'folded', 'stopped'] },
};

export const PROGRAMS: readonly Program[] = [claude, codex, gemini, qwen, opencode, copilot, aider, amp];

/** Throws for one that the bench does not know. */
export function programOf(id: string): Program {
  const program = PROGRAMS.find((one) => one.id === id);
  if (program === undefined) throw new Error(`the bench does not know ${id}`);
  return program;
}
