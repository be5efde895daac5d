import { setTimeout as wait } from 'node:timers/promises';
import { endOf } from './program.mjs';
import { concurrency } from './project.mjs';

const count = (trials, outcome) => trials.filter((trial) => trial.outcome === outcome).length;

/** `assay serve` on the same store, beside the commands. */
export class Server {
  #child;
  #ended;
  #access;

  async start(program) {
    this.#child = program.start('serve', '--json', '--port', '0');
    this.#ended = endOf(this.#child);
    const line = await Promise.race([
      new Promise((resolve) => this.#child.stdout.once('data', (text) => resolve(String(text)))),
      this.#ended.then(({ stderr }) => Promise.reject(new Error(`the server ended: ${stderr}`))),
    ]);
    this.#access = JSON.parse(line);
  }

  async stop(signal = 'SIGTERM') {
    this.#child?.kill(signal);
    await this.#ended;
  }

  /** The pages list the runs that the commands list. */
  async list({ expected }) {
    const { items: runs } = await this.#ask('GET', '/api/runs?limit=100');
    const known = new Set(expected.runs.map(({ runId }) => runId));
    const unknown = runs.filter(({ runId }) => !known.has(runId));
    if (unknown.length > 0) throw new Error(`the server lists runs that nobody began: ${JSON.stringify(unknown)}`);
    if (runs.length !== Math.min(100, known.size)) throw new Error(`the server lists ${runs.length} of ${known.size}`);
  }

  /** The page of a run has the totals that its trials have. */
  async show(run) {
    const { totals, status } = await this.#ask('GET', `/api/runs/${run.runId}`);
    const { items } = await this.#ask('GET', `/api/runs/${run.runId}/trials?limit=500`);
    const listed = Object.fromEntries(['pass', 'fail', 'error'].map((each) => [each, count(items, each)]));
    const isSame = ['pass', 'fail', 'error'].every((each) => totals[each] === listed[each]);
    // One that is going on changes between the two requests.
    if ((status === 'finished' && !isSame) || (run.isComplete && status !== 'finished'))
      throw new Error(
        `${run.runId} (${status}) has ${JSON.stringify(totals)}, and its trials ${JSON.stringify(listed)}`,
      );
  }

  async showTrial(run) {
    const { items } = await this.#ask('GET', `/api/runs/${run.runId}/trials?limit=1`);
    for (const { trialId, caseId } of items) {
      const { record } = await this.#ask('GET', `/api/trials/${encodeURIComponent(trialId)}`);
      if (record.caseId !== caseId) throw new Error(`${trialId} is of ${record.caseId}, not of ${caseId}`);
    }
  }

  async runAndWait({ expected }, run) {
    const runId = await this.#begin(expected, run);
    await this.#until(runId, ({ status }) => status === 'finished');
    await expected.checkTrials(expected.add({ ...run, runId, isComplete: true }));
  }

  async runAndCancel({ program, expected }, run) {
    const runId = await this.#begin(expected, run);
    program.ends += 1;
    await this.#ask('POST', `/api/runs/${runId}/cancel`, {}, [200, 409]);
    const { status } = await this.#until(runId, (each) => each.status !== 'running');
    expected.add({ ...run, runId, isComplete: status === 'finished' });
  }

  /** A run of a killed server can be resumed like that of a killed command. */
  async killAndRestart({ program, expected, random }) {
    const run = { suite: 'slow', repeats: 1 + Math.floor(random() * 3) };
    const runId = await this.#begin(expected, run);
    await wait(Math.floor(random() * 300));
    await this.stop('SIGKILL');
    program.ends += 1;
    await this.start(program);
    const { document } = await program.document('runs', '--limit', '5000');
    const isComplete = document.find((each) => each.runId === runId)?.status === 'finished';
    expected.add({ ...run, runId, isComplete });
  }

  async #begin(expected, run) {
    const { suite, repeats, name } = expected.begin(run);
    const body = { paths: [`${suite}.yaml`], repeat: repeats, concurrency, name };
    const { runId } = await this.#ask('POST', '/api/runs', body, [201]);
    return runId;
  }

  async #until(runId, isSo) {
    for (const until = Date.now() + 60_000; Date.now() < until; await wait(20)) {
      const run = await this.#ask('GET', `/api/runs/${runId}`);
      if (isSo(run)) return run;
    }
    throw new Error(`${runId} did not get there in a minute`);
  }

  async #ask(method, path, body, accepted = [200]) {
    const headers = { authorization: `Bearer ${this.#access.token}`, 'content-type': 'application/json' };
    const answer = await fetch(new URL(path, this.#access.url), {
      method,
      headers,
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!accepted.includes(answer.status)) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }
}
