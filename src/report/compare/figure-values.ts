import { NumberColumn, ValueList } from '../../shared/number-column.ts';
import type { Rows } from '../../shared/rows.ts';
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
  const [cases, unpaired] = [new ValuesOfCases(), new ValuesOfCases()];
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
  return { cases, unpaired, distinct, unitKind: kind, missing };
}

const none: readonly number[] = [];

function* pairsWith(name: string, pairs: Rows<CasePair>): Generator<CasePair, void> {
  for (const pair of pairs) if (pair.a?.figures.has(name) && pair.b?.figures.has(name)) yield pair;
}

type OnBoth<Value> = Readonly<Record<'a' | 'b', Value>>;

/** Values of cases one after the other, which are made into lists as they are read. */
class ValuesOfCases implements Rows<CaseValues> {
  readonly #units: UnitKey[] = [];
  readonly #sides = { a: new SideValues(), b: new SideValues() };

  get length(): number {
    return this.#units.length;
  }

  add(unit: UnitKey, values: OnBoth<readonly number[]>, lost: OnBoth<number>): void {
    this.#units.push(unit);
    this.#sides.a.add(values.a, lost.a);
    this.#sides.b.add(values.b, lost.b);
  }

  at(index: number): CaseValues | undefined {
    const unit = this.#units[index];
    if (unit === undefined) return undefined;
    const { a, b } = this.#sides;
    return { unit, a: a.valuesAt(index), b: b.valuesAt(index), lost: { a: a.lostAt(index), b: b.lostAt(index) } };
  }

  *[Symbol.iterator](): Generator<CaseValues, void> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as CaseValues;
  }
}

/** The values of one side. */
class SideValues {
  readonly #values = new ValueList();
  /** By case: where its values end. */
  readonly #ends = new NumberColumn();
  readonly #lost = new NumberColumn();
  #cases = 0;

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
