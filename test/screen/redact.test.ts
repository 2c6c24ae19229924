/** What tells whose machine a screen is from goes, and nothing else: columns, colours and what the packs read stay. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnsOf } from '../../src/terminal/columns.ts';
import { Packs } from '../../src/screen/packs.ts';
import { readScreen } from '../../src/screen/read.ts';
import { holdSecret, redact, type Whose } from '../../src/screen/redact.ts';
import { plain } from '../../src/screen/text.ts';
import { linesOf } from '../../src/sources/question.ts';
import { recordedScreens } from './recorded.ts';

const WHOSE: Whose = {
  homes: ['/home/alice', '/data/people/alice'],
  users: ['alice', 'Alice Lovelace', 'Lovelace', '李小龙'],
  hosts: ['moon.example.org', 'moon'],
};

const SECRETS: readonly string[] = [
  '/home/alice/src',
  '/data/people/alice/src',
  '/Users/carol.jones/x',
  'alice',
  'ALICE',
  'Alice Lovelace',
  '李小龙',
  'moon.example.org',
  'alice@moon',
  'ada.l+x@mail.example.com',
  'sk-ant-api03-AbC1dEf2GhI3jKl4MnO5pQr6',
  'sk-proj-0123456789abcdef',
  'ghp_0123456789abcdefghijABCDEFGHIJ012345',
  'github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuV',
  'glpat-aB3dE6gH9jK2mN5p',
  'xoxb-123456789012-abcdEFGH',
  'AKIAIOSFODNN7EXAMPLE',
  'AIzaSyA1234567890abcdefghijklmnopqrstu',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'mZ8v1QxT+7kL0pR/s2Yw9Bd4Nf6Hj3Ua==',
  '0199f2c4-1a2b-7abc-9def-0123456789ab',
];

const shown = (rows: readonly string[]): string => redact(rows, WHOSE).map(plain).join('\n');

describe('a secret is gone', () => {
  test.each(SECRETS)('%s', (secret) => {
    for (const row of [secret, `key: ${secret}, and more`, `(${secret})`, `│ "${secret}" │`, `❯ ${secret}`]) {
      const [clean = ''] = redact([row], WHOSE);
      expect(clean).not.toContain(secret);
      expect(columnsOf(clean)).toBe(columnsOf(row));
      expect(redact([clean], WHOSE)).toEqual([clean]);
    }
  });

  test.each([
    ['OPENAI_API_KEY=correct-horse', 'OPENAI_API_KEY=xxxxxxx-xxxxx'],
    ['password: "hunter22"', 'password: "xxxxxxxx"'],
    ['PGPASSWORD=12345678 psql', 'PGPASSWORD=xxxxxxxx psql'],
    ['mysql --password hunter2Xk9 shop', 'mysql --password xxxxxxxxxx shop'],
    ['mysqldump -h db -phunter2Xk9 shop', 'mysqldump -h db -pxxxxxxxxxx shop'],
    ['curl -u admin:hunter2Xk9 localhost', 'curl -u admin:xxxxxxxxxx localhost'],
    ['sshpass -p hunter2 ssh box', 'sshpass -p xxxxxxx ssh box'],
    ['npm login --token abcd1234', 'npm login --token xxxxxxxx'],
    ["gh secret set --api-key 'abcd1234'", "gh secret set --api-key 'xxxxxxxx'"],
    ["mysql --password 'correct horse battery' shop", "mysql --password 'xxxxxxx xxxxx xxxxxxx' shop"],
    ['PGPASSWORD="correct horse" psql', 'PGPASSWORD="xxxxxxx xxxxx" psql'],
    ['api_key: "correct \\"horse\\" battery"', 'api_key: "xxxxxxx \\"xxxxx\\" xxxxxxx"'],
    ['curl -u "admin:correct horse" localhost', 'curl -u "admin:xxxxxxx xxxxx" localhost'],
    ['["--password","hunter 2"]', '["--password","xxxxxx x"]'],
    ['docker login -u bob -p 9 registry', 'docker login -u bob -p x registry'],
    ['mysql -u root -pZ9', 'mysql -u root -pxx'],
    ['MYSQL_PWD=ab9 mysql', 'MYSQL_PWD=xxx mysql'],
    ['redis-cli -h db -a hunter2 ping', 'redis-cli -h db -a xxxxxxx ping'],
    ["ldapsearch -x -w 'a b' -b dc", "ldapsearch -x -w 'x x' -b dc"],
    ['deploy --pass abc --dry', 'deploy --pass xxx --dry'],
    ['curl https://api.example.com/v1?key=abcdefg123&q=1', 'curl https://api.example.com/v1?key=xxxxxxxxxx&q=1'],
    ['echo hunter2 | sudo -S make', 'echo xxxxxxx | sudo -S make'],
    ['sudo -k -S make <<< "hunter 2"', 'sudo -k -S make <<< "xxxxxx x"'],
    ['echo hunter2 | docker login -u bob --password-stdin', 'echo xxxxxxx | docker login -u bob --password-stdin'],
    ['Authorization: Bearer a1B2c3D4e5', 'Authorization: Bearer xxxxxxxxxx'],
    ['https://bob:s3cret@git.example.com/x', 'https://xxx:xxxxxx@xxx.xxxxxxx.xxx/x'],
    ['bob@server7:~/src$ ls', 'xxx@xxxxxxx:~/src$ ls'],
    ['Welcome back Bob!', 'Welcome back use!'],
    ["Bob Jones's Organization", "useruseru's Organization"],
    ['cd /home/alice/src', 'cd /home/useru/src'],
    ['on Moon as alice', 'on host as useru'],
  ])('%s becomes %s', (row, clean) => {
    expect(shown([row])).toBe(clean);
  });
});

// Rules: A-3.
test.each([
  ['curl -H "Authorization: Bearer abcdefghijkl" https://x.io', 'abcdefghijkl'],
  ["curl -H 'Authorization: token abcdefabcdef' https://x.io", 'abcdefabcdef'],
  ['curl -H "X-Api-Key: 1234567890" https://x.io', '1234567890'],
  ['wget --header="X-Auth: plainword" https://x.io', 'plainword'],
  ['curl -H "Cookie: sid=plain word" https://x.io', 'plain word'],
  ['curl -b "sid=plainword" https://x.io', 'plainword'],
  ['AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE aws s3 ls', 'AKIAIOSFODNN7EXAMPLE'],
  ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'K7MDENG'],
  ['git clone https://ana:plainword@git.example.com/x', 'plainword'],
  ['git clone https://ghp_abcdefghijklmnopqrst@git.example.com/x', 'abcdefghijklmnopqrst'],
  ['echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN', 'dozjgNry'],
  ['export FOO_TOKEN=1234567', '1234567'],
  ['export FOO_TOKEN="two words"', 'two words'],
  ['export GITHUB_PAT=plainword', 'plainword'],
  ['ENCRYPTION_KEY=plainword SECRET_KEY_BASE=otherword make', 'plainword'],
  ['heroku config:set SECRET_KEY_BASE=otherword', 'otherword'],
  ['set -x FOO_TOKEN plainword', 'plainword'],
  ['setenv FOO_TOKEN plainword', 'plainword'],
  ['echo sk-proj-abcdefghijklmnopqrst', 'abcdefghijklmnopqrst'],
  ['echo ghp_abcdefghijklmnopqrstuvwxyzabcdefghij', 'abcdefghijklmnopqrst'],
  ['echo glpat-abcdefghijklmnopqrst', 'abcdefghijklmnopqrst'],
  ['echo xoxb-abcdefghijklmnop', 'abcdefghijklmnop'],
  ['echo whsec_abcdefghijklmnopqrst', 'abcdefghijklmnopqrst'],
  ['echo AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQ', 'QQQQQQQQ'],
  ['curl https://hooks.slack.com/services/T000/B000/abcdefabcdef', 'abcdefabcdef'],
  ['curl https://discord.com/api/webhooks/123456789012/abcdefabcdef', 'abcdefabcdef'],
  ['curl https://api.telegram.org/bot123456:abcdefabcdefabcdefabcdef/getMe', 'abcdefabcdef'],
  ['AccountKey=abcdefabcdef==;EndpointSuffix=x', 'abcdefabcdef'],
  ['npm config set //registry.npmjs.org/:_authToken plainword', 'plainword'],
  ['vault login plainword', 'plainword'],
  ['echo plainword | gh auth login --with-token', 'plainword'],
  ['gh auth login --with-token <<< plainword', 'plainword'],
  ['openssl enc -aes-256-cbc -k plainword', 'plainword'],
  ['openssl rsa -passin pass:plainword', 'plainword'],
  ['PGPASSWORD=qzw psql shop', 'qzw'],
  ['keytool -import -storepass plainword -file x', 'plainword'],
  ['keytool -keypass qzw', 'qzw'],
  ['ansible-playbook -e "ansible_become_pass=plainword" site.yml', 'plainword'],
  ['ansible-playbook -e ansible_ssh_pwd=qzw site.yml', 'qzw'],
  ['aws configure set aws_secret_access_key plainword', 'plainword'],
  ['setx API_KEY plainword', 'plainword'],
  ['gh secret set FOO --body plainword', 'plainword'],
  ['gh secret set FOO -b"two words" --repo x/y', 'two words'],
  ['unzip -P plainword a.zip', 'plainword'],
  ['zip -r -P qzw a.zip src', 'qzw'],
  ['sqlcmd -S db -U sa -P plainword', 'plainword'],
  ['twine upload -u bob -p plainword dist/*', 'plainword'],
  ['nmcli dev wifi connect home password plainword', 'plainword'],
  ['smbclient //box/share -U bob%plainword', 'plainword'],
  ['smbclient //box/share -U "bob%plain word"', 'word'],
  ["rpcclient --user='bob%plain word' box", 'word'],
  ['7z a -pqzw out.7z dir', 'qzw'],
  ['/usr/bin/7za x "-pplain word" out.7z', 'word'],
  ["7zz x -P'plain word' out.7z", 'word'],
  ['zip -rP hunter2 a.zip src', 'hunter2'],
  ['zip -r9Pqzw a.zip src', 'qzw'],
  ['unzip -oP hunter2 a.zip', 'hunter2'],
  ['keytool -importkeystore -deststorepass qzw', 'qzw'],
  ['keytool -importkeystore -srcstorepass qzw', 'qzw'],
  ['keytool -importkeystore -destkeypass qzw -srckeypass "$PW"', 'qzw'],
  ['set --export FOO_TOKEN plainword', 'plainword'],
])('of the command %j a person far away reads no %j, and a yes to it is given at the desk', (row, secret) => {
  expect(shown([row])).not.toContain(secret);
  expect(holdSecret([row])).toBe(true);
  const { shows, whole } = linesOf([row]);
  expect([shows.join().includes(secret), whole]).toEqual([false, null]);
});

// Rules: A-3.
test.each([
  [['cat > k <<EOF', '-----BEGIN RSA PRIVATE KEY-----', 'QyNTUxOQAAACDuM4a0', 'aaaa', '-----END RSA PRIVATE KEY-----']],
  [['+ -----BEGIN PRIVATE KEY-----', '+ QyNTUxOQAAACDuM4a0', '+ aaaa']],
  [['│ -----BEGIN PRIVATE KEY----- │', '│ QyNTUxOQAAACDuM4a0          │', '│ aaaa                        │']],
  [['echo "-----BEGIN PRIVATE KEY-----\\nQyNTUxOQAAACDuM4a0\\naaaa\\n-----END PRIVATE KEY-----" > k']],
])('no row of a private key is shown: %j', (rows) => {
  for (const text of [shown(rows), linesOf(rows).shows.join('\n')]) expect(text).not.toMatch(/QyNT|aaaa/);
  expect(linesOf(rows).whole).toBeNull();
});

test.each([
  'export MAX_TOKENS=4096 USE_AUTH=true SSH_KEY_PATH=~/.ssh/id FOO_TOKEN=$BAR; cat <<EOF',
  'curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: text/plain" -H "Accept: */*" https://x.io/bot/1',
  'vault login -method=oidc; openssl rsa -passin env:PW; git config user.name; author: someone',
  'malice, alicelike, moonlight',
  'src/components/MyComponent2/index.tsx and /usr/local/lib/node_modules/@scope/name',
  'claude-sonnet-4-5-20250929 · gpt-5.1-codex-max · npm install zod@4.1.0',
  '✽ Pondering… (1m 12s · ↓ 1.2k tokens · esc to interrupt)',
  'Tokens: 12,345 sent, token: 20, password: ****',
  '/home/user/src, root@localhost',
  'mysql --password "$DB_PASSWORD" shop, npm login --token <token> --registry here',
  'mysql -p shop, mysql -P 3306, PWD=/srv/app OLDPWD=/srv, echo done | tee log, sudo -u app make, grep -w word | sort',
  'docker run -p 8080:80 login, curl -u "$USER:$PASS" --token "$TOKEN" https://example.com/?page=2&key=a',
  'docker run -u 1000:1000 --user node:node image; rsync -u box:/srv/data .; systemctl --user status',
  'unzip a.zip -d out, zip -r a.zip src, sqlcmd -S db -E, gh secret set FOO < key.txt, git config set user.name bob',
  'set API_KEY_PATH here, PASSWORD=$PW make, export DB_PASS="$PASS", smbclient -U bob //box/share, bypass=1 pass=2',
  'test -n "$OPENAI_API_KEY" || echo "set OPENAI_API_KEY first"',
  'git commit -m "Set cache_key from the path"',
  'Set foreign_key constraints on users',
  'rg "set primary_key id"',
  'find . -name a.7z -print, 7z a out.7z dir -p -mhe=on, cp -r a.zip -rP out, unzip -o a.zip',
  '────────────────────────────────────────',
])('%s is no secret and stays', (row) => {
  expect(shown([row])).toBe(row);
  expect(holdSecret([row])).toBe(false);
});

