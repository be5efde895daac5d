#!/usr/bin/env node
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

// A script (package.json beside it), not a module: Node's loader of modules takes longer to start than this takes.
const [first] = process.argv.slice(2);
const cwd = currentFolder();
if (first === '--version' || first === '-v' || first === '-V') {
  // Answered here, because loading the program would take longer than the answer.
  const { version } = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8'));
  process.stdout.write(`${version}\n`);
} else if (cwd === undefined) {
  process.stderr.write('error: The current folder does not exist any more.\n  Change to a folder that exists.\n');
  process.exitCode = 2;
} else {
  void runProgram();
}

async function runProgram() {
  const { loadProgram } = require('./load-program.js');
  const program = loadProgram(first);
  const { env, stdout, stderr } = process;
  // What Node gives a module that waits for ever; a script would end with 0.
  process.exitCode = 13;
  process.exitCode = await program.main(process.argv.slice(2), {
    cwd,
    env,
    stdout,
    stderr,
    // Opening stdin costs time and keeps a pipe busy; only the commands that read it touch it.
    get stdin() {
      return process.stdin;
    },
  });
  // A start that ended early has run too little of the program to be worth keeping.
  if (process.exitCode < 2) program.rememberCompiledCode();
}

/** Undefined where it was deleted under our feet. */
function currentFolder() {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
