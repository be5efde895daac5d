import type { Variant } from '../../domain/variant.ts';
import { variantParts } from '../../domain/variant.ts';
import { NumberColumn } from '../../shared/number-column.ts';
import type { Rows } from '../../shared/rows.ts';
import { TextTable } from '../../shared/text-table.ts';
import { entryOf } from './case-numbers.ts';
import { templatesOf } from './case-rates.ts';
import { type CasePair, type CheckTally, type CollectedCase, type CollectedSide, triedOf } from './collected-side.ts';

/** A part of the variant in which the sides have nothing in common, and which is therefore compared. */
export interface ComparedPart {
  readonly part: keyof Variant;
  readonly a: readonly string[];
  readonly b: readonly string[];
}

export interface PairedSides {
  /** In an order that does not depend on which side comes first. */
  readonly pairs: Rows<CasePair>;
  readonly compared: readonly ComparedPart[];
}

/** Puts the cases of two sides together by scenario, case and the parts of the variant that both sides share. */
export function pairCases(a: CollectedSide, b: CollectedSide): PairedSides {
  const compared = comparedParts(a, b);
  const shared = variantParts.filter((part) => !compared.some((other) => other.part === part));
  const sides = { a: new SideCases(a), b: new SideCases(b) };
  const size = Math.max(a.cases.length, b.cases.length);
  const found = new CasePairs({ sides, size }, commonTemplates(a, b), shared);
  const [placesA, placesB] = [placesByScenario(a), placesByScenario(b)];
  let caseNumber = 0;
  for (const scenario of [...new Set([...placesA.keys(), ...placesB.keys()])].sort()) {
    const cells = new ScenarioCells(shared);
    cells.add('a', sides.a, placesA.get(scenario) ?? []);
    cells.add('b', sides.b, placesB.get(scenario) ?? []);
    for (const [first, second, isNew] of cells.inOrder()) {
      if (isNew) caseNumber++;
      found.add(caseNumber, first, second);
    }
  }
  return { pairs: found, compared };
}

/** The cases of a side, and behind them those that were merged of several. */
class SideCases {
  readonly side: CollectedSide;
  readonly #merged: CollectedCase[] = [];

  constructor(side: CollectedSide) {
    this.side = side;
  }

  /** By 1 + the place; undefined for 0. */
  at(place: number): CollectedCase | undefined {
    const { cases } = this.side;
    return place === 0
      ? undefined
      : place <= cases.length
        ? cases.at(place - 1)
        : this.#merged[place - cases.length - 1];
  }

  /** The place of both together. */
  merge(first: number, second: number): number {
    const together = merged(this.at(first) as CollectedCase, this.at(second) as CollectedCase);
    return this.side.cases.length + this.#merged.push(together);
  }
}

/** Where the cases of each scenario are in the side. */
function placesByScenario({ cases }: CollectedSide): ReadonlyMap<string, PlaceList> {
  const places = new Map<string, PlaceList>();
  let place = 0;
  for (const { scenario } of cases) entryOf(places, scenario, () => new PlaceList()).add(++place);
  return places;
}

class PlaceList {
  readonly #places = new NumberColumn();
  #length = 0;

  add(place: number): void {
    this.#places.set(this.#length++, place);
  }

  *[Symbol.iterator](): Generator<number, void> {
    for (let index = 0; index < this.#length; index++) yield this.#places.at(index);
  }
}

type Side = 'a' | 'b';

/** The cases of a scenario by their ids and the parts of the variant that both sides share. */
class ScenarioCells {
  readonly #keyOf: (variant: Variant) => string;
  readonly #ids = new TextTable();
  /** Places in the sides, by the number of the id. */
  readonly #variants = new Map<string, Readonly<Record<Side, NumberColumn>>>();

  constructor(shared: readonly (keyof Variant)[]) {
    // Quoted: no name can look like two.
    this.#keyOf = rememberedFor((variant) => JSON.stringify(shared.map((part) => variant[part] ?? '')));
  }

