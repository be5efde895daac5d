import type { JudgeResult } from '../../domain/judge-result.ts';
import { type Alpha, krippendorffAlpha } from '../../shared/stats/krippendorff-alpha.ts';
import { verdictsIn } from './calibration.ts';

/** How far the members of panels agree over the trials of a run (Krippendorff's alpha); null where it says nothing. */
export interface PanelAgreement {
  /** On pass or fail. */
  readonly verdicts: Alpha | null;
  /** On scores, for judges that give them. */
  readonly scores: Alpha | null;
}

/** Gathers the answers of panels, trial by trial. */
export class PanelVotes {
  readonly #verdicts: (readonly number[])[] = [];
  readonly #scores: (readonly number[])[] = [];

  add({ panel = [] }: Pick<JudgeResult, 'panel'>): void {
    if (panel.length < 2) return;
    this.#verdicts.push(verdictsIn(panel.map(({ state }) => state)));
    this.#scores.push(
      panel.flatMap(({ threshold, score, fault }) => (threshold === undefined || fault ? [] : (score ?? []))),
    );
  }

  /** Undefined where no panel judged. */
  agreement(): PanelAgreement | undefined {
    if (this.#verdicts.length === 0) return undefined;
    return {
      verdicts: krippendorffAlpha(this.#verdicts, 'nominal') ?? null,
      scores: krippendorffAlpha(this.#scores, 'interval') ?? null,
    };
  }
}
