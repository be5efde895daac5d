import { readFileSync, statSync } from 'node:fs';

/** Where services of the machine keep their sockets. */
const socketFolders = ['/run', '/var/run'];

/**
 * Files and folders through which services of this machine are reached without a network, such as those of container
 * engines, databases and desktops.
 */
export function socketPlaces(): string[] {
  return [...socketFolders, ...listedSockets()];
}

function listedSockets(): string[] {
  const paths = readList().flatMap((line) => /(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)].filter((path) => statSync(path, { throwIfNoEntry: false })?.isSocket());
}

function readList(): string[] {
  try {
    return readFileSync('/proc/net/unix', 'utf8').split('\n');
  } catch {
    return [];
  }
}
