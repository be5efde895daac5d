import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { redactTokens } from '../../shared/redaction/token-shapes.ts';

const names = [
  String.raw`\.env(?:\..+)?`,
  String.raw`.+\.env`,
  String.raw`\.envrc`,
  '[._]netrc',
  String.raw`\.git-credentials`,
  String.raw`\.pgpass`,
  String.raw`\.my\.cnf`,
  String.raw`\.htpasswd`,
  String.raw`\.pypirc`,
  String.raw`\.dockercfg`,
  String.raw`\.vault-token`,
  'id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?',
  String.raw`.+\.(?:p12|pfx|jks|keystore|kdbx|ppk)`,
  String.raw`kubeconfig(?:\.ya?ml)?`,
  String.raw`.+\.tfstate(?:\.backup)?`,
  String.raw`.+\.tfvars(?:\.json)?`,
  String.raw`(?:secrets?|credentials?)\.(?:json|ya?ml|toml)`,
  String.raw`\.s3cfg`,
  String.raw`\.dev\.vars`,
  String.raw`wp-config\.php`,
  String.raw`appsettings(?:\..+)?\.json`,
  String.raw`local\.settings\.json`,
  String.raw`auth\.json`,
  String.raw`master\.key`,
  String.raw`application_default_credentials\.json`,
];
const places = [
  String.raw`\.aws/credentials`,
  String.raw`\.docker/config\.json`,
  String.raw`\.kube/config`,
  String.raw`\.config/gh/hosts\.yml`,
  String.raw`\.gem/credentials`,
  String.raw`\.cargo/credentials(?:\.toml)?`,
];
const byName = new RegExp(`(?:^|/)(?:${[...names, ...places].join('|')})$`, 'i');
const isSample = /\.(?:example|sample|template|dist)$/i;

/** Whether a file is one that holds credentials by its name; samples of such files hold none. */
export function isCredentialFile(path: string): boolean {
  return byName.test(path) && !isSample.test(path);
}

const largestRead = 1_000_000;
const privateKey = /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY/;
/** Settings of npm and Yarn that are no variables. */
const registryLogin = /(?:_authToken|_password|_auth|npmAuthToken|npmAuthIdent)["']?\s*[=:]\s*["']?(?![\s"'$]|\$\{)\S/;
const isRegistryFile = /(?:^|\/)\.(?:npmrc|yarnrc|yarnrc\.yml)$/;

/** Whether the content of a file is a private key or a login at a registry, or has a token in it. */
export async function holdsCredentials(folder: string, path: string): Promise<boolean> {
  const file = join(folder, path);
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile() || found.size > largestRead) return false;
  const text = await readFile(file, 'latin1').catch(() => '');
  const isLogin = isRegistryFile.test(path) && registryLogin.test(text);
  return privateKey.test(text) || isLogin || redactTokens(text) !== text;
}
