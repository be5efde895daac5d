import type { Variant } from '../../domain/variant.ts';
import { NumberColumn } from '../../shared/number-column.ts';
import type { Rows } from '../../shared/rows.ts';
import { type PackedTexts, TextList, TextTable } from '../../shared/text-table.ts';
import { CaseNumbers, type PackedNumbers } from './case-numbers.ts';
import type { CollectedCase, ExampleTrial } from './collected-side.ts';

type Ending = 'passed' | 'failed' | 'unjudged';

/** Cases of one scenario under one variant. */
interface CaseGroup {
  readonly scenario: string;
  readonly variant: Variant;
}

/** From so many reasons on only their beginnings are kept: a reader does not get so far. */
const mostWholeReasons = 20_000;
const mostLettersBeyond = 120;

type PackedEndings = Readonly<Record<Ending, Int32Array>>;

/** As another process can take it. */
export interface PackedTable {
  readonly groups: readonly CaseGroup[];
  readonly groupOf: Int32Array;
  readonly keys: PackedTexts;
  readonly clusters: PackedTexts;
  readonly clusterOf: Int32Array;
  readonly tallies: PackedEndings;
  readonly examples: PackedEndings;
  readonly trialIds: PackedTexts;
  readonly reasons: PackedTexts;
  readonly reasonOf: Int32Array;
  readonly numbers: PackedNumbers;
}

/** The cases of a side in columns: an object for each case of a large run would take many times the memory. */
export class CaseTable implements Rows<CollectedCase> {
  readonly #groups: CaseGroup[];
  readonly #groupOf: NumberColumn;
  /** The ids of the cases, with the number of the group in front. */
  readonly #keys: TextTable;
  readonly #clusters: TextTable;
  /** By case: 1 + the place of its cluster. */
  readonly #clusterOf: NumberColumn;
  readonly #tallies: Readonly<Record<Ending, NumberColumn>>;
  /** By case: 1 + the place of the first trial that ended so. */
  readonly #examples: Readonly<Record<Ending, NumberColumn>>;
  readonly #trialIds: TextList;
  readonly #reasons: TextTable;
  /** By place of the trial. */
  readonly #reasonOf: NumberColumn;
  readonly numbers: CaseNumbers;

  constructor(packed?: PackedTable) {
    const column = (numbers: Int32Array = new Int32Array()) => NumberColumn.unpacked(numbers);
    this.#groups = [...(packed?.groups ?? [])];
    this.#groupOf = column(packed?.groupOf);
    this.#keys = new TextTable(packed?.keys);
    this.#clusters = new TextTable(packed?.clusters);
    this.#clusterOf = column(packed?.clusterOf);
    this.#tallies = byEnding((ending) => column(packed?.tallies[ending]));
    this.#examples = byEnding((ending) => column(packed?.examples[ending]));
    this.#trialIds = new TextList(packed?.trialIds);
    this.#reasons = new TextTable(packed?.reasons);
    this.#reasonOf = column(packed?.reasonOf);
    this.numbers = new CaseNumbers(packed?.numbers);
  }

