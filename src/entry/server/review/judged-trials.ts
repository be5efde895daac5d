import { identityOf } from '../../../compose/judge/calibrations.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { eachTrial, type Store } from '../../../keep/store/store.ts';
import { BoundedCache } from '../bounded-cache.ts';
import { endedKey } from '../runs-desk.ts';
import { judgeQuestion } from './judge-question.ts';

/** A trial that a judge decided, as far as a person who labels it may know. */
export interface JudgedTrial {
  readonly trialId: string;
  readonly runId: string;
  readonly scenario: string;
  readonly caseId: string;
  readonly question: string;
  readonly durationMs: number | null;
}

const mostRuns = 20;
const mostTrials = 2_000;
const mostRead = 20_000;

/** The judged trials of recent runs. */
export class JudgedTrials {
  readonly #store: Store;
  /** Of runs that have ended, which do not change. */
  readonly #known = new BoundedCache<readonly JudgedTrial[]>(2 * mostRuns);

  constructor(store: Store) {
    this.#store = store;
  }

  /** Of one run, or of the newest ones; the newest run first. */
  async of(runId?: string): Promise<readonly JudgedTrial[]> {
    if (runId !== undefined) return this.#in(await this.#run(runId));
    const found: JudgedTrial[] = [];
    for (const run of await this.#store.listRuns(mostRuns)) {
      if (found.length >= mostTrials) break;
      found.push(...(await this.#in(run)));
    }
    return found.slice(0, mostTrials);
  }

  async #run(runId: string): Promise<RunHeader> {
    const run = await this.#store.findRun(runId);
    if (run) return run;
    throw new AssayError('NOT_FOUND', `There is no run "${runId}".`);
  }

  #in(run: RunHeader): Promise<readonly JudgedTrial[]> {
    const key = endedKey(run);
    return key === undefined ? this.#read(run) : this.#known.get(key, () => this.#read(run));
  }

  async #read({ runId }: RunHeader): Promise<readonly JudgedTrial[]> {
    const found: JudgedTrial[] = [];
    let read = 0;
    for await (const record of eachTrial(this.#store, runId)) {
      if (isJudged(record)) found.push(judgedTrial(record));
      if (++read >= mostRead || found.length >= mostTrials) break;
    }
    return found;
  }
}

/** Whether a judge that can be named gave a verdict. */
export function isJudged({ judge }: TrialRecord): boolean {
  return judge !== null && (judge.state === 'pass' || judge.state === 'fail') && identityOf(judge) !== undefined;
}

/** A judged trial as somebody who labels it may see it. */
export function judgedTrial(record: TrialRecord): JudgedTrial {
  const { trialId, runId, scenario, caseId, durationMs } = record;
  return { trialId, runId, scenario, caseId, question: judgeQuestion(record), durationMs };
}
