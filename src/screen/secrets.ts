/** Shapes of secrets and addresses, of any owner. Pure. */

export interface Shape {
  /** With indices; the group `secret` is what goes, else the whole match. */
  readonly pattern: RegExp;
  /** Whether a match is meant; for patterns that words fit too. */
  readonly is?: (text: string) => boolean;
  /** A word that stands for it, repeated; else its letters become x. */
  readonly stand?: string;
  /** What it is in a file that is published, where `is` says so of the match. The others name people and machines. */
  readonly key?: { readonly name: string; readonly is: (text: string) => boolean };
}

const START = String.raw`(?<![A-Za-z0-9])`;

/** Letters, digits and case that change all the time are drawn by chance; words and paths keep to one for long. */
const MIN_CHANGES = 0.3;

function isRandom(text: string): boolean {
  const kinds = [...text.replace(/[^A-Za-z0-9]/g, '')].map((letter) => (/\d/.test(letter) ? 0 : letter < 'a' ? 1 : 2));
  const changes = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length;
  return new Set(kinds).size > 1 && changes / Math.max(1, kinds.length - 1) >= MIN_CHANGES;
}

/** User and host names that identify no person. */
const COMMON = new Set(
  'root user host localhost ubuntu debian admin node dev runner vscode ec2-user home shared public'.split(' '),
);
export const isCommon = (name: string): boolean => COMMON.has(name.toLowerCase());
const isSomebody = (name: string): boolean => !isCommon(name);

/** A count, a star or a placeholder behind `token:` is no secret. */
const isValue = (text: string): boolean => /[A-Za-z]/.test(text) && !/^[\d.,]+[kKmM]?$/.test(text);

