import { canonicalJson } from '../shared/json.ts';
import { NumberColumn } from '../shared/number-column.ts';
import type { Rows } from '../shared/rows.ts';
import { TextTable } from '../shared/text-table.ts';
import type { CaseCounts } from './run.ts';

type Place = Pick<CaseCounts, 'file' | 'scenario' | 'variant' | 'cluster' | 'marks'>;
type Tally = Pick<CaseCounts, 'pass' | 'fail' | 'unjudged'>;

/** Names that many cases share, each with its number. */
class Names {
  readonly #numbers = new Map<string, number>();

  get length(): number {
    return this.#numbers.size;
  }

  numberOf(name: string): number {
    const number = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, number);
    return number;
  }
}

/** Counts of cases in columns: an object for each case of a large run would take many times the memory. */
export class CaseCountTable implements Rows<CaseCounts> {
  readonly #places: (Place & { readonly fileNumber: number })[] = [];
  readonly #placeNumbers = new Names();
  readonly #files = new Names();
  readonly #scenarios = new Names();
  /** By row. */
  readonly #placeOf = new NumberColumn();
  readonly #caseOf = new NumberColumn();
  readonly #tallies = { pass: new NumberColumn(), fail: new NumberColumn(), unjudged: new NumberColumn() };
  /** Ids of cases, with the number of the scenario in front. */
  readonly #cases = new TextTable();
  /** Rows that further counts may be added to, by what keeps rows apart. */
  readonly #rows = new TextTable();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  at(row: number): CaseCounts | undefined {
    if (row >= this.#length) return undefined;
    const { fileNumber, ...place } = this.#places[this.#placeOf.at(row)] as Place & { readonly fileNumber: number };
    const caseNumber = this.#caseOf.at(row);
    const key = this.#cases.at(caseNumber);
    return {
      ...place,
      caseId: key.slice(key.indexOf(' ') + 1),
      pass: this.#tallies.pass.at(row),
      fail: this.#tallies.fail.at(row),
      unjudged: this.#tallies.unjudged.at(row),
      caseNumber,
      caseKey: caseNumber * this.#files.length + fileNumber,
    };
  }

  *[Symbol.iterator](): Generator<CaseCounts, void> {
    for (let row = 0; row < this.#length; row++) yield this.at(row) as CaseCounts;
  }

  /** Counts that no other row has the case, the variant and the marks of. */
  append(counts: CaseCounts): void {
    const row = this.#length++;
    this.#placeOf.set(row, this.#placeNumber(counts));
    this.#caseOf.set(row, this.#cases.add(`${this.#scenarios.numberOf(counts.scenario)} ${counts.caseId}`));
    this.#count(row, counts);
  }

  /** Adds counts to those of the same case under the same variant, with the same marks or, `isWhole`, with any. */
  add(counts: CaseCounts, isWhole = false): void {
    const { marks, ...unmarked } = counts;
    const caseNumber = this.#cases.add(`${this.#scenarios.numberOf(counts.scenario)} ${counts.caseId}`);
    const apart = this.#placeNumber({ ...unmarked, cluster: undefined, ...(!isWhole && { marks }) });
    const row = this.#rows.add(`${apart} ${caseNumber}`);
    if (row === this.#length) this.append(counts);
    else {
      this.#count(row, counts);
      if (isWhole) this.#forgetMarks(row);
    }
  }

  #forgetMarks(row: number): void {
    const place = this.#places[this.#placeOf.at(row)];
    if (place) this.#placeOf.set(row, this.#placeNumber({ ...place, marks: undefined }));
  }

  #count(row: number, tally: Tally): void {
    this.#tallies.pass.add(row, tally.pass);
    this.#tallies.fail.add(row, tally.fail);
    this.#tallies.unjudged.add(row, tally.unjudged);
  }

  #placeNumber({ file, scenario, variant, cluster, marks }: Place): number {
    const number = this.#placeNumbers.numberOf(
      canonicalJson([file, scenario, variant, cluster ?? null, marks ?? null]),
    );
    if (number === this.#places.length) {
      const fileNumber = this.#files.numberOf(file);
      const rare = { ...(cluster !== undefined && { cluster }), ...(marks !== undefined && { marks }) };
      this.#places.push({ file, scenario, variant, ...rare, fileNumber });
    }
    return number;
  }
}
