import { withRoom } from '../../shared/number-column.ts';
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
  const counted = new DistinctCases();
  let isDeclared = false;
  for (const one of cases) {
    isDeclared ||= one.cluster !== undefined;
    counted.add(one);
  }
  const sizes = counted.sizes();
  const distinct = sizes.reduce((sum, size) => sum + size, 0);
  if (isDeclared) return { kind: 'cluster', distinct, unitOf: (one) => one.cluster ?? caseOf(one) };
  // As many sources of equal size would weigh the same: 199 cases beside 1 are one source, not two.
  const effective = distinct ** 2 / sizes.reduce((sum, size) => sum + size ** 2, 0);
  const isBySource = sizes.length < distinct && effective >= fewestSources - rounding;
  if (isBySource) return { kind: 'scenario', distinct, unitOf: sourceOf };
  return { kind: 'case', distinct, unitOf: caseOf };
}

/** Counts cases by their source. A numbered case takes a byte, where an entry of a set takes fifty. */
class DistinctCases {
  readonly #bySource = new Map<string, number>();
  readonly #named = new Set<string>();
  #isNumberSeen = new Uint8Array(8);

  add(one: SampledCase): void {
    const source = sourceOf(one);
    if (this.#isNew(caseOf(one), source)) this.#bySource.set(source, (this.#bySource.get(source) ?? 0) + 1);
  }

  sizes(): number[] {
    return [...this.#bySource.values()];
  }

  /** A number stands for scenario and id, so it is of one source. */
  #isNew(key: UnitKey, source: string): boolean {
    if (typeof key === 'string') {
      const { size } = this.#named;
      return this.#named.add(`${source}\n${key}`).size > size;
    }
    this.#isNumberSeen = withRoom(this.#isNumberSeen, key);
    const isNew = this.#isNumberSeen[key] === 0;
    this.#isNumberSeen[key] = 1;
    return isNew;
  }
}

function sourceOf({ scenario, template }: SampledCase): string {
  return template ?? scenario;
}

function caseOf({ scenario, caseId, caseNumber }: SampledCase): UnitKey {
  return caseNumber ?? JSON.stringify([scenario, caseId]);
}
