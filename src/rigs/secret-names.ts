/** Names of files that hold keys or passwords, in any project. */

const EXAMPLE = /(^|[.\-_])(example|sample|template|dist|defaults?)([.\-_]|$)/i;

/** Of the last part of a path. */
const NAMES: readonly RegExp[] = [
  /^\.env(\..+)?$/i,
  /^\.envrc$/i,
  /\.env$/i,
  /\.(pem|key|p12|pfx|p8|jks|keystore|kdbx?|ppk|ovpn|agekey)$/i,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/i,
  /^\.?(netrc|npmrc|pypirc|pgpass|my\.cnf|htpasswd|git-credentials|dockercfg|vault-token|boto|s3cfg)$/i,
  /^_netrc$/i,
  /^(credentials|client_secrets?|service[-_]?account.*|secrets?)(\.(json|ya?ml|toml|ini|txt|csv|xml|properties))?$/i,
  /\.tfstate(\.backup)?$/i,
  /\.tfvars$/i,
  /^(token|api[-_]?key|password)s?(\.txt)?$/i,
  /^kubeconfig$/i,
];

/** Folders in which every file is one. */
const FOLDERS = /(^|\/)(\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.azure)\//i;

export function isSecretName(path: string): boolean {
  if (FOLDERS.test(path)) return true;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return !EXAMPLE.test(name) && NAMES.some((pattern) => pattern.test(name));
}
