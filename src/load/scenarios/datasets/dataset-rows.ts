import type { Problem } from '../../../domain/problem.ts';
import type { Case } from '../../../domain/scenario.ts';
import { comparesWithExpected, isBlank } from '../../../score/evaluators/assertions/text/answer-text.ts';
import { isRecord } from '../../../shared/json.ts';
import { nearestName } from '../../../shared/suggest.ts';
import type { ParsedSource } from '../../sources/parsed-source.ts';
import { problemsOf } from '../../sources/schema-problems.ts';
import { type Row, rowSchema } from './dataset-schema.ts';
import type { RawRow } from './raw-row.ts';

/** The problem of a case whose empty `expected` any answer would fit; undefined where it has none. */
export function blankExpected({ expected, evaluators }: Case): Pick<Problem, 'message' | 'hint'> | undefined {
  if (![expected].flat().some(isBlank)) return undefined;
  const comparing = evaluators.find(comparesWithExpected);
  return (
    comparing && {
      message: `\`expected\` is empty, but \`${comparing.type}\` compares the answer with it`,
      hint: 'Write a text into it, or set `text` in the config of the evaluator.',
    }
  );
}

/** Makes a case of a checked row. */
export type RowToCase = (row: Row, rowNumber: number) => Case;

/** Further checks of a scenario on a valid row. */
export type RowProblems = (row: Row, source: () => ParsedSource) => readonly Problem[];

/** Distinctive names: an input key close to one is a misspelling. */
const distinctiveKeys = ['passCriteria', 'failCriteria', 'expectedBehavior'];

/** Columns that name clusters where the scenario declares none: rows that were made from one template resemble each other. */
const usualClusterColumns = ['cluster', 'template'];

/** The rows of one dataset, each checked by itself and against those before it. */
export class DatasetRows {
  readonly #toCase: RowToCase;
  readonly #problemsOf: RowProblems;
  /** The declared column that names the cluster of a row. */
  readonly #cluster: string | undefined;
  /** Read once: a schema that is made on first use is slow to look at. A column `cluster` may be for the tool too. */
  readonly #rowKeys = new Set(Object.keys(rowSchema.shape).filter((key) => key !== 'cluster'));
  readonly #namedIds = new Set<string>();
  readonly #harmlessKeys = new Set<string>();

  constructor(toCase: RowToCase, problemsOf: RowProblems, cluster?: string) {
    this.#cluster = cluster;
    this.#toCase = toCase;
    this.#problemsOf = problemsOf;
  }

  /** The case of a row that has been checked before. */
  read(raw: RawRow, rowNumber: number): Case {
    return this.#caseOf(raw, this.#unchecked(raw), rowNumber);
  }

  /** The case of a row, or its problems. */
  check(raw: RawRow, rowNumber: number): Case | readonly Problem[] {
    const flaw = raw.flaw?.();
    if (flaw) return [flaw];
    const misspelt = 'input' in raw.value ? [] : this.#misspellings(raw);
    // A row that is only an input needs no check.
    const isInput = !Object.keys(raw.value).some((key) => this.#rowKeys.has(key));
    const row = isInput ? undefined : rowSchema.safeParse(this.#withInput(raw.value));
    if (row?.error) return [...misspelt, ...problemsOf(row.error, raw.source(), rowSchema)];
    if (misspelt.length > 0) return misspelt;
    const data = row ? row.data : this.#unchecked(raw);
    const problems = this.#problemsOf(data, raw.source);
    if (problems.length > 0) return problems;
    const read = this.#caseOf(raw, data, rowNumber);
    if (this.#cluster !== undefined && read.cluster === undefined) return [this.#withoutCluster(raw, this.#cluster)];
    const blank = blankExpected(read);
    if (blank) return [{ at: raw.source().locate(['expected']), ...blank }];
    if (row?.data.name !== undefined || row?.data.id !== undefined) {
      if (this.#namedIds.has(read.caseId)) return [this.#duplicate(raw, read.caseId)];
      this.#namedIds.add(read.caseId);
    }
    if (read.evaluators.length > 0) return read;
    const hint = 'Add criteria to the row, or criteria or evaluators to the scenario.';
    return [{ at: raw.source().locate([]), message: 'this row has no criteria and no evaluators', hint }];
  }

  #caseOf({ value }: RawRow, row: Row, rowNumber: number): Case {
    const read = this.#toCase(row, rowNumber);
    const columns = this.#cluster === undefined ? usualClusterColumns : [this.#cluster];
    const cluster = columns.map((column) => cellOf(value, column)).find((cell) => cell !== undefined);
    return cluster === undefined ? read : { ...read, cluster };
  }

  #withoutCluster({ source }: RawRow, column: string): Problem {
    return {
      at: source().locate([]),
      message: `the row has no text or number in \`${column}\`, which \`cluster\` names`,
      hint: 'Give every row a value: rows with the same one count as one unit in comparisons.',
    };
  }

  #duplicate({ value, source }: RawRow, caseId: string): Problem {
    const key = value.name === undefined ? 'id' : 'name';
    return {
      at: source().locate([key]),
      message: `duplicate ${key} "${caseId}"`,
      hint: `Give each row its own ${key}: results are paired by it.`,
    };
  }

  #misspellings(raw: RawRow): Problem[] {
    return Object.keys(raw.value).flatMap((key) => {
      if (this.#rowKeys.has(key) || this.#harmlessKeys.has(key)) return [];
      const meant = nearestName(key, distinctiveKeys);
      if (meant !== undefined)
        return [
          {
            at: raw.source().locateKey([], key),
            message: `unknown key \`${key}\``,
            hint: `Did you mean \`${meant}\`?`,
          },
        ];
      this.#harmlessKeys.add(key);
      return [];
    });
  }

  /** A row that has been checked before. */
  #unchecked(raw: RawRow): Row {
    const row: unknown = { passCriteria: [], failCriteria: [], ...this.#withInput(raw.value) };
    return row as Row;
  }

  /** A row without `input` is an input itself, except for the reserved keys. */
  #withInput(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    if ('input' in value) return value;
    const input: Record<string, unknown> = {};
    const row: Record<string, unknown> = { input };
    for (const key of Object.keys(value)) (this.#rowKeys.has(key) ? row : input)[key] = value[key];
    return row;
  }
}

/** `topic=refunds`: the cell of a column, which may be a part of the input or of the metadata. */
function cellOf(row: Readonly<Record<string, unknown>>, column: string): string | undefined {
  const parts = [row, row.input, row.metadata].filter(isRecord);
  const value = parts.find((part) => Object.hasOwn(part, column))?.[column];
  const isNamed = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return isNamed ? `${column}=${value}` : undefined;
}
