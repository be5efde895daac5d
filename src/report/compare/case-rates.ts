import type { RunScenario } from '../../domain/run.ts';
import { heldRows, mappedRows, type Rows } from '../../shared/rows.ts';
import { type PassRate, passRate } from '../../shared/stats/pass-rate.ts';
import { caseKeyOf } from './case-key.ts';
import { type SampleUnits, sampleUnits } from './sample-units.ts';

/** Where a trial belongs, as far as rates are concerned. */
interface CasePlace {
  readonly file: string;
  readonly scenario: string;
  readonly caseId: string;
  readonly cluster?: string | undefined;
}

/** A case, under one variant, with the judged trials that passed and failed. */
export interface CountedCase extends CasePlace {
  readonly template?: string | undefined;
  readonly passed: number;
  readonly failed: number;
  /** As in `CaseCounts`. */
  readonly caseNumber?: number | undefined;
  readonly caseKey?: number | undefined;
}

/** Finds the template of a scenario; undefined where it is not known. */
export type TemplateOf = (scenario: string) => string | undefined;

/** Templates of the scenarios of a run. */
export function templatesOf({
  scenarios,
}: {
  readonly scenarios: readonly Pick<RunScenario, 'name' | 'identity'>[];
}): TemplateOf {
  const templates = new Map(scenarios.map(({ name, identity }) => [name, identity?.template]));
  return (scenario) => templates.get(scenario);
}

/** The one rate of all reports: by case, with an interval by the sampled units of exactly these cases. */
export function rateOfCases(
  cases: Rows<CountedCase>,
  { unitOf }: Pick<SampleUnits, 'unitOf'> = sampleUnits(cases),
): PassRate {
  return passRate(
    heldRows(
      mappedRows(cases, (one) => {
        const { passed, failed, caseKey = caseKeyOf(one) } = one;
        return { passed, failed, caseKey, unit: unitOf(one) };
      }),
    ),
  );
}

/** Trials that passed and failed, counted by case as they come. */
export class CaseTallies {
  readonly #cases = new Map<string, CasePlace & { passed: number; failed: number }>();
  readonly #templateOf: TemplateOf;

  constructor(templateOf: TemplateOf = () => undefined) {
    this.#templateOf = templateOf;
  }

  add(place: CasePlace, isPassed: boolean): void {
    const key = caseKeyOf(place);
    const { file, scenario, caseId, cluster } = place;
    const tally = this.#cases.get(key) ?? { file, scenario, caseId, cluster, passed: 0, failed: 0 };
    tally[isPassed ? 'passed' : 'failed']++;
    this.#cases.set(key, tally);
  }

  /** Of the cases that these keys name; of all by default. */
  cases(keys?: ReadonlySet<string>): CountedCase[] {
    const chosen = [...this.#cases].filter(([key]) => keys === undefined || keys.has(key));
    return chosen.map(([, one]) => ({ ...one, template: this.#templateOf(one.scenario) }));
  }

  rate(keys?: ReadonlySet<string>): PassRate {
    return rateOfCases(this.cases(keys));
  }
}
