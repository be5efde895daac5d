import { rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Emit } from '../../domain/run.ts';
import type { Trial } from '../../domain/trial.ts';
import type { PreparedWork } from '../../drive/targets/target.ts';
import type { Execution } from '../../engine/execution.ts';
import type { PerformTrial, RunFeature } from '../../engine/run-feature.ts';

/** The code of an attempt whose agent took another path than the one that it goes on from. */
const unrepeated = 'TRIAL_NOT_REPEATED';

/** Keeps a tape of each trial with an agent until its record is stored. */
export class ContinuedTrials implements RunFeature {
  readonly #folder: string;

  constructor(projectFolder: string, runId: string) {
    this.#folder = join(projectFolder, '.assay', 'running', runId);
  }

  /** The tape has the reason, so the attempt that starts from the beginning says it. */
  async around(_trial: Trial, perform: PerformTrial) {
    const finished = await perform();
    return finished?.record.fault?.code === unrepeated ? perform() : finished;
  }

  async prepared({ trialId }: Trial, work: PreparedWork | undefined): Promise<void> {
    work?.offer({ tapeFile: this.#fileOf(trialId) });
  }

  /** Nothing is kept of an attempt that is thrown away. */
  check(_trial: Trial, execution: Execution): Execution {
    return execution.fault?.code === unrepeated ? { ...execution, artifacts: null } : execution;
  }

  readonly listen: Emit = (event) => {
    if (event.type === 'trial-finished') rmSync(this.#fileOf(event.record.trialId), { force: true });
  };

  /** Trials that were interrupted leave their tapes. */
  async end(): Promise<void> {
    try {
      rmdirSync(this.#folder);
    } catch {
      // It has tapes, or was never made.
    }
  }

  #fileOf(trialId: string): string {
    return join(this.#folder, `${trialId}.jsonl`);
  }
}
