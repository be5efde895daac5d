const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

const folder = join(__dirname, '..', 'dist', 'cli');

/**
 * Loads the bundled program with the machine code that an earlier start left behind: compiling it anew is the largest
 * part of a command's start. Node does this by itself only from version 22 on. The folder of compiled code belongs to
 * one build of the program and one version of Node; without it, or where it cannot be written, all works as well.
 * Compiled code holds the functions that were called, so runs keep theirs apart from those of other commands.
 */
function loadProgram(command = '') {
  scripts = loadScripts(command === 'run' || command === 'eval' ? 'run' : 'others');
  return { main: scripts.require('./main.cjs').main, rememberCompiledCode: () => scripts.remember() };
}

/** A part of the library, which is bundled with the program: of both there is one copy in a process. */
function loadLibrary(name) {
  scripts ??= loadScripts('others');
  return scripts.require(name);
}

exports.loadProgram = loadProgram;
exports.loadLibrary = loadLibrary;

let scripts;

function loadScripts(part) {
  const build = readFileSync(join(folder, 'build-id'), 'utf8');
  return new CompiledScripts(folder, join(folder, `compiled-${process.versions.node}-${process.arch}-${build}`), part);
}

/** The scripts of the program, each compiled once and loaded when another asks for it. */
class CompiledScripts {
  #folder;
  #cacheRoot;
  #cacheFolder;
  #modules = new Map();
  #newlyCompiled = new Map();

  constructor(folder, cacheRoot, part) {
    this.#folder = folder;
    this.#cacheRoot = cacheRoot;
    this.#cacheFolder = join(cacheRoot, part);
  }

  require(name) {
    const known = this.#modules.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    this.#modules.set(name, module);
    const file = join(this.#folder, name);
    const hostRequire = createRequire(file);
    const programRequire = (wanted) => (wanted.startsWith('./') ? this.require(wanted) : hostRequire(wanted));
    this.#compile(name, file)(module.exports, programRequire, module, file, hostImport);
    return module.exports;
  }

  #compile(name, file) {
    const cachedData = readIfThere(join(this.#cacheFolder, name));
    // The build writes them in ASCII.
    const script = new Script(readFileSync(file, 'latin1'), { filename: file, cachedData });
    if (!cachedData || script.cachedDataRejected) this.#keep(name, script);
    return script.runInThisContext();
  }

  /** V8 drops the code of functions that have not run for a while: after a long run, all that only a start needs. */
  #keep(name, script) {
    if (this.#newlyCompiled.size === 0) require('node:v8').setFlagsFromString('--no-flush-bytecode');
    this.#newlyCompiled.set(name, script);
  }

  /** Called when the work is done, so that what was compiled on the way is kept too. */
  remember() {
    if (this.#newlyCompiled.size === 0) return;
    try {
      // Compiled code is taken only by a process with the same flags, and the next one starts with the usual ones.
      require('node:v8').setFlagsFromString('--flush-bytecode');
      mkdirSync(this.#cacheFolder, { recursive: true });
      for (const [name, script] of this.#newlyCompiled) {
        const unfinished = join(this.#cacheFolder, `${name}.${process.pid}`);
        writeFileSync(unfinished, script.createCachedData());
        renameSync(unfinished, join(this.#cacheFolder, name));
      }
      for (const name of readdirSync(this.#folder)) {
        const other = join(this.#folder, name);
        if (name.startsWith('compiled-') && other !== this.#cacheRoot) rmSync(other, { recursive: true, force: true });
      }
    } catch {
      // An installation that cannot be written to starts a little slower.
    }
  }
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
