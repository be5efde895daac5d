import { join } from 'node:path';

/** Variables that a program needs to run and to reach the network from this machine. */
const keptVariables: ReadonlySet<string> = new Set([
  'PATH',
  'LANG',
  'TZ',
  'TERM',
  'USER',
  'LOGNAME',
  'SHELL',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
]);
const proxyVariable = /^(https?|all|ftp|no)_proxy$/i;
const localeVariable = /^LC_[A-Z]+$/;

const usualPath = '/usr/local/bin:/usr/bin:/bin';

/** The folders of a trial that stand in for those of the user. */
export interface TrialFolders {
  readonly home: string;
  readonly tmp: string;
}

/**
 * The environment of everything that runs in a trial: only those variables of the user that are needed to run at all,
 * to keep keys, settings and history out of it. Additions come last.
 */
export function cleanEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  folders: TrialFolders,
  additions: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const clean: Record<string, string> = { PATH: usualPath };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isKept(name)) clean[name] = value;
  }
  return { ...clean, ...folderVariables(folders), ...additions };
}

/** Variables that name the folders of a trial. */
export function folderVariables({ home, tmp }: TrialFolders): Record<string, string> {
  return {
    HOME: home,
    TMPDIR: tmp,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
  };
}

function isKept(name: string): boolean {
  return keptVariables.has(name) || localeVariable.test(name) || proxyVariable.test(name);
}
