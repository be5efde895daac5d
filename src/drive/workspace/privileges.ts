import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Capabilities that programs of root need for files and processes of a trial. All others are dropped: with them, root
 * reads files that are hidden from it by their handles, and changes mounts, clock, network and kernel of the machine.
 */
const keptByRoot = [
  'chown',
  'dac_override',
  'fowner',
  'fsetid',
  'kill',
  'setgid',
  'setuid',
  'setfcap',
  'net_bind_service',
];

/** Programs of other users have none; bubblewrap drops them itself. */
export function capabilityOptions(isRoot: boolean): string[] {
  if (!isRoot) return [];
  return ['--cap-drop', 'ALL', ...keptByRoot.flatMap((name) => ['--cap-add', `CAP_${name.toUpperCase()}`])];
}

/** The same for the option `--bounding-set` of setpriv. */
export const boundingSet = ['-all', ...keptByRoot.map((name) => `+${name}`)].join(',');

/**
 * Mounts that keep root from changing settings of the kernel, such as the program that it starts for a crash: these files
 * take the user id for a right. Whatever belongs to a process is left as it is.
 */
export function kernelSettingMounts(): string[] {
  return settingsInProc().flatMap((path) => ['--ro-bind', path, path]);
}

function settingsInProc(proc = '/proc'): string[] {
  return readdirSync(proc)
    .filter((name) => !/^\d/.test(name))
    .map((name) => join(proc, name))
    .filter(isWritableSetting);
}

/** Of a folder, anything in it may be writable. */
function isWritableSetting(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.isDirectory() || (stats.isFile() && (stats.mode & 0o222) !== 0));
}
