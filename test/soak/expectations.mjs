import { casesOf, outcomeOfCase, suiteNames } from './project.mjs';

/** What must be true of every run, whatever happened to the processes that worked on it. */
export class Expectations {
  #program;
  /** Runs that are stored, by id: their suite and repeats, or the outcomes that were imported. */
  #runs = new Map();
  #begun = 0;
  /** Trials of each suite that somebody meant to run. */
  planned = Object.fromEntries(suiteNames.map((suite) => [suite, 0]));

  constructor(program) {
    this.#program = program;
  }

  get runs() {
    return [...this.#runs.values()];
  }

  /** Notes a run before it begins; its name is how it is found again where its process could not say its id. */
  begin(run) {
    this.planned[run.suite] += casesOf(run.suite).length * run.repeats;
    return { ...run, name: `run ${++this.#begun}` };
  }

  add(run) {
    this.#runs.set(run.runId, run);
    return run;
  }

  forget(runId) {
    this.#runs.delete(runId);
  }

  /** A run whose process ended without its id; undefined where it ended before it had stored anything. */
  async adopt(run) {
    const [found, other] = (await this.#listed()).filter(({ name }) => name === run.name);
    if (other) throw new Error(`two runs are named ${run.name}`);
    return found && this.add({ ...run, runId: found.runId, isComplete: found.status === 'finished' });
  }

  /** Whether a run is complete after a process worked on it that could not say so; what is in it is checked later. */
  async lookAgain(run) {
    const found = (await this.#listed()).find(({ runId }) => runId === run.runId);
    if (!found) throw new Error(`${run.runId} is lost`);
    run.isComplete = found.status === 'finished';
  }

  /** The stored runs are those that are expected, each with its totals. */
  async check() {
    const listed = await this.#listed();
    const problems = listed.flatMap((run) => this.#problemsOf(run));
    const ids = new Set(listed.map(({ runId }) => runId));
    for (const { runId } of this.runs) if (!ids.has(runId)) problems.push(`${runId} is lost`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  #problemsOf({ runId, status, totals }) {
    const run = this.#runs.get(runId);
    if (!run) return [`${runId} was begun by nobody, or came back`];
    const wanted = run.totals ?? totalsOf(run);
    const isAsWanted = ['pass', 'fail', 'error'].every((outcome) =>
      run.isComplete ? totals[outcome] === wanted[outcome] : totals[outcome] <= wanted[outcome],
    );
    const shown = `${runId}: ${JSON.stringify(totals)} where ${JSON.stringify(wanted)} is the whole`;
    if (!isAsWanted) return [shown];
    return run.isComplete === (status === 'finished') ? [] : [`${shown}, and its status is ${status}`];
  }

  /** Every stored trial of a run has the outcome of its case, and is there once. */
  async checkTrials(run, program = this.#program) {
    const { document } = await program.document('show', run.runId);
    const ids = new Set(document.trials.map(({ trialId }) => trialId));
    if (ids.size !== document.trials.length) throw new Error(`${run.runId} has a trial twice`);
    for (const { caseId, outcome, trialId } of document.trials) {
      const wanted = run.outcomes?.[caseId] ?? outcomeOfCase(caseId);
      if (outcome !== wanted) throw new Error(`${trialId} of ${run.runId} is ${outcome}, and ${caseId} is ${wanted}`);
    }
  }

  async #listed() {
    return (await this.#program.document('runs', '--limit', '5000')).document;
  }
}

function totalsOf({ suite, repeats }) {
  const totals = { pass: 0, fail: 0, error: 0 };
  for (const caseId of casesOf(suite)) totals[outcomeOfCase(caseId)] += repeats;
  return totals;
}
