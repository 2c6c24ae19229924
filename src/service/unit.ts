/**
 * The texts by which a service manager starts the town: a user unit of systemd, and a property list of launchd. Both start it in the
 * foreground with the PATH of now, again after a failure, and leave agents running when the town ends.
 */
import { SERVICE } from './policy.ts';

export interface Service {
  readonly name: string;
  /** Absolute. */
  readonly root: string;
  /** Program and words, absolute. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\t': '\\t', '%': '%%' };

const LAST_ASCII = 0x7f;

/** systemd starts no program whose path has one of these, however it is quoted. */
export const isUnfit = (program: string): boolean => /["'\\\p{Cc}]/u.test(program);

/** One word by systemd's rules (systemd.syntax, systemd.unit: specifiers). */
export function quote(word: string): string {
  const inner = word.replace(/[\\"%\p{Cc}]/gu, (sign) => {
    const code = sign.charCodeAt(0);
    return SHORT[sign] ?? (code > LAST_ASCII ? sign : `\\x${code.toString(16).padStart(2, '0')}`);
  });
  return `"${inner}"`;
}

/** `:` keeps systemd from reading `$` in a word as a variable. */
export const unitText = ({
  root,
  command,
  environment,
}: Service): string => `# Made by \`town service install\`; \`town service uninstall\` takes it away.
[Unit]
Description=Townwatch at ${root.replaceAll('%', '%%').replace(/\s/g, ' ')}

[Service]
Type=notify
NotifyAccess=all
ExecStart=:${command.map(quote).join(' ')}
${Object.entries(environment)
  .map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`)
  .join('\n')}
# It ends with 76, and the next one reads town.toml anew.
ExecReload=kill -HUP $MAINPID
WatchdogSec=${SERVICE.watchdogSec}
TimeoutStartSec=${SERVICE.startSec}
# \`town down\` ends it for good; a fall or a silence does not. 2: the configuration is wrong, 5: another town has the root, or
# \`town down\` stopped it.
Restart=on-failure
RestartSec=${SERVICE.restartSec}
RestartPreventExitStatus=2 5
# Agents, and the tmux server they run in, outlive the town.
KillMode=process
# They share its memory group. One that the kernel ends for want of memory is no end of the town.
OOMPolicy=continue

[Install]
WantedBy=default.target
`;

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const SIGN = Object.fromEntries(Object.entries(XML).map(([sign, name]) => [name, sign]));
const text = (word: string): string => `<string>${word.replace(/[&<>]/g, (sign) => XML[sign] ?? sign)}</string>`;

export const plistText = ({ name, command, environment }: Service): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Made by \`town service install\`; \`town service uninstall\` takes it away. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  ${text(name)}
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    ${text(word)}`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(environment)
  .map(([key, value]) => `    <key>${key}</key>\n    ${text(value)}`)
  .join('\n')}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>${SERVICE.restartSec}</integer>
  <key>AbandonProcessGroup</key>
  <true/>
</dict>
</plist>
`;

const UNIT_ROOT = /^Description=Townwatch at (.+)$/m;
const PLIST_ROOT = /<string>--root<\/string>\s*<string>([^<]+)<\/string>/;

/** The root that a text of ours starts the town of, as it was written; null = it is none of ours. */
export function rootIn(text: string): string | null {
  const unit = UNIT_ROOT.exec(text)?.[1]?.replaceAll('%%', '%');
  const plist = PLIST_ROOT.exec(text)?.[1];
  return unit ?? plist?.replace(/&(?:amp|lt|gt);/g, (sign) => SIGN[sign] ?? sign) ?? null;
}
