import { uncalibratedWarning } from '../compose/calibrations.ts';
import type { Emit } from '../domain/run-event.ts';
import type { JudgeIdentity } from '../judge/calibration.ts';
import { counted } from '../shared/numbers.ts';

/** Different notices that are told; a run can have any number of trials. */
const mostNotices = 5;

/** Collects what has to be said of the judge after a run: where it was not asked, and what it warned of. */
export class JudgeNotices {
  readonly #skipped = new Map<string, number>();
  readonly #warned = new Map<string, number>();
  readonly #calibrated: readonly JudgeIdentity[] | undefined;

  /** `calibrated`: the judges that were compared with people, if any ever was. */
  constructor(calibrated: readonly JudgeIdentity[] | undefined) {
    this.#calibrated = calibrated;
  }

  readonly listen: Emit = (event) => {
    if (event.type !== 'trial-finished' || !event.record.judge) return;
    const { state, reason, warnings } = event.record.judge;
    if (state === 'skipped' && event.record.outcome !== 'fail') count(this.#skipped, reason);
    const uncalibrated = uncalibratedWarning(this.#calibrated, event.record.judge);
    for (const warning of [...warnings, ...(uncalibrated ? [uncalibrated] : [])]) count(this.#warned, warning);
  };

  text(): string {
    const skipped = [...this.#skipped].map(
      ([reason, times]) => `  The judge was not asked in ${counted(times, 'trial')}: ${reason}\n`,
    );
    const warned = [...this.#warned].map(
      ([warning, times]) => `  warning from the judge (${counted(times, 'trial')}): ${warning}\n`,
    );
    return [...skipped, ...warned].join('');
  }
}

function count(notices: Map<string, number>, notice: string): void {
  if (notices.has(notice) || notices.size < mostNotices) notices.set(notice, (notices.get(notice) ?? 0) + 1);
}
