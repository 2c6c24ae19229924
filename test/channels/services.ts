/** A real InspIRCd with the services of Atheme: accounts by which a connection logs in, with a password or with a certificate. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { tempFolder, whenOver } from '../world/over.ts';
import { freePort, isOpen, Line, pairIn, until } from './ircd.ts';

/** Atheme does not run as root. */
const PLAIN_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const PLAIN_MODE = 0o777;

export interface Services {
  /** Without TLS, and with it. */
  readonly port: number;
  readonly tlsPort: number;
  readonly certificate: string;
  /** An account with this password, and with this certificate if one is given; the connection that made it, which is logged in. */
  readonly register: (account: string, password: string, certificate?: string) => Promise<Line>;
}

const ircdConf = (ports: Record<'plain' | 'tls' | 'link', number>, cert: string, key: string): string => `
<server name="irc.example" description="test" network="Example" id="00A">
<admin name="test" nick="test" email="test@example.org">
<bind address="127.0.0.1" port="${ports.plain}" type="clients">
<bind address="127.0.0.1" port="${ports.tls}" type="clients" sslprofile="town">
<bind address="127.0.0.1" port="${ports.link}" type="servers">
<module name="spanningtree"><module name="cap"><module name="sasl"><module name="services_account">
<module name="ircv3_accounttag"><module name="ssl_gnutls"><module name="sslinfo">
<sslprofile name="town" provider="gnutls" certfile="${cert}" keyfile="${key}" hash="sha256">
<sasl target="services.example">
<link name="services.example" ipaddr="127.0.0.1" port="${ports.link}" allowmask="127.0.0.0/8" sendpass="link" recvpass="link">
<uline server="services.example" silent="yes">
<connect name="main" allow="*" timeout="60" pingfreq="120" resolvehostnames="no" useident="no" localmax="100" globalmax="100" fakelag="no" commandrate="100000">
`;

const servicesConf = (link: number): string => `
loadmodule "modules/protocol/inspircd";
loadmodule "modules/backend/opensex";
loadmodule "modules/crypto/pbkdf2v2";
loadmodule "modules/nickserv/main";
loadmodule "modules/nickserv/register";
loadmodule "modules/nickserv/cert";
loadmodule "modules/saslserv/main";
loadmodule "modules/saslserv/plain";
loadmodule "modules/saslserv/external";
serverinfo {
  name = "services.example"; desc = "test"; numeric = "00B"; recontime = 1; netname = "Example"; adminname = "test";
  adminemail = "test@example.org"; registeremail = "test@example.org"; mta = "/bin/true"; auth = none; casemapping = rfc1459;
  loglevel = { error; info; network; };
};
uplink "irc.example" { host = "127.0.0.1"; port = ${link}; send_password = "link"; receive_password = "link"; };
nickserv { nick = "NickServ"; user = "NickServ"; host = "services.example"; real = "test"; };
saslserv { nick = "SaslServ"; user = "SaslServ"; host = "services.example"; real = "test"; };
`;

/** Once both run, and know each other. */
export async function services(): Promise<Services> {
  const folder = tempFolder('services');
  chmodSync(folder, PLAIN_MODE);
  const pair = pairIn(folder, '/CN=irc.example');
  const ports = { plain: await freePort(), tls: await freePort(), link: await freePort() };
  const [ircdFile, servicesFile, data] = [
    join(folder, 'ircd.conf'),
    join(folder, 'services.conf'),
    join(folder, 'data'),
  ];
  writeFileSync(ircdFile, ircdConf(ports, pair.certificateFile, pair.keyFile));
  writeFileSync(servicesFile, servicesConf(ports.link));
  mkdirSync(data);
  chmodSync(data, PLAIN_MODE);
  const run = (program: string, words: readonly string[], more: object = {}): void => {
    const child = spawn(program, words, { stdio: 'ignore', cwd: folder, ...more });
    whenOver(() => child.kill('SIGKILL'));
  };
  run('inspircd', ['--nofork', '--nolog', '--nopid', '--runasroot', `--config=${ircdFile}`]);
  await until(() => isOpen(ports.plain), 'a server that listens');
  const [log, pid] = [join(data, 'log'), join(data, 'pid')];
  run('atheme-services', ['-n', '-c', servicesFile, '-D', data, '-l', log, '-p', pid], PLAIN_USER);
  return { port: ports.plain, tlsPort: ports.tls, certificate: pair.certificate, register: registerAt(ports.plain) };
}

const registerAt = (port: number) => async (account: string, password: string, certificate?: string) => {
  const line = new Line(port, `NICK ${account}`, 'USER x 0 * :x');
  await line.hears(' 001 ');
  await until(() => {
    line.say('WHOIS NickServ');
    return line.heard.some((row) => row.includes(' 311 '));
  }, 'services that answer');
  line.say(`PRIVMSG NickServ :REGISTER ${password} ${account}@example.org`);
  await line.hears('now registered');
  if (certificate !== undefined) {
    const print = new X509Certificate(certificate).fingerprint256.replaceAll(':', '').toLowerCase();
    line.say(`PRIVMSG NickServ :CERT ADD ${print}`);
    await line.hears('Added fingerprint');
  }
  return line;
};