  add(side: Side, cases: SideCases, places: Iterable<number>): void {
    for (const place of places) {
      const { caseId, variant } = cases.at(place) as CollectedCase;
      const ofVariant = entryOf(this.#variants, this.#keyOf(variant), () => emptyCells());
      const id = this.#ids.add(caseId);
      const existing = ofVariant[side].at(id);
      ofVariant[side].set(id, existing === 0 ? place : cases.merge(existing, place));
    }
  }

  /** Places of both sides, and whether they are the first of their id. */
  *inOrder(): Generator<readonly [a: number, b: number, isNew: boolean], void> {
    const variants = [...this.#variants].sort(byName).map(([, cells]) => cells);
    const ids = Int32Array.from({ length: this.#ids.length }, (_, id) => id);
    for (const id of ids.sort((one, other) => this.#ids.compare(one, other))) {
      let isNew = true;
      for (const { a, b } of variants) {
        if (a.at(id) === 0 && b.at(id) === 0) continue;
        yield [a.at(id), b.at(id), isNew];
        isNew = false;
      }
    }
  }
}

function emptyCells(size = 8): Readonly<Record<Side, NumberColumn>> {
  return { a: NumberColumn.ofSize(size), b: NumberColumn.ofSize(size) };
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Pairs as places in both sides. */
class CasePairs implements Rows<CasePair> {
  readonly #numbers: NumberColumn;
  readonly #places: Readonly<Record<Side, NumberColumn>>;
  readonly #sides: Readonly<Record<Side, SideCases>>;
  readonly #templateOf: (scenario: string) => string | undefined;
  readonly #sharedParts: (variant: Variant) => CasePair['variant'];
  length = 0;

  constructor(
    { sides, size }: { readonly sides: Readonly<Record<Side, SideCases>>; readonly size: number },
    templateOf: (scenario: string) => string | undefined,
    shared: readonly (keyof Variant)[],
  ) {
    this.#sides = sides;
    this.#numbers = NumberColumn.ofSize(size);
    this.#places = emptyCells(size);
    this.#templateOf = rememberedFor(templateOf);
    this.#sharedParts = rememberedFor((variant) => partsOf(variant, shared));
  }

  add(caseNumber: number, a: number, b: number): void {
    this.#numbers.set(this.length, caseNumber);
    this.#places.a.set(this.length, a);
    this.#places.b.set(this.length, b);
    this.length++;
  }

  at(index: number): CasePair | undefined {
    return index < this.length ? new PlacedPair(this, index) : undefined;
  }

  *[Symbol.iterator](): Generator<CasePair, void> {
    for (let index = 0; index < this.length; index++) yield new PlacedPair(this, index);
  }

  caseNumberOf(index: number): number {
    return this.#numbers.at(index);
  }

  caseOf(index: number, side: Side): CollectedCase | undefined {
    return this.#sides[side].at(this.#places[side].at(index));
  }

  /** A case that only one side has is lost on the other if that lacks cases which it planned. */
  orLost(index: number, side: Side): CollectedCase | undefined {
    const found = this.caseOf(index, side);
    if (found || !this.#sides[side].side.lacksCases) return found;
    const other = this.caseOf(index, side === 'a' ? 'b' : 'a');
    return other && lostCase(other);
  }

  templateOf(scenario: string): string | undefined {
    return this.#templateOf(scenario);
  }

  sharedParts(variant: Variant): CasePair['variant'] {
    return this.#sharedParts(variant);
  }
}

/** A pair as it is read from the places. */
class PlacedPair implements CasePair {
  readonly #pairs: CasePairs;
  readonly #index: number;

  constructor(pairs: CasePairs, index: number) {
    this.#pairs = pairs;
    this.#index = index;
  }

  get #either(): CollectedCase {
    return (this.#pairs.caseOf(this.#index, 'a') ?? this.#pairs.caseOf(this.#index, 'b')) as CollectedCase;
  }

  get scenario(): string {
    return this.#either.scenario;
  }

  get caseId(): string {
    return this.#either.caseId;
  }

  get caseNumber(): number {
    return this.#pairs.caseNumberOf(this.#index);
  }

  get variant(): CasePair['variant'] {
    return this.#pairs.sharedParts(this.#either.variant);
  }

  get cluster(): string | undefined {
    return this.#pairs.caseOf(this.#index, 'a')?.cluster ?? this.#pairs.caseOf(this.#index, 'b')?.cluster;
  }

  get template(): string | undefined {
    return this.#pairs.templateOf(this.scenario);
  }

  get a(): CollectedCase | undefined {
    return this.#pairs.orLost(this.#index, 'a');
  }

  get b(): CollectedCase | undefined {
    return this.#pairs.orLost(this.#index, 'b');
  }
}

function lostCase(other: CollectedCase): CollectedCase {
  const { scenario, caseId, variant, cluster } = other;
  const nothing = { figures: new Map(), checks: new Map(), verdicts: new Map(), success: null, failure: null };
  return {
    ...{ scenario, caseId, variant, cluster, ...nothing },
    passed: 0,
    failed: 0,
    unjudged: triedOf(other),
    unjudgedTrial: null,
  };
}

/** Templates of both sides by scenario: cases are of one source where they are so on both. */
function commonTemplates(a: CollectedSide, b: CollectedSide): (scenario: string) => string | undefined {
  const sides = [a, b].map(({ run }) => templatesOf({ scenarios: run.scenarios ?? [] }));
  return (scenario) => {
    const found = sides.flatMap((templateOf) => templateOf(scenario) ?? []);
    return found.length === 0 ? undefined : [...new Set(found)].join();
  };
}

function comparedParts(a: CollectedSide, b: CollectedSide): ComparedPart[] {
  if (a.cases.length === 0 || b.cases.length === 0) return [];
  const [variantsA, variantsB] = [variantsOf(a), variantsOf(b)];
  return variantParts.flatMap((part): ComparedPart[] => {
    const [valuesA, valuesB] = [valuesOf(variantsA, part), valuesOf(variantsB, part)];
    const hasCommon = [...valuesA].some((value) => valuesB.has(value));
    return hasCommon ? [] : [{ part, a: [...valuesA], b: [...valuesB] }];
  });
}

function variantsOf({ cases }: CollectedSide): ReadonlySet<Variant> {
  const variants = new Set<Variant>();
  for (const { variant } of cases) variants.add(variant);
  return variants;
}

function valuesOf(variants: ReadonlySet<Variant>, part: keyof Variant): Set<string> {
  return new Set(Array.from(variants, (variant) => variant[part] ?? ''));
}

/** There are many cases, and few scenarios and variants. */
function rememberedFor<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  const made = new Map<Given, Made>();
  return (given) => {
    const existing = made.get(given);
    if (existing !== undefined) return existing;
    const value = make(given);
    made.set(given, value);
    return value;
  };
}

function merged(first: CollectedCase, second: CollectedCase): CollectedCase {
  const figures = new Map<string, readonly number[]>(first.figures);
  for (const [name, values] of second.figures) figures.set(name, [...(figures.get(name) ?? []), ...values]);
  const checks = mergedTallies(first.checks, second.checks) ?? new Map<string, CheckTally>();
  const { scenario, caseId, variant, cluster } = first;
  return {
    ...{ scenario, caseId, variant, cluster },
    passed: first.passed + second.passed,
    failed: first.failed + second.failed,
    unjudged: first.unjudged + second.unjudged,
    figures,
    checks,
    verdicts: mergedTallies(first.verdicts, second.verdicts),
    success: first.success ?? second.success,
    failure: first.failure ?? second.failure,
    unjudgedTrial: first.unjudgedTrial ?? second.unjudgedTrial,
  };
}

function mergedTallies(
  first: Iterable<[string, Readonly<CheckTally>]> | undefined,
  second: Iterable<[string, Readonly<CheckTally>]> | undefined,
): Map<string, CheckTally> | undefined {
  if (!first || !second) return undefined;
  const merged = new Map<string, Readonly<CheckTally>>(first);
  for (const [name, { passed, failed }] of second) {
    const tally = merged.get(name) ?? { passed: 0, failed: 0 };
    merged.set(name, { passed: tally.passed + passed, failed: tally.failed + failed });
  }
  return merged;
}

function partsOf(variant: Variant, parts: readonly (keyof Variant)[]): Record<string, string> {
  return Object.fromEntries(parts.flatMap((part) => (variant[part] === undefined ? [] : [[part, variant[part]]])));
}
