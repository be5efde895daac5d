import type { RunEvent } from '../../domain/run-event.ts';
import { clipped } from './bounded-text.ts';
import type { ToolContext } from './served-tool.ts';

const quietMs = 200;

/** Tells how far a run is, not more often than somebody could read it. */
export class RunProgress {
  readonly #report: ToolContext['progress'];
  #planned = 0;
  #done = 0;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(report: ToolContext['progress']) {
    this.#report = report;
  }

  readonly listen = (event: RunEvent): void => {
    if (event.type === 'run-started') {
      this.#planned = event.run.planned;
      this.#done = event.alreadyStored;
      this.#tell(`${event.run.runId} has begun`);
    } else if (event.type === 'trial-finished') {
      this.#done++;
      const { scenario, caseId, outcome } = event.record;
      if (this.#done === this.#planned || performance.now() - this.#toldAtMs >= quietMs)
        this.#tell(`${outcome}: ${clipped(`${scenario} ${caseId}`, 100)}`);
    }
  };

  #tell(message: string): void {
    this.#toldAtMs = performance.now();
    this.#report(this.#done, this.#planned, message);
  }
}
