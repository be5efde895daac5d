import type { UnitKey } from '../../shared/stats/pass-rate.ts';

/** A case as far as the sample is concerned. */
interface SampledCase {
  readonly scenario: string;
  readonly caseId: string;
  /** Stands for scenario and id where many cases have been numbered: a text for each takes time and memory. */
  readonly caseNumber?: number | undefined;
  /** Declared by the file: cases of one cluster resemble each other. */
  readonly cluster?: string | undefined;
  /** Scenarios with the same template are one source of cases, in however many files. */
  readonly template?: string | undefined;
}

/** The things that a figure for tasks like these counts. */
export type UnitKind = 'case' | 'scenario' | 'cluster';

/** The sampled units: cases, declared clusters, or scenarios where several have their own cases, which resemble each other. */
export interface SampleUnits {
  readonly kind: UnitKind;
  /** Different cases; one under several models, agents or personas is one. */
  readonly distinct: number;
  unitOf(one: SampledCase): UnitKey;
}

/** With fewer sources of equal size the sample would be one source and a few stray rows. */
const fewestSources = 2;
const rounding = 1e-9;

/** The one rule for the unit of every figure of a run and of a comparison. */
export function sampleUnits(cases: Iterable<SampledCase>): SampleUnits {
  const sources = new Map<string, Set<UnitKey>>();
  let isDeclared = false;
  for (const one of cases) {
    isDeclared ||= one.cluster !== undefined;
    const own = sources.get(sourceOf(one)) ?? new Set();
    sources.set(sourceOf(one), own.add(caseOf(one)));
  }
  const sizes = [...sources.values()].map(({ size }) => size);
  const distinct = sizes.reduce((sum, size) => sum + size, 0);
  if (isDeclared) return { kind: 'cluster', distinct, unitOf: (one) => one.cluster ?? caseOf(one) };
  // As many sources of equal size would weigh the same: 199 cases beside 1 are one source, not two.
  const effective = distinct ** 2 / sizes.reduce((sum, size) => sum + size ** 2, 0);
  const isBySource = sizes.length < distinct && effective >= fewestSources - rounding;
  if (isBySource) return { kind: 'scenario', distinct, unitOf: sourceOf };
  return { kind: 'case', distinct, unitOf: caseOf };
}

function sourceOf({ scenario, template }: SampledCase): string {
  return template ?? scenario;
}

function caseOf({ scenario, caseId, caseNumber }: SampledCase): UnitKey {
  return caseNumber ?? JSON.stringify([scenario, caseId]);
}
