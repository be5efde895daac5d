/** A case as far as the sample is concerned. */
interface SampledCase {
  readonly scenario: string;
  readonly caseId: string;
}

/** The sampled units: cases, or scenarios where several have their own cases, which resemble each other. */
export interface SampleUnits {
  readonly kind: 'case' | 'scenario';
  /** Different cases; one under several models, agents or personas is one. */
  readonly distinct: number;
  unitOf(one: SampledCase): string;
}

/** With fewer scenarios of equal size the sample would be one file and a few stray rows. */
const fewestScenarios = 2;
const rounding = 1e-9;

/** The one rule for the unit of every figure of a run and of a comparison. */
export function sampleUnits(cases: Iterable<SampledCase>): SampleUnits {
  const scenarios = new Map<string, Set<string>>();
  for (const { scenario, caseId } of cases) {
    const caseIds = scenarios.get(scenario) ?? new Set();
    scenarios.set(scenario, caseIds.add(caseId));
  }
  const sizes = [...scenarios.values()].map(({ size }) => size);
  const distinct = sizes.reduce((sum, size) => sum + size, 0);
  // As many scenarios of equal size would weigh the same: 199 cases beside 1 are one scenario, not two.
  const effective = distinct ** 2 / sizes.reduce((sum, size) => sum + size ** 2, 0);
  const isByScenario = sizes.length < distinct && effective >= fewestScenarios - rounding;
  return isByScenario
    ? { kind: 'scenario', distinct, unitOf: ({ scenario }) => scenario }
    : { kind: 'case', distinct, unitOf: ({ scenario, caseId }) => JSON.stringify([scenario, caseId]) };
}
