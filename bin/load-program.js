import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const programFile = fileURLToPath(new URL('../dist/cli.cjs', import.meta.url));

/**
 * Loads the bundled program with the machine code that an earlier start left behind: compiling it anew is the largest
 * part of a command's start. Node does this by itself only from version 22 on. The file of compiled code belongs to
 * one build of the program and one version of Node; without it, or where it cannot be written, all works as well.
 */
export function loadProgram() {
  const { mtimeMs, size } = statSync(programFile);
  const cacheName = `compiled-${process.versions.node}-${process.arch}-${Math.round(mtimeMs)}-${size}.bin`;
  const cacheFile = join(dirname(programFile), cacheName);
  const cachedData = readIfThere(cacheFile);
  const source = readFileSync(programFile, 'utf8');
  const wrapped = `(function (exports, require, module, __filename, hostImport) {${source}\n})`;
  const script = new Script(wrapped, { filename: programFile, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(programFile), module, programFile, hostImport);
  return {
    main: module.exports.main,
    /** Called when the work is done, so that what was compiled on the way is kept too. */
    rememberCompiledCode() {
      if (cachedData && !script.cachedDataRejected) return;
      replaceCache(cacheFile, script.createCachedData());
    },
  };
}

/** A script that was compiled beforehand cannot import by itself. */
function hostImport(specifier) {
  return import(specifier);
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function replaceCache(cacheFile, data) {
  const folder = dirname(cacheFile);
  try {
    const unfinished = `${cacheFile}.${process.pid}`;
    writeFileSync(unfinished, data);
    renameSync(unfinished, cacheFile);
    for (const name of readdirSync(folder)) {
      if (name.startsWith('compiled-') && !cacheFile.endsWith(name)) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // An installation that cannot be written to starts a little slower.
  }
}
