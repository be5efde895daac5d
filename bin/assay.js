#!/usr/bin/env node
import { readFileSync } from 'node:fs';

const [first] = process.argv.slice(2);
if (first === '--version' || first === '-v' || first === '-V') {
  // Answered here, because loading the program would take longer than the answer.
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${version}\n`);
} else {
  const { main } = await import('../dist/cli.js');
  const { env, stdin, stdout, stderr } = process;
  process.exitCode = await main(process.argv.slice(2), { cwd: process.cwd(), env, stdin, stdout, stderr });
}
