import { NumberColumn, ValueList } from '../../shared/number-column.ts';
import type { CaseChecks, CaseFigures, CheckTally } from './collected-side.ts';

/** Values of cases by the names of their columns. */
class Columns<Cell, Packed, Kind extends Column<Cell, Packed>> {
  readonly #columns: Map<string, Kind>;
  readonly #make: (packed?: Packed) => Kind;

  constructor(make: (packed?: Packed) => Kind, packed: PackedColumns<Packed> = []) {
    this.#make = make;
    this.#columns = new Map(packed.map(([name, column]) => [name, make(column)]));
  }

  pack(): PackedColumns<Packed> {
    return Array.from(this.#columns, ([name, column]) => [name, column.pack()]);
  }

  named(name: string): Kind {
    return entryOf(this.#columns, name, () => this.#make());
  }

  of(caseIndex: number): CaseView<Cell> {
    return new CaseView(this.#columns, caseIndex);
  }
}

/**
 * The figures, checks and verdicts of all cases of a side, one column for each name: with a map for each case, a run of 100,000
 * trials takes many times the memory, and most of the time goes into collecting it.
 */
export class CaseNumbers {
  readonly #figures: Columns<readonly number[], PackedValues, ValueColumn>;
  readonly #checks: Columns<CheckTally, PackedTallies, TallyColumn>;
  readonly #verdicts: Columns<CheckTally, PackedTallies, TallyColumn>;

  constructor({ figures, checks, verdicts }: Partial<PackedNumbers> = {}) {
    this.#figures = new Columns((packed) => new ValueColumn(packed), figures);
    this.#checks = new Columns((packed) => new TallyColumn(packed), checks);
    this.#verdicts = new Columns((packed) => new TallyColumn(packed), verdicts);
  }

  pack(): PackedNumbers {
    return { figures: this.#figures.pack(), checks: this.#checks.pack(), verdicts: this.#verdicts.pack() };
  }

  addValue(caseIndex: number, name: string, value: number): void {
    this.#figures.named(name).add(caseIndex, value);
  }

  addCheck(caseIndex: number, name: string, tally: Readonly<CheckTally>): void {
    this.#checks.named(name).addTally(caseIndex, tally);
  }

  addVerdict(caseIndex: number, judge: string, tally: Readonly<CheckTally>): void {
    this.#verdicts.named(judge).addTally(caseIndex, tally);
  }

  figuresOf(caseIndex: number): CaseFigures {
    return this.#figures.of(caseIndex);
  }

  checksOf(caseIndex: number): CaseChecks {
    return this.#checks.of(caseIndex);
  }

  verdictsOf(caseIndex: number): CaseChecks {
    return this.#verdicts.of(caseIndex);
  }
}

type PackedColumns<Packed> = readonly (readonly [name: string, column: Packed])[];

/** As another process can take them. */
export interface PackedNumbers {
  readonly figures: PackedColumns<PackedValues>;
  readonly checks: PackedColumns<PackedTallies>;
  readonly verdicts: PackedColumns<PackedTallies>;
}

interface Column<Cell, Packed> {
  pack(): Packed;
  has(caseIndex: number): boolean;
  at(caseIndex: number): Cell | undefined;
}

/** The entry of a map by this name, made where it is not there. */
export function entryOf<Kind>(entries: Map<string, Kind>, name: string, make: () => Kind): Kind {
  const existing = entries.get(name);
  if (existing !== undefined) return existing;
  const entry = make();
  entries.set(name, entry);
  return entry;
}

/** The cells of one case, by the names of their columns. */
class CaseView<Cell> {
  readonly #columns: ReadonlyMap<string, Pick<Column<Cell, unknown>, 'has' | 'at'>>;
  readonly #caseIndex: number;

  constructor(columns: ReadonlyMap<string, Pick<Column<Cell, unknown>, 'has' | 'at'>>, caseIndex: number) {
    this.#columns = columns;
    this.#caseIndex = caseIndex;
  }

  get(name: string): Cell | undefined {
    return this.#columns.get(name)?.at(this.#caseIndex);
  }

  has(name: string): boolean {
    return this.#columns.get(name)?.has(this.#caseIndex) === true;
  }

  *keys(): Generator<string, void> {
    for (const [name, column] of this.#columns) if (column.has(this.#caseIndex)) yield name;
  }

  *[Symbol.iterator](): Generator<[string, Cell], void> {
    for (const [name, column] of this.#columns) {
      const cell = column.at(this.#caseIndex);
      if (cell !== undefined) yield [name, cell];
    }
  }
}

interface PackedValues {
  readonly first: Int32Array;
  readonly last: Int32Array;
  readonly next: Int32Array;
  readonly values: Uint8Array | Float64Array;
  readonly isInOrder: boolean;
}

const nothing = new Int32Array();
const noValues: PackedValues = {
  first: nothing,
  last: nothing,
  next: nothing,
  values: new Uint8Array(),
  isInOrder: true,
};

/**
 * Values in the order in which they come; those of a case are linked, because its repeats need not be neighbours. Places count
 * from 1 on; 0 is none.
 */
class ValueColumn implements Column<readonly number[], PackedValues> {
  /** By case: the place of its first value; not written while each case in turn has a single value. */
  readonly #first: NumberColumn;
  #isInOrder: boolean;
  /** By case with several values: the place of the last. */
  readonly #last: NumberColumn;
  /** By place: that of the next value of the case. */
  readonly #next: NumberColumn;
  readonly #values: ValueList;

  constructor({ first, last, next, values, isInOrder }: PackedValues = noValues) {
    this.#first = NumberColumn.unpacked(first);
    this.#last = NumberColumn.unpacked(last);
    this.#next = NumberColumn.unpacked(next);
    this.#values = ValueList.unpacked(values);
    this.#isInOrder = isInOrder;
  }

  pack(): PackedValues {
    return {
      first: this.#first.pack(),
      last: this.#last.pack(),
      next: this.#next.pack(),
      values: this.#values.pack(),
      isInOrder: this.#isInOrder,
    };
  }

  add(caseIndex: number, value: number): void {
    if (this.#isInOrder && caseIndex !== this.#values.length) this.#leaveOrder();
    const first = this.#firstOf(caseIndex);
    this.#values.add(value);
    const place = this.#values.length;
    if (first === 0) {
      if (!this.#isInOrder) this.#first.set(caseIndex, place);
      return;
    }
    this.#next.set(this.#last.at(caseIndex) || first, place);
    this.#last.set(caseIndex, place);
  }

  has(caseIndex: number): boolean {
    return this.#firstOf(caseIndex) !== 0;
  }

  at(caseIndex: number): number[] | undefined {
    let place = this.#firstOf(caseIndex);
    if (place === 0) return undefined;
    const values: number[] = [];
    for (; place !== 0; place = this.#next.at(place)) values.push(this.#values.at(place - 1));
    return values;
  }

  #firstOf(caseIndex: number): number {
    if (!this.#isInOrder) return this.#first.at(caseIndex);
    return caseIndex < this.#values.length ? caseIndex + 1 : 0;
  }

  #leaveOrder(): void {
    for (let index = 0; index < this.#values.length; index++) this.#first.set(index, index + 1);
    this.#isInOrder = false;
  }
}

interface PackedTallies {
  readonly passed: Int32Array;
  readonly failed: Int32Array;
}

class TallyColumn implements Column<CheckTally, PackedTallies> {
  readonly #passed: NumberColumn;
  readonly #failed: NumberColumn;

  constructor({ passed, failed }: PackedTallies = { passed: nothing, failed: nothing }) {
    this.#passed = NumberColumn.unpacked(passed);
    this.#failed = NumberColumn.unpacked(failed);
  }

  pack(): PackedTallies {
    return { passed: this.#passed.pack(), failed: this.#failed.pack() };
  }

  addTally(caseIndex: number, { passed, failed }: Readonly<CheckTally>): void {
    this.#passed.add(caseIndex, passed);
    this.#failed.add(caseIndex, failed);
  }

  has(caseIndex: number): boolean {
    return this.#passed.at(caseIndex) + this.#failed.at(caseIndex) > 0;
  }

  at(caseIndex: number): CheckTally | undefined {
    return this.has(caseIndex) ? { passed: this.#passed.at(caseIndex), failed: this.#failed.at(caseIndex) } : undefined;
  }
}
