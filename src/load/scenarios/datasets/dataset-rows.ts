import type { Problem } from '../../../domain/problem.ts';
import type { Case } from '../../../domain/scenario.ts';
import { nearestName } from '../../../shared/suggest.ts';
import type { ParsedSource } from '../../sources/parsed-source.ts';
import { problemsOf } from '../../sources/schema-problems.ts';
import { type Row, rowSchema } from './dataset-schema.ts';
import type { RawRow } from './raw-row.ts';

/** Makes a case of a checked row. */
export type RowToCase = (row: Row, rowNumber: number) => Case;

/** What a scenario finds wrong with a row that is a row like any other. */
export type RowProblems = (row: Row, source: () => ParsedSource) => readonly Problem[];

const rowKeys = new Set(Object.keys(rowSchema.shape));
/** Names that no input has by chance, so that one like them is a slip. */
const tellingKeys = ['passCriteria', 'failCriteria', 'expectedBehavior'];

/** The rows of one dataset, each checked by itself and against those before it. */
export class DatasetRows {
  readonly #toCase: RowToCase;
  readonly #problemsOf: RowProblems;
  readonly #namedIds = new Set<string>();
  readonly #harmlessKeys = new Set<string>();

  constructor(toCase: RowToCase, problemsOf: RowProblems) {
    this.#toCase = toCase;
    this.#problemsOf = problemsOf;
  }

  /** The case of a row that has been found right, and so need not be looked at again. */
  read(raw: RawRow, rowNumber: number): Case {
    return this.#toCase(uncheckedRow(raw), rowNumber);
  }

  /** The case of a row, or all that is wrong with it. */
  check(raw: RawRow, rowNumber: number): Case | readonly Problem[] {
    const flaw = raw.flaw?.();
    if (flaw) return [flaw];
    const slips = 'input' in raw.value ? [] : this.#slips(raw);
    // A row that is nothing but an input has nothing that could be wrong.
    const isInput = !Object.keys(raw.value).some((key) => rowKeys.has(key));
    const row = isInput ? undefined : rowSchema.safeParse(withInput(raw.value));
    if (row?.error) return [...slips, ...problemsOf(row.error, raw.source(), rowSchema)];
    if (slips.length > 0) return slips;
    const data = row ? row.data : uncheckedRow(raw);
    const problems = this.#problemsOf(data, raw.source);
    if (problems.length > 0) return problems;
    const read = this.#toCase(data, rowNumber);
    if (row?.data.name !== undefined || row?.data.id !== undefined) {
      if (this.#namedIds.has(read.caseId)) return [this.#repeated(raw, read.caseId)];
      this.#namedIds.add(read.caseId);
    }
    if (read.evaluators.length > 0) return read;
    const hint = 'Add criteria to the row, or criteria or evaluators to the scenario.';
    return [{ at: raw.source().locate([]), message: 'nothing judges this row', hint }];
  }

  #repeated({ value, source }: RawRow, caseId: string): Problem {
    const key = value.name === undefined ? 'id' : 'name';
    return {
      at: source().locate([key]),
      message: `there is another row with the ${key} "${caseId}"`,
      hint: 'Results are paired by it: give each row its own.',
    };
  }

  #slips(raw: RawRow): Problem[] {
    return Object.keys(raw.value).flatMap((key) => {
      if (rowKeys.has(key) || this.#harmlessKeys.has(key)) return [];
      const meant = nearestName(key, tellingKeys);
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
}

/** A row of which is known that it is right. */
function uncheckedRow(raw: RawRow): Row {
  const row: unknown = { passCriteria: [], failCriteria: [], ...withInput(raw.value) };
  return row as Row;
}

/** A row without `input` is an input itself, but for the keys that have a meaning of their own. */
function withInput(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if ('input' in value) return value;
  const input: Record<string, unknown> = {};
  const row: Record<string, unknown> = { input };
  for (const key of Object.keys(value)) (rowKeys.has(key) ? row : input)[key] = value[key];
  return row;
}
