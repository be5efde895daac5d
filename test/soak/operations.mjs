import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { endOf } from './program.mjs';
import { casesOf, concurrency, suiteNames } from './project.mjs';

/**
 * What is done in a soak; `weight` is how often, beside the others. Each throws where something is not as promised. Those
 * that look at everything wait until nothing else is under way.
 */
const programs = {
  run: { weight: 20, act: runWhole },
  kill: { weight: 10, act: (soak) => runCutShort(soak, 'SIGKILL') },
  interrupt: { weight: 6, act: (soak) => runCutShort(soak, 'SIGINT') },
  resume: { weight: 14, act: resume },
  resumeTwice: { weight: 3, act: resumeTwice },
  killResumption: { weight: 6, act: killResumption },
  import: { weight: 8, act: importTable },
  rescore: { weight: 6, act: rescore },
  show: { weight: 20, act: show },
  compare: { weight: 5, act: compare },
  report: { weight: 5, act: report },
  clean: { weight: 5, act: clean, isAlone: true },
  copy: { weight: 2, act: copy, isAlone: true },
  check: { weight: 4, act: checkStore },
  fault: { weight: 8, act: runWithFault },
  faultInResumption: { weight: 4, act: resumeWithFault },
  restart: { weight: 2, act: runWithRestart, isAlone: true },
  serverCancel: { weight: 4, act: (soak) => soak.server.runAndCancel(soak, newRun(soak, 'slow')) },
  serverKill: { weight: 1, act: (soak) => soak.server.killAndRestart(soak), isAlone: true },
};

/** Small operations of a process that stays. */
const resident = {
  run: { weight: 12, act: (soak) => runWhole({ ...soak, suite: 'tiny' }) },
  import: { weight: 10, act: importTable },
  rescore: { weight: 3, act: rescore },
  show: { weight: 20, act: show },
  compare: { weight: 5, act: compare },
  report: { weight: 5, act: report },
  kill: { weight: 1, act: killResident },
};

const requests = {
  list: { weight: 1, act: (soak) => soak.server.list(soak), isAlone: true },
  show: { weight: 30, act: (soak) => withRun(soak, (run) => soak.server.show(run)) },
  showTrial: { weight: 20, act: (soak) => withRun(soak, (run) => soak.server.showTrial(run)) },
  run: { weight: 6, act: (soak) => soak.server.runAndWait(soak, newRun(soak, 'tiny')) },
};

/** Who does something at the same time: programs that are started, processes that stay, and pages in a browser. */
export const actors = { programs, resident, resident2: resident, requests, requests2: requests };

function newRun({ random }, suite = pick(random, suiteNames)) {
  return { suite, repeats: 1 + Math.floor(random() * 3) };
}

const pick = (random, list) => list[Math.floor(random() * list.length)];

const runArguments = ({ suite, repeats, name }) => [
  ...['run', `${suite}.yaml`, '--repeat', String(repeats), '--name', name],
  ...['--concurrency', String(concurrency)],
];

const resumeArguments = ({ runId }) => ['run', '--resume', runId, '--concurrency', String(concurrency)];

async function runWhole({ program, expected, random, suite }) {
  const run = expected.begin(newRun({ random }, suite));
  const { document } = await program.document(...runArguments(run));
  expected.add({ ...run, runId: document.runId, isComplete: true });
}

async function runCutShort({ program, expected, random }, signal) {
  const run = expected.begin(newRun({ random }));
  const calls = Math.floor(random() * casesOf(run.suite).length * run.repeats);
  await program.endedAfter(calls, signal, ...runArguments(run), '--quiet');
  await expected.adopt(run);
}

const unfinished = ({ expected, random }) =>
  pick(
    random,
    expected.runs.filter(({ isComplete }) => !isComplete),
  );

const finished = ({ expected, random }) =>
  pick(
    random,
    expected.runs.filter(({ isComplete, outcomes }) => isComplete && !outcomes),
  );

async function resume(soak) {
  const run = unfinished(soak);
  if (!run) return runCutShort(soak, 'SIGKILL');
  const { document } = await soak.program.document(...resumeArguments(run));
  if (document.runId !== run.runId) throw new Error(`${document.runId} was resumed in place of ${run.runId}`);
  run.isComplete = true;
  await soak.expected.checkTrials(run);
}

/** Of two at once one works, and the other is refused or finds nothing left to do. */
async function resumeTwice(soak) {
  const run = unfinished(soak);
  if (!run) return runCutShort(soak, 'SIGKILL');
  const both = await Promise.all([1, 2].map(() => soak.program.command(...resumeArguments(run))));
  if (both.every(({ exitCode }) => exitCode >= 2))
    throw new Error(`nobody could resume ${run.runId}:\n${both.map(({ stderr }) => stderr).join('\n')}`);
  run.isComplete = true;
  await soak.expected.checkTrials(run);
}

async function killResumption(soak) {
  const run = unfinished(soak);
  if (!run) return runCutShort(soak, 'SIGKILL');
  const calls = Math.floor(soak.random() * 20);
  await soak.program.endedAfter(calls, 'SIGKILL', ...resumeArguments(run), '--quiet');
  await soak.expected.lookAgain(run);
}

/** What the process has answered is there, and the run that it was at can be resumed. */
async function killResident(soak) {
  const { program, expected, random } = soak;
  const run = expected.begin(newRun({ random }, 'wide'));
  const ended = program.command(...runArguments(run), '--quiet').catch(() => undefined);
  await Promise.race([ended, wait(random() * 400)]);
  await program.kill();
  await expected.adopt(run);
}

