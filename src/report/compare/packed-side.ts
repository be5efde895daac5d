import type { Variant } from '../../domain/variant.ts';
import { CaseNumbers } from './case-numbers.ts';
import type { CheckTally, CollectedCase, CollectedSide, ExampleTrial } from './collected-side.ts';

/** The values of a figure: how many each case has, and all of them in the order of the cases. */
interface PackedFigure {
  readonly name: string;
  readonly counts: Int32Array;
  readonly values: Float64Array;
}

interface PackedCheck {
  readonly name: string;
  readonly passed: Int32Array;
  readonly failed: Int32Array;
}

/** A side as one process hands it to another: cases in columns, without views of shared numbers. */
export interface PackedSide extends Omit<CollectedSide, 'cases'> {
  readonly cases: {
    readonly scenarios: readonly string[];
    readonly caseIds: readonly string[];
    readonly variants: readonly Variant[];
    readonly clusters: readonly (string | undefined)[];
    /** By case: passed, failed, unjudged. */
    readonly tallies: readonly Int32Array[];
    /** By case: success, failure, unjudged. */
    readonly examples: readonly (readonly (ExampleTrial | null)[])[];
    readonly verdicts: ReadonlyMap<number, CollectedCase['verdicts']>;
    readonly figures: readonly PackedFigure[];
    readonly checks: readonly PackedCheck[];
  };
}

export function packedSide({ cases, ...side }: CollectedSide): PackedSide {
  const of = <Value>(part: (one: CollectedCase) => Value): Value[] => cases.map(part);
  const verdicts = new Map<number, CollectedCase['verdicts']>();
  for (const [index, one] of cases.entries()) if (one.verdicts?.size !== 0) verdicts.set(index, one.verdicts);
  return {
    ...side,
    cases: {
      scenarios: of(({ scenario }) => scenario),
      caseIds: of(({ caseId }) => caseId),
      variants: of(({ variant }) => variant),
      clusters: of(({ cluster }) => cluster),
      tallies: [of(({ passed }) => passed), of(({ failed }) => failed), of(({ unjudged }) => unjudged)].map((counts) =>
        Int32Array.from(counts),
      ),
      examples: [of(({ success }) => success), of(({ failure }) => failure), of((one) => one.unjudgedTrial)],
      verdicts,
      figures: namesIn(cases, 'figures').map((name) => packedFigure(name, cases)),
      checks: namesIn(cases, 'checks').map((name) => packedCheck(name, cases)),
    },
  };
}

/** In the order in which they were collected: that of views is the order of their columns. */
function namesIn(cases: readonly CollectedCase[], part: 'figures' | 'checks'): string[] {
  const names = new Set<string>();
  for (const one of cases) for (const name of one[part].keys()) names.add(name);
  return [...names];
}

function packedFigure(name: string, cases: readonly CollectedCase[]): PackedFigure {
  const counts = new Int32Array(cases.length);
  const values: number[] = [];
  for (const [index, { figures }] of cases.entries()) {
    const own = figures.get(name) ?? [];
    counts[index] = own.length;
    for (const value of own) values.push(value);
  }
  return { name, counts, values: Float64Array.from(values) };
}

function packedCheck(name: string, cases: readonly CollectedCase[]): PackedCheck {
  const [passed, failed] = [new Int32Array(cases.length), new Int32Array(cases.length)];
  for (const [index, { checks }] of cases.entries()) {
    const tally = checks.get(name);
    if (tally) [passed[index], failed[index]] = [tally.passed, tally.failed];
  }
  return { name, passed, failed };
}

export function unpackedSide({ cases: packed, ...side }: PackedSide): CollectedSide {
  const numbers = new CaseNumbers();
  for (const { name, counts, values } of packed.figures) {
    let place = 0;
    counts.forEach((count, index) => {
      for (let left = count; left > 0; left--) numbers.addValue(index, name, values[place++] ?? Number.NaN);
    });
  }
  for (const { name, passed, failed } of packed.checks) {
    passed.forEach((count, index) => {
      numbers.addTally(index, name, { passed: count, failed: failed[index] ?? 0 });
    });
  }
  return { ...side, cases: packed.scenarios.map((_, index) => caseAt(index, packed, numbers)) };
}

function caseAt(index: number, packed: PackedSide['cases'], numbers: CaseNumbers): CollectedCase {
  const [passed, failed, unjudged] = packed.tallies;
  const [success, failure, unjudgedTrial] = packed.examples;
  return {
    scenario: packed.scenarios[index] ?? '',
    caseId: packed.caseIds[index] ?? '',
    variant: packed.variants[index] ?? {},
    cluster: packed.clusters[index],
    passed: passed?.[index] ?? 0,
    failed: failed?.[index] ?? 0,
    unjudged: unjudged?.[index] ?? 0,
    figures: numbers.figuresOf(index),
    checks: numbers.checksOf(index),
    verdicts: packed.verdicts.has(index) ? packed.verdicts.get(index) : noVerdicts,
    success: success?.[index] ?? null,
    failure: failure?.[index] ?? null,
    unjudgedTrial: unjudgedTrial?.[index] ?? null,
  };
}

const noVerdicts: ReadonlyMap<string, CheckTally> = new Map();
