import { NumberColumn, ValueList } from '../../shared/number-column.ts';
import { heldRows, type Rows } from '../../shared/rows.ts';
import type { PairedCase } from '../../shared/stats/compare-pairs.ts';
import type { CaseWithLosses } from '../../shared/stats/lost-shares.ts';
import type { UnitKey } from '../../shared/stats/pass-rate.ts';
import { type CasePair, triedOf } from './collected-side.ts';
import { judgePreference } from './comparison.ts';
import { sampleUnits, type UnitKind } from './sample-units.ts';

/** The values of one case on both sides, and what each side lost. */
type CaseValues = PairedCase & CaseWithLosses;

/** A figure on both sides, pair by pair. */
export interface FigureValues {
  readonly cases: Rows<CaseValues>;
  /** Cases that both sides tried, of which one has no value at all: with what it lost it would have. */
  readonly unpaired: Rows<CaseValues>;
  /** Different cases; one under several models, agents or personas is one. */
  readonly distinct: number;
  /** The sampled units. */
  readonly unitKind: UnitKind;
  /** The shares of trials on each side that have no value, in cases that were never judged too. */
  readonly missing: { readonly a: number; readonly b: number };
}

/** The values of a figure in the cases that have it on both sides. */
export function figureValues(name: string, pairs: Rows<CasePair>): FigureValues {
  const { kind, distinct, unitOf } = sampleUnits(pairsWith(name, pairs));
  const [cases, unpaired] = [new ValuesOfCases(pairs.length), new ValuesOfCases(0)];
  // A preference is of both sides, so neither can miss more of them.
  const isShared = name === judgePreference;
  for (const pair of pairs) {
    const { a: before, b: after } = pair;
    if (!before || !after) continue;
    const [a = none, b = none] = [before.figures.get(name), after.figures.get(name)];
    const lost = (tried: number, values: readonly number[]): number => (isShared ? 0 : tried - values.length);
    const found = a === none || b === none ? unpaired : cases;
    found.add(unitOf(pair), { a, b }, { a: lost(triedOf(before), a), b: lost(triedOf(after), b) });
  }
  const missing = { a: lostShare([cases, unpaired], 'a'), b: lostShare([cases, unpaired], 'b') };
  return { cases: heldRows(cases), unpaired: heldRows(unpaired), distinct, unitKind: kind, missing };
}

const none: readonly number[] = [];

function* pairsWith(name: string, pairs: Rows<CasePair>): Generator<CasePair, void> {
  for (const pair of pairs) if (pair.a?.figures.has(name) && pair.b?.figures.has(name)) yield pair;
}

type OnBoth<Value> = Readonly<Record<'a' | 'b', Value>>;

/** Values of cases one after the other, which are made into lists as they are read. */
class ValuesOfCases implements Rows<CaseValues> {
  readonly #units: UnitKeys;
  readonly #sides: OnBoth<SideValues>;

  /** For about so many cases. */
  constructor(size: number) {
    this.#units = new UnitKeys(size);
    this.#sides = { a: new SideValues(size), b: new SideValues(size) };
  }

  get length(): number {
    return this.#units.length;
  }

  add(unit: UnitKey, values: OnBoth<readonly number[]>, lost: OnBoth<number>): void {
    this.#units.add(unit);
    this.#sides.a.add(values.a, lost.a);
    this.#sides.b.add(values.b, lost.b);
  }

  at(index: number): CaseValues | undefined {
    if (index >= this.length) return undefined;
    const unit = this.#units.at(index);
    const { a, b } = this.#sides;
    return { unit, a: a.valuesAt(index), b: b.valuesAt(index), lost: { a: a.lostAt(index), b: b.lostAt(index) } };
  }

  *[Symbol.iterator](): Generator<CaseValues, void> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as CaseValues;
  }
}

/** Units that are numbers take four bytes each. */
class UnitKeys {
  readonly #numbers: NumberColumn;
  readonly #texts: string[] = [];
  length = 0;

  constructor(size: number) {
    this.#numbers = NumberColumn.ofSize(size);
  }

  /** A text is kept by its place, counted from -1 down. */
  add(unit: UnitKey): void {
    this.#numbers.set(this.length++, typeof unit === 'number' ? unit : -this.#texts.push(unit));
  }

  at(index: number): UnitKey {
    const number = this.#numbers.at(index);
    return number >= 0 ? number : (this.#texts[-number - 1] ?? '');
  }
}

/** The values of one side. */
class SideValues {
  readonly #values: ValueList;
  /** By case: where its values end. */
  readonly #ends: NumberColumn;
  readonly #lost: NumberColumn;
  #cases = 0;

  constructor(size: number) {
    this.#values = ValueList.ofSize(size);
    this.#ends = NumberColumn.ofSize(size);
    this.#lost = NumberColumn.ofSize(size);
  }

  add(values: readonly number[], lost: number): void {
    for (const value of values) this.#values.add(value);
    this.#ends.set(this.#cases, this.#values.length);
    this.#lost.add(this.#cases, lost);
    this.#cases++;
  }

  valuesAt(index: number): readonly number[] {
    const [start, end] = [index === 0 ? 0 : this.#ends.at(index - 1), this.#ends.at(index)];
    const values: number[] = [];
    for (let place = start; place < end; place++) values.push(this.#values.at(place));
    return values;
  }

  lostAt(index: number): number {
    return this.#lost.at(index);
  }
}

/** A case that was never judged on one side is missing altogether. */
function lostShare(groups: readonly Rows<CaseWithLosses>[], side: 'a' | 'b'): number {
  let [lost, tried] = [0, 0];
  for (const cases of groups) {
    for (const one of cases) {
      lost += one.lost[side];
      tried += one.lost[side] + one[side].length;
    }
  }
  return tried === 0 ? 0 : lost / tried;
}