const exitCodesOfRuns = [0, 1, 3];

/** A run whose store fails for a moment says so, or it is complete; it is never complete and not stored. */
async function runWithFault(soak) {
  const { expected, random, faults } = soak;
  if (!faults) return runWhole(soak);
  const run = expected.begin(newRun({ random }));
  const end = await endWithFault(soak, runArguments(run));
  const stored = await expected.adopt(run);
  if (end.stdout.includes(' passed in ') && !stored?.isComplete)
    throw new Error(`a run reported its end and is not stored: ${end.stdout}`);
}

/** A run goes on when its database comes back. */
async function runWithRestart(soak) {
  const { faults, random } = soak;
  if (!faults?.restart) return runWhole(soak);
  await runWithFault({ ...soak, faults: { strike: () => faults.restart(random) } });
}

async function resumeWithFault(soak) {
  const run = unfinished(soak);
  if (!run || !soak.faults) return runWithFault(soak);
  await endWithFault(soak, resumeArguments(run));
  await soak.expected.lookAgain(run);
}

async function endWithFault({ program, project, random, faults }, args) {
  if (!faults.strike) return acceptable(await endOf(program.startAfter(faults.next(random), ...args)));
  const goal = project.calls + Math.floor(random() * 20);
  let isOver = false;
  const ended = endOf(program.start(...args)).finally(() => {
    isOver = true;
  });
  while (!isOver && project.calls < goal) await wait(2);
  await faults.strike(random);
  return acceptable(await ended);
}

function acceptable(end) {
  if (!exitCodesOfRuns.includes(end.exitCode) || end.stderr.includes('defect of Assay'))
    throw new Error(`a failing store ended a run with ${end.signal ?? end.exitCode}: ${end.stderr}`);
  return end;
}

async function importTable({ program, expected, project, random }) {
  const rows = Array.from({ length: 1 + Math.floor(random() * 30) }, (_, index) => ({
    case: `case-${index}`,
    outcome: pick(random, ['pass', 'fail', 'error']),
  }));
  const file = join(project.scratch, `table-${random()}.csv`);
  writeFileSync(file, `case,outcome\n${rows.map((row) => `${row.case},${row.outcome}`).join('\n')}\n`);
  const { document } = await program.document('import', file, '--columns', 'case=case,outcome=outcome');
  const totals = { pass: 0, fail: 0, error: 0 };
  for (const { outcome } of rows) totals[outcome] += 1;
  const outcomes = Object.fromEntries(rows.map((row) => [row.case, row.outcome]));
  expected.add({ runId: document.runId, isComplete: true, totals, outcomes });
}

async function rescore(soak) {
  const run = finished(soak);
  if (!run) return runWhole(soak);
  const { document } = await soak.program.document('rescore', run.runId);
  soak.expected.add({ ...run, runId: document.runId });
}

async function withRun({ expected, random }, look) {
  const run = pick(random, expected.runs);
  if (run) await look(run);
}

function show(soak) {
  return withRun(soak, (run) => soak.expected.checkTrials(run, soak.program));
}

/** A run is no better and no worse than itself. */
async function compare(soak) {
  const run = finished(soak);
  if (!run) return runWhole(soak);
  const { exitCode, stderr } = await soak.program.command('compare', run.runId, run.runId, '--fail-on', 'changed');
  if (exitCode !== 0 && exitCode !== 2) throw new Error(`a run differs from itself (exit ${exitCode}): ${stderr}`);
}

async function report(soak) {
  const run = finished(soak);
  if (!run) return runWhole(soak);
  const args = ['report', run.runId, '--format', 'csv', '--output', join(soak.project.scratch, 'reports')];
  const { exitCode, stderr } = await soak.program.command(...args);
  if (exitCode !== 0) throw new Error(`a report could not be written: ${stderr}`);
}

async function clean({ program, expected, random }) {
  const keep = 5 + Math.floor(random() * 20);
  const { exitCode, stderr } = await program.command('clean', '--keep', String(keep));
  if (exitCode !== 0) throw new Error(`runs could not be removed: ${stderr}`);
  const { document } = await program.document('runs', '--limit', '5000');
  const left = new Set(document.map(({ runId }) => runId));
  const isLive = ({ isComplete }) => !isComplete;
  if (left.size > keep + expected.runs.filter(isLive).length)
    throw new Error(`${left.size} runs are left, not ${keep}`);
  for (const { runId } of expected.runs) if (!left.has(runId)) expected.forget(runId);
}

async function copy({ program, project, count, storeUrl }) {
  const to = `sqlite:${join(project.scratch, `copy-${count}.db`)}`;
  const copied = await program.command('store', 'copy', storeUrl, to);
  if (copied.exitCode !== 0) throw new Error(`the copy differs (exit ${copied.exitCode}): ${copied.stderr}`);
  const checked = await program.command('store', 'check', to);
  rmSync(to.slice('sqlite:'.length));
  if (checked.exitCode !== 0) throw new Error(`the copy is damaged: ${checked.stdout}${checked.stderr}`);
}

async function checkStore({ program }) {
  const { exitCode, stdout, stderr } = await program.command('store', 'check');
  if (exitCode !== 0) throw new Error(`the store is damaged (exit ${exitCode}): ${stdout}${stderr}`);
}