  pack(): PackedTable {
    return {
      groups: this.#groups,
      groupOf: this.#groupOf.pack(),
      keys: this.#keys.pack(),
      clusters: this.#clusters.pack(),
      clusterOf: this.#clusterOf.pack(),
      tallies: byEnding((ending) => this.#tallies[ending].pack()),
      examples: byEnding((ending) => this.#examples[ending].pack()),
      trialIds: this.#trialIds.pack(),
      reasons: this.#reasons.pack(),
      reasonOf: this.#reasonOf.pack(),
      numbers: this.numbers.pack(),
    };
  }

  get length(): number {
    return this.#keys.length;
  }

  at(index: number): CollectedCase | undefined {
    return index < this.length ? new CaseOfTable(this, index) : undefined;
  }

  *[Symbol.iterator](): Generator<CollectedCase, void> {
    for (let index = 0; index < this.length; index++) yield new CaseOfTable(this, index);
  }

  /** The number of a group, for `caseOf`. */
  addGroup(group: CaseGroup): number {
    return this.#groups.push(group) - 1;
  }

  /** The number of a case, in the order in which they come. */
  caseOf(group: number, caseId: string, cluster: string | undefined): number {
    const index = this.#keys.add(`${group} ${caseId}`);
    if (group !== 0) this.#groupOf.set(index, group);
    if (cluster !== undefined && this.#clusterOf.at(index) === 0)
      this.#clusterOf.set(index, this.#clusters.add(cluster) + 1);
    return index;
  }

  count(index: number, ending: Ending, trials: number): void {
    this.#tallies[ending].add(index, trials);
  }

  /** Keeps the trial if it is the first of the case that ended so. */
  addExample(index: number, ending: Ending, trial: ExampleTrial): void {
    if (this.#examples[ending].at(index) !== 0) return;
    const place = this.#trialIds.add(trial.trialId);
    const isWhole = this.#reasons.length < mostWholeReasons || trial.reason.length <= mostLettersBeyond;
    this.#reasonOf.set(
      place,
      this.#reasons.add(isWhole ? trial.reason : `${trial.reason.slice(0, mostLettersBeyond)}…`),
    );
    this.#examples[ending].set(index, place + 1);
  }

  groupOf(index: number): CaseGroup {
    return this.#groups[this.#groupOf.at(index)] as CaseGroup;
  }

  caseIdOf(index: number): string {
    const key = this.#keys.at(index);
    return key.slice(key.indexOf(' ') + 1);
  }

  clusterOf(index: number): string | undefined {
    const place = this.#clusterOf.at(index);
    return place === 0 ? undefined : this.#clusters.at(place - 1);
  }

  tallyOf(index: number, ending: Ending): number {
    return this.#tallies[ending].at(index);
  }

  exampleOf(index: number, ending: Ending): ExampleTrial | null {
    const place = this.#examples[ending].at(index) - 1;
    if (place < 0) return null;
    return { trialId: this.#trialIds.at(place), reason: this.#reasons.at(this.#reasonOf.at(place)) };
  }
}

function byEnding<Value>(make: (ending: Ending) => Value): Record<Ending, Value> {
  return { passed: make('passed'), failed: make('failed'), unjudged: make('unjudged') };
}

/** A case as it is read from the columns. */
class CaseOfTable implements CollectedCase {
  readonly #table: CaseTable;
  readonly #index: number;

  constructor(table: CaseTable, index: number) {
    this.#table = table;
    this.#index = index;
  }

  get scenario(): string {
    return this.#table.groupOf(this.#index).scenario;
  }

  get variant(): Variant {
    return this.#table.groupOf(this.#index).variant;
  }

  get caseId(): string {
    return this.#table.caseIdOf(this.#index);
  }

  get cluster(): string | undefined {
    return this.#table.clusterOf(this.#index);
  }

  get passed(): number {
    return this.#table.tallyOf(this.#index, 'passed');
  }

  get failed(): number {
    return this.#table.tallyOf(this.#index, 'failed');
  }

  get unjudged(): number {
    return this.#table.tallyOf(this.#index, 'unjudged');
  }

  get figures(): CollectedCase['figures'] {
    return this.#table.numbers.figuresOf(this.#index);
  }

  get checks(): CollectedCase['checks'] {
    return this.#table.numbers.checksOf(this.#index);
  }

  get verdicts(): CollectedCase['verdicts'] {
    return this.#table.numbers.verdictsOf(this.#index);
  }

  get success(): ExampleTrial | null {
    return this.#table.exampleOf(this.#index, 'passed');
  }

  get failure(): ExampleTrial | null {
    return this.#table.exampleOf(this.#index, 'failed');
  }

  get unjudgedTrial(): ExampleTrial | null {
    return this.#table.exampleOf(this.#index, 'unjudged');
  }
}
