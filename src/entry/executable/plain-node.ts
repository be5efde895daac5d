import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Ends with a digit in the executable: 1 makes it start the program inside. Not spelled out, so it is there once. */
const fuse = Buffer.from(['NODE_SEA_FUSE', 'fce680ab2cc467b6e072b8b5df1996b2:'].join('_'));

const chunkBytes = 4 * 1_024 * 1_024;

/**
 * Makes `process.execPath` the path of a Node.js that runs scripts, which the executable itself cannot: it starts Assay
 * whatever its arguments are. The copy of 120 MB is made when the path is first read, because few commands need it.
 */
function offerPlainNode(file: string): void {
  // Also leads to the executable that runs when its path has meanwhile got a newer one.
  const running = '/proc/self/exe';
  const executable = existsSync(running) ? running : process.execPath;
  Object.defineProperty(process, 'execPath', {
    configurable: true,
    enumerable: true,
    get: () => {
      if (!existsSync(file)) copyWithoutProgram(executable, file);
      return file;
    },
  });
}

function copyWithoutProgram(executable: string, file: string): void {
  const unfinished = `${file}.${process.pid}`;
  try {
    copyFileSync(executable, unfinished, constants.COPYFILE_FICLONE);
    chmodSync(unfinished, 0o755);
    switchOff(unfinished);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw new Error(`Node.js could not be copied to ${file}: ${error instanceof Error ? error.message : error}`);
  }
}

function switchOff(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    writeSync(descriptor, '0', fuseEnd(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

function fuseEnd(descriptor: number): number {
  const chunk = Buffer.alloc(chunkBytes);
  // Chunks overlap, so a fuse at the border of two is found as well.
  for (let start = 0; ; start += chunkBytes - fuse.length) {
    const bytes = readSync(descriptor, chunk, 0, chunkBytes, start);
    const found = chunk.subarray(0, bytes).indexOf(fuse);
    if (found >= 0) return start + found + fuse.length;
    if (bytes < chunkBytes) throw new Error('it has no fuse of a single executable');
  }
}

// Unpacked beside the program; the main thread and the threads of modules each load it.
offerPlainNode(join(dirname(__dirname), 'bin', 'node'));
