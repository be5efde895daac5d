import { uncalibratedWarning } from '../../compose/judge/calibrations.ts';
import { isPartlyJudged } from '../../domain/outcome.ts';
import type { Emit } from '../../domain/run-event.ts';
import type { JudgeIdentity } from '../../score/judge/calibration.ts';
import { counted } from '../../shared/format.ts';

/** Different notices that are told; a run can have any number of trials. */
const mostNotices = 5;

/** Collects what is reported about the judge after a run: where a pass was not judged, and what the judge warned of. */
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
    const { record } = event;
    const { warnings } = event.record.judge;
    if (isPartlyJudged(record) && record.fault) count(this.#skipped, record.fault.message);
    const uncalibrated = uncalibratedWarning(this.#calibrated, event.record.judge);
    for (const warning of [...warnings, ...(uncalibrated ? [uncalibrated] : [])]) count(this.#warned, warning);
  };

  text(): string {
    const skipped = [...this.#skipped].map(([reason, times]) => `  ${counted(times, 'trial')}: ${reason}\n`);
    const warned = [...this.#warned].map(
      ([warning, times]) => `  warning from the judge (${counted(times, 'trial')}): ${warning}\n`,
    );
    return [...skipped, ...warned].join('');
  }
}

function count(notices: Map<string, number>, notice: string): void {
  if (notices.has(notice) || notices.size < mostNotices) notices.set(notice, (notices.get(notice) ?? 0) + 1);
}
