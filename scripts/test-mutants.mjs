import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { criticalModules } from '../test/mutants/critical-modules.mjs';
import { generate, install, root } from './steps.mjs';

/** The largest share of the mutants of a module that may survive its tests. */
const mostSurviving = 0.1;

// Changes one expression of a critical module at a time, and expects its unit tests to fail. Names of modules choose some.
install();
generate();
const names = process.argv.slice(2);
const chosen = criticalModules.filter(({ name }) => names.length === 0 || names.includes(name));
const unknown = names.filter((name) => !criticalModules.some((one) => one.name === name));
if (unknown.length > 0) {
  console.error(`No module is called ${unknown.join(', ')}: ${criticalModules.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const folder = join(root, 'node_modules', '.cache', 'mutants');
mkdirSync(folder, { recursive: true });
let isBad = false;
for (const { name, mutate } of chosen) {
  const report = join(folder, `${name}.json`);
  const { status, stdout, stderr } = runStryker(name, mutate, report);
  if (status !== 0) {
    console.log(`✗ ${name}: its tests did not run\n${stdout}${stderr}`);
    isBad = true;
    continue;
  }
  isBad = showModule(name, JSON.parse(readFileSync(report, 'utf8'))) || isBad;
}
process.exitCode = isBad || chosen.length === 0 ? 1 : 0;

function runStryker(name, mutate, report) {
  const stryker = join(root, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const args = ['run', 'stryker.config.mjs', '--mutate', mutate.join(',')];
  return spawnSync(process.execPath, [stryker, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ASSAY_MUTANTS: name, ASSAY_MUTANTS_REPORT: report },
    maxBuffer: 100_000_000,
  });
}

/** Prints the share of survivors and each of them; whether there are too many. */
function showModule(name, { files }) {
  const mutants = Object.entries(files).flatMap(([file, one]) => one.mutants.map((mutant) => ({ file, ...mutant })));
  const judged = mutants.filter(({ status }) => ['Killed', 'Survived', 'NoCoverage', 'Timeout'].includes(status));
  const surviving = judged.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const isTooMany = judged.length === 0 || surviving.length > mostSurviving * judged.length;
  const share = ((100 * surviving.length) / Math.max(1, judged.length)).toFixed(1);
  console.log(`${isTooMany ? '✗' : '✓'} ${name}: ${surviving.length} of ${judged.length} mutants survive (${share} %)`);
  for (const { file, location, mutatorName, replacement = '', status } of surviving) {
    const { line, column } = location.start;
    const text = replacement.replace(/\s+/g, ' ').slice(0, 80);
    console.log(`    ${file}:${line}:${column} ${mutatorName} → ${text}${status === 'NoCoverage' ? ' (no test)' : ''}`);
  }
  return isTooMany;
}
