import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const aptGet = '/usr/bin/apt-get';
const quiet = ['-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=60'];

/** Whether this process may install packages of the system: only as root, and only where apt is at home. */
function mayInstall() {
  return process.platform === 'linux' && process.getuid?.() === 0 && existsSync(aptGet);
}

/** Installs packages of the system where that is allowed; false where it is not, or did not work in time. */
export function installSystemPackages(names) {
  if (!mayInstall()) return false;
  console.log(`Installing ${names.join(', ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (args) => spawnSync(aptGet, args, { env, stdio: 'ignore', timeout: 180_000 }).status === 0;
  return apt(['install', ...quiet, ...names]) || (apt(['update', '-qq']) && apt(['install', ...quiet, ...names]));
}
