#!/usr/bin/env node
import { readFileSync } from 'node:fs';

const [first] = process.argv.slice(2);
const cwd = currentFolder();
if (first === '--version' || first === '-v' || first === '-V') {
  // Answered here, because loading the program would take longer than the answer.
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${version}\n`);
} else if (cwd === undefined) {
  process.stderr.write('error: The current folder does not exist any more.\n  Change to a folder that exists.\n');
  process.exitCode = 2;
} else {
  const { loadProgram } = await import('./load-program.js');
  const program = loadProgram(first);
  const { env, stdout, stderr } = process;
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
  program.rememberCompiledCode();
}

/** Undefined where it was deleted under our feet. */
function currentFolder() {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
