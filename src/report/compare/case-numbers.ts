import type { CaseChecks, CaseFigures, CheckTally } from './collected-side.ts';

/**
 * The figures and checks of all cases of a side, one column for each name: with a map for each case, a run of 100,000
 * trials takes many times the memory, and most of the time goes into collecting it.
 */
export class CaseNumbers {
  readonly #figures = new Map<string, ValueColumn>();
  readonly #checks = new Map<string, TallyColumn>();

  addValue(caseIndex: number, name: string, value: number): void {
    entryOf(this.#figures, name, () => new ValueColumn()).add(caseIndex, value);
  }

  addCheck(caseIndex: number, name: string, passed: boolean): void {
    entryOf(this.#checks, name, () => new TallyColumn()).add(caseIndex, passed);
  }

  addTally(caseIndex: number, name: string, tally: Readonly<CheckTally>): void {
    entryOf(this.#checks, name, () => new TallyColumn()).addTally(caseIndex, tally);
  }

  figuresOf(caseIndex: number): CaseFigures {
    return new CaseView(this.#figures, caseIndex);
  }

  checksOf(caseIndex: number): CaseChecks {
    return new CaseView(this.#checks, caseIndex);
  }
}

interface Column<Cell> {
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
  readonly #columns: ReadonlyMap<string, Column<Cell>>;
  readonly #caseIndex: number;

  constructor(columns: ReadonlyMap<string, Column<Cell>>, caseIndex: number) {
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

/** Values in the order in which they come; those of a case are linked, because its repeats need not be neighbours. */
class ValueColumn implements Column<readonly number[]> {
  /** By case: places of its first and its last value; 0 for none. */
  #first: Int32Array = new Int32Array(64);
  #last: Int32Array = new Int32Array(64);
  /** By place, from 1 on. */
  #values: Float64Array = new Float64Array(64);
  #next: Int32Array = new Int32Array(64);
  #count = 0;

  add(caseIndex: number, value: number): void {
    this.#count++;
    this.#first = withRoom(this.#first, caseIndex);
    this.#last = withRoom(this.#last, caseIndex);
    this.#values = withRoom(this.#values, this.#count);
    this.#next = withRoom(this.#next, this.#count);
    this.#values[this.#count] = value;
    const last = this.#last[caseIndex] ?? 0;
    if (last === 0) this.#first[caseIndex] = this.#count;
    else this.#next[last] = this.#count;
    this.#last[caseIndex] = this.#count;
  }

  has(caseIndex: number): boolean {
    return (this.#first[caseIndex] ?? 0) !== 0;
  }

  at(caseIndex: number): number[] | undefined {
    let place = this.#first[caseIndex] ?? 0;
    if (place === 0) return undefined;
    const values: number[] = [];
    for (; place !== 0; place = this.#next[place] ?? 0) values.push(this.#values[place] ?? Number.NaN);
    // A copy takes the room of its values; a list that grows takes that of seventeen, for every case of a comparison.
    return values.slice();
  }
}

const onePassed: CheckTally = { passed: 1, failed: 0 };
const oneFailed: CheckTally = { passed: 0, failed: 1 };

class TallyColumn implements Column<CheckTally> {
  #passed: Int32Array = new Int32Array(64);
  #failed: Int32Array = new Int32Array(64);

  add(caseIndex: number, isPassed: boolean): void {
    this.addTally(caseIndex, isPassed ? onePassed : oneFailed);
  }

  addTally(caseIndex: number, { passed, failed }: Readonly<CheckTally>): void {
    this.#passed = withRoom(this.#passed, caseIndex);
    this.#failed = withRoom(this.#failed, caseIndex);
    this.#passed[caseIndex] = (this.#passed[caseIndex] ?? 0) + passed;
    this.#failed[caseIndex] = (this.#failed[caseIndex] ?? 0) + failed;
  }

  has(caseIndex: number): boolean {
    return (this.#passed[caseIndex] ?? 0) + (this.#failed[caseIndex] ?? 0) > 0;
  }

  at(caseIndex: number): CheckTally | undefined {
    const [passed, failed] = [this.#passed[caseIndex] ?? 0, this.#failed[caseIndex] ?? 0];
    return passed + failed === 0 ? undefined : { passed, failed };
  }
}

function withRoom<Numbers extends Int32Array | Float64Array>(numbers: Numbers, index: number): Numbers {
  if (index < numbers.length) return numbers;
  const larger = new (numbers.constructor as new (length: number) => Numbers)(Math.max(index + 1, numbers.length * 2));
  larger.set(numbers);
  return larger;
}