/** `user:password` of an address; not where the password stands for one. */
const isPassword = (text: string): boolean => {
  const [user = '', word = ''] = text.split(':', 2);
  return word !== user && !/^(pass(word)?|secret|example|changeme|test|x+|\*+|[$<{%].*)$/i.test(word);
};
const always = (): boolean => true;

/** To the closing quote, blanks too; not a variable, which a shell puts in between double quotes alone, or a placeholder. */
const QUOTED = String.raw`"(?![$<{*])(?<secret>(?:[^"\\\n]|\\.)+)(?:"|$)|'(?![<{*])(?<secret>[^'\n]+)(?:'|$)`;
/** What stands behind the name of a secret: in quotes, or of so many letters at least; not the next option either. */
const valueOf = (least: number): string =>
  String.raw`(?:${QUOTED}|(?<secret>[^\s"',;$<{*|&-][^\s"',;|&]{${least - 1},}))`;
const VALUE = valueOf(4);
/** Behind an option that takes nothing else. */
const ANY = valueOf(1);
/** The name of a variable that holds a secret, and no place of one. */
const VARIABLE = String.raw`(?:[A-Z0-9]+_)+(?:TOKEN|SECRET|KEY|PAT|AUTH|CREDENTIALS?)(?:_(?:BASE|ID|VALUE|\d+))?`;
/** A switch or a small number is none. */
const isSet = (text: string): boolean => !/^(?:true|false|yes|no|on|off|null|none|\d{1,4})$/i.test(text);
/** Words of one command between its name and an option. */
const WITHIN = String.raw`\s(?:[^\n|;&]*\s)?`;

export const SHAPES: readonly Shape[] = [
  { pattern: /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[A-Za-z0-9+/=\\ ]*/dgu, key: { name: 'a private key', is: always } },
  {
    pattern: /:\/\/(?<secret>[^\s/@:]*:[^\s/@]+)(?=@)/dgu,
    key: { name: 'an address with a password', is: isPassword },
  },
  // A name of at most 64 letters (RFC 5321, 4.5.3.1.1): a long word without an @ costs no time for each of its letters.
  { pattern: /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/dgu },
  // A shell's prompt.
  { pattern: /(?<![^\s│┃([])[\p{L}\p{N}._-]+@[\p{L}\p{N}._-]+(?=:[~/])/dgu },
  {
    pattern: new RegExp(String.raw`${START}(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}`, 'dgu'),
    key: { name: 'a key of a service', is: isRandom },
  },
  {
    pattern: new RegExp(
      String.raw`${START}(?:gh[pousr]|github_pat|glpat|xox[abeprs]|xapp|npm|pypi|hf|gsk|xai|SG|dop_v1|shpat|lin_api)[-_.](?=[\w.-]*\d)[\w.-]{12,}`,
      'dgu',
    ),
    key: { name: 'a token of a service', is: isRandom },
  },
  {
    pattern: new RegExp(String.raw`${START}(?:AKIA|ASIA)[A-Z0-9]{12,}`, 'dgu'),
    key: { name: 'a key of AWS', is: always },
  },
  {
    pattern: new RegExp(String.raw`${START}(?:AIza|ya29\.)[\w-]{16,}`, 'dgu'),
    key: { name: 'a key of Google', is: isRandom },
  },
  {
    pattern: new RegExp(String.raw`${START}eyJ[\w-]{8,}(?:\.[\w-]*){0,2}`, 'dgu'),
    key: { name: 'a web token', is: (text) => /^eyJ[\w-]+\.[\w-]+\./.test(text) },
  },
  {
    pattern: new RegExp(
      String.raw`(?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|passphrase|credentials?)["']?\s*[:=]\s*(?:${QUOTED}|["']?(?<secret>[^\s"',;]{6,}))`,
      'dgiu',
    ),
    is: isValue,
    key: { name: 'a key or password by its name', is: isRandom },
  },
  // A header of a request, up to its closing quote: behind its name any word is one.
  {
    pattern:
      /(?<=\s)(?:-H|--header)[\s=]*(["'])[\w-]*(?:key|token|auth|secret|passw|cookie|session)[\w-]*\s*:\s*(?:(?:bearer|basic|token|digest|bot)\s+)?(?!(?:bearer|basic|token|digest|bot)\b|[\s$<{*])(?<secret>(?:(?!\1)[^\n])+)/dgiu,
  },
  {
    pattern:
      /\bauthorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest|bot)\s+)?(?!(?:bearer|basic|token|digest|bot)\b)(?<secret>[^\s"',;$<{*][^\s"',;]{5,})/dgiu,
  },
  { pattern: /(?<=\bcurl\s(?:[^\n|;&]*\s)?)(?:-b|--cookie)[\s=]*["']?[\w-]+=(?<secret>[^\s"'$<{][^"'\n]*)/dgu },
  // A variable, as each shell sets it.
  { pattern: new RegExp(String.raw`${START}${VARIABLE}=${ANY}`, 'dgu'), is: isSet },
  // A bare `set` is a word of prose, too: "set OPENAI_API_KEY first".
  {
    pattern: new RegExp(
      String.raw`\b(?:setenv|setx|configure\s+set|set(?:\s+-[\w-]+)+)\s+${VARIABLE}\s+${ANY}`,
      'dgiu',
    ),
    is: isSet,
  },
  { pattern: new RegExp(String.raw`\bsecret\s+set\b${WITHIN}(?:-b|--body)[\s=]*${ANY}`, 'dgu') },
  // What these names begin is never a word.
  { pattern: new RegExp(String.raw`${START}(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|whsec_)[\w-]{16,}`, 'dgu') },
  { pattern: new RegExp(String.raw`${START}AGE-SECRET-KEY-1[0-9A-Z]{20,}`, 'dgu') },
  // Addresses that are secrets themselves.
  { pattern: /\bhooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[^\s"']+)/dgu },
  { pattern: /\bdiscord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/(?<secret>\d+\/[^\s"']+)/dgu },
  { pattern: /\/bot(?<secret>\d{6,}:[\w-]{20,})/dgu },
  { pattern: /\b(?:Account|SharedAccess)Key=(?<secret>[^\s"';$<{]{6,})/dgu },
  { pattern: new RegExp(String.raw`:_auth(?:Token)?[=\s]\s*${ANY}`, 'dgu') },
  // Behind such a name digits alone are one, too.
  { pattern: new RegExp(String.raw`pass(?:w(?:or)?d|phrase)["']?\s*[:=]\s*${VALUE}`, 'dgiu') },
  {
    pattern: new RegExp(
      String.raw`(?<![A-Za-z0-9_])[A-Z0-9_]*(?:_PWD|_PASS|PASSWORD|PASSWD|PASSPHRASE)=${ANY}`,
      'dgiu',
    ),
  },
  // Of an address.
  { pattern: /[?&][\w-]*(?:key|token|secret|sig|signature|auth|passw(?:or)?d|pwd)=(?<secret>[^\s"'&#$<{]{6,})/dgiu },
  // Options of a command.
  {
    pattern: new RegExp(
      String.raw`(?<=[\s"'[,]|^)--?(?:[\w-]*(?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|passphrase)|(?:src|dest)?(?:store|key)?pass|pwd)(?:["']?\s*,\s*|\s+|=)${ANY}`,
      'dgiu',
    ),
    key: { name: 'a key or password by its name', is: isRandom },
  },
  {
    // Not a user with a group, a path of another host, or numbers of both.
    pattern: new RegExp(
      String.raw`(?<=\s)(?:-u|--user|--proxy-user)[\s=]*["']?(?<user>[^\s"':]+):(?!\k<user>(?:\s|$)|[/~.])${VALUE}`,
      'dgu',
    ),
    is: isValue,
    key: { name: 'a password of a user', is: isRandom },
  },
  {
    pattern: new RegExp(
      String.raw`(?<=\s)(?:-u|--user|--proxy-user)[\s=]*(["'])(?<user>[^\s"':]+):(?![$<{*]|\k<user>\1)(?<secret>(?:(?!\1)[^\n])+)`,
      'dgu',
    ),
    is: isValue,
  },
  { pattern: new RegExp(String.raw`\bvault\s+login\s+(?!-)${ANY}`, 'dgu') },
  { pattern: new RegExp(String.raw`\bopenssl${WITHIN}-k\s+${ANY}`, 'dgu') },
  { pattern: new RegExp(String.raw`(?<=\s-pass(?:in|out)?\s+)pass:${ANY}`, 'dgu') },
  { pattern: new RegExp(String.raw`--with-token\s*<<<\s*${ANY}`, 'dgu') },
  { pattern: new RegExp(String.raw`\bsshpass\s+-p\s*${ANY}`, 'dgu') },
  { pattern: new RegExp(String.raw`\b(?:mysql|mariadb)[\w-]*${WITHIN}-p${ANY}`, 'dgu') },
  {
    pattern: new RegExp(
      String.raw`\b(?:docker|podman|buildah|skopeo|nerdctl|helm|oc|az)\s(?:[^\n|;&]*\s)?login${WITHIN}-p[\s=]*${ANY}`,
      'dgu',
    ),
  },
  // Not behind the name of an archive: `cp a.zip -rP out`.
  { pattern: new RegExp(String.raw`(?<![\w.*-])(?:un)?zip${WITHIN}-[A-Za-z0-9]*?P\s*${ANY}`, 'dgu') },
  {
    pattern: new RegExp(
      String.raw`(?<![\w.*-])7z\w*${WITHIN}(?:-[pP]${ANY}|["']-[pP](?<secret>[^"'\n$<{*][^"'\n]*))`,
      'dgu',
    ),
  },
  { pattern: new RegExp(String.raw`\bsqlcmd${WITHIN}-P\s*${ANY}`, 'dgu') },
  { pattern: new RegExp(String.raw`\btwine${WITHIN}-p\s*${ANY}`, 'dgu') },
  { pattern: new RegExp(String.raw`\bnmcli${WITHIN}(?:password|psk|[\w-]+\.psk)\s+${ANY}`, 'dgu') },
  {
    pattern: new RegExp(
      String.raw`\b(?:smbclient|net|rpcclient)${WITHIN}(?:-U|--user)[\s=]*(?:(["'])[^\s"'%]+%(?![$<{*])(?<secret>(?:(?!\1)[^\n])+)|[^\s"'%]+%${ANY})`,
      'dgu',
    ),
  },
  { pattern: new RegExp(String.raw`\bredis-cli${WITHIN}-a\s*${ANY}`, 'dgu') },
  { pattern: new RegExp(String.raw`\bldap\w+${WITHIN}-w\s*${ANY}`, 'dgu') },
  // What a command reads as a password.
  {
    pattern: new RegExp(
      String.raw`\b(?:echo|printf)\s+(?:-\w+\s+|["']%s(?:\\n)?["']\s+)*${ANY}\s*\|(?:[^\n|;&]*\s)?(?:sudo\s(?:[^\n|;&]*\s)?-\w*S\b|--password-stdin\b|--with-token\b|chpasswd\b|passwd\s+--stdin\b)`,
      'dgu',
    ),
  },
  { pattern: new RegExp(String.raw`\bsudo${WITHIN}-\w*S\b[^\n|;&]*<<<\s*${ANY}`, 'dgu') },
  {
    pattern: /\b(?:bearer|basic)\s+(?<secret>[\w.~+/=-]{8,})/dgiu,
    is: isRandom,
    key: { name: 'a token of a request', is: always },
  },
  { pattern: /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/dgiu },
  { pattern: /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}/dgu, is: isRandom },
  { pattern: /(?:\/home|\/Users)\/(?<secret>[^\s/:"'`)\]│┃]+)/dgu, is: isSomebody, stand: 'user' },
  { pattern: /\\Users\\(?<secret>[^\s\\"'`]+)/dgu, is: isSomebody, stand: 'user' },
  { pattern: /\bWelcome back,? (?<secret>[^!\s][^!]{0,60})(?=!)/dgu, stand: 'user' },
  {
    pattern:
      /(?<secret>\p{Lu}[\p{L}\p{N}]*(?: \p{Lu}[\p{L}\p{N}]*)?)(?=['’]s (?:Organization|Individual Org|Team|Workspace)\b)/dgu,
    stand: 'user',
  },
];

export interface KeySeen {
  readonly kind: string;
  /** Where it begins in the text. */
  readonly at: number;
}

/** The first key of its kind in a file's text; null = none is seen. */
export function keyIn(text: string): KeySeen | null {
  for (const { pattern, is = always, key } of SHAPES)
    for (const match of key === undefined ? [] : text.matchAll(pattern)) {
      const secret = match.groups?.['secret'] ?? match[0];
      if (is(secret) && key?.is(secret) === true) return { kind: key.name, at: match.index };
    }
  return null;
}