test('a colour within, a link and what steers a terminal hide nothing', () => {
  const row =
    'a \u001b[31mghp_0123456789\u001b[0mabcdefghijABCDEFGHIJ012345 \u001b]8;;file:///home/alice\u001b\\b\u202e\u001b[2J';
  expect(redact([row], WHOSE)).toEqual([`a \u001b[31mxxx_xxxxxxxxxx\u001b[0m${'x'.repeat(26)} b`]);
});

test('what stands in a sidebar is told from the talk beside it', () => {
  const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  const talk = [token.slice(0, 20), token.slice(20)];
  const rows = talk.map((text) => `${text.padEnd(20)}  ~/src  main`);
  expect(redact(rows, WHOSE, 20)).toEqual([`xxx_${'x'.repeat(16)}  ~/src  main`, `${'x'.repeat(20)}  ~/src  main`]);
});

/** As terminals and programs break a text that is too long: at the edge, with or without a frame around it. */
function wrapped(text: string, width: number, frame: boolean): string[] {
  const rows = text.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [];
  return frame ? rows.map((row) => `│ ${row.padEnd(width)} │`) : rows;
}

test('a secret is gone wherever its row ends, in a frame and without, and every row keeps its columns', () => {
  const bare = SECRETS.filter((secret) => !/[\s李]/u.test(secret));
  fc.assert(
    fc.property(
      fc.constantFrom(...bare),
      fc.integer({ min: 12, max: 100 }),
      fc.integer({ min: 0, max: 80 }),
      fc.boolean(),
      (secret, width, indent, frame) => {
        const words = 'the key of this one is now in the file '.repeat(3).slice(0, indent);
        const rows = wrapped(`${words} ${secret} `, width, frame);
        const clean = redact(rows, WHOSE);
        expect(clean.map(columnsOf)).toEqual(rows.map(columnsOf));
        const joined = clean.map((row) => row.replace(/^│ | │$/g, '').trimEnd()).join('');
        expect(joined.replaceAll(' ', '')).not.toContain(secret.replaceAll(' ', ''));
      },
    ),
  );
});

describe('what the packs read stays', () => {
  const packs = new Packs();
  const screens = recordedScreens();
  const told = (screen: ReturnType<typeof readScreen>): object => {
    const { state, mayType, rule, row, composer, options, busy, columns, animated } = screen;
    const place = composer && [composer.from, composer.to, composer.draft === ''];
    return { state, mayType, rule, row, place, options: options.map(({ keys }) => keys), busy, columns, animated };
  };

  test('on every recorded screen', () => {
    expect(screens.length).toBeGreaterThan(0);
    for (const { name, agent, picture } of screens) {
      const pack = packs.named(agent);
      const screen = readScreen(pack, picture);
      const rows = redact(picture.rows, WHOSE, screen.columns);
      const [title = ''] = redact([picture.title], WHOSE);
      expect([name, told(readScreen(pack, { ...picture, rows, title }))]).toEqual([name, told(screen)]);
    }
  });
});
