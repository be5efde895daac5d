import type { Grid, GridRow } from '../../../../../src/entry/server/api/grid.ts';
import { figureLabel } from '../../../../../src/report/compare/figure-words.ts';
import { isRecord, parseJson } from '../../../../../src/shared/json.ts';
import { markUnsafeIntegers } from '../../../../../src/shared/json-digits.ts';

/** A column of the grid beside the case and its trials. */
export interface GridColumn {
  /** As the address names it: `input`, `v:` and a variable of the input, `e:` and an evaluator, `m:` and a metric. */
  readonly key: string;
  readonly label: string;
  /** By which the server can sort. */
  readonly sort: string | undefined;
}

const texts: readonly GridColumn[] = [
  { key: 'input', label: 'Input', sort: undefined },
  { key: 'expected', label: 'Expected', sort: undefined },
  { key: 'variant', label: 'Variant', sort: undefined },
  { key: 'answer', label: 'Answer', sort: undefined },
];
const figures: readonly GridColumn[] = [
  { key: 'duration', label: 'Mean time', sort: 'duration' },
  { key: 'cost', label: 'Mean cost', sort: 'cost' },
];
const label: GridColumn = { key: 'label', label: 'Rating', sort: undefined };

/** So many columns of evaluators and metrics are shown unless others are chosen, which only the address does in a report. */
const usualEvaluators = isReport ? 16 : 5;
const usualMetrics = isReport ? 8 : 3;

/** All columns that the loaded cases have, in the order in which they are shown. */
export function allColumns(pages: readonly Grid[]): GridColumn[] {
  const names = (kind: 'evaluators' | 'metrics'): string[] => [
    ...new Set(pages.flatMap(({ columns }) => columns[kind])),
  ];
  const variables = new Set(
    pages.flatMap(({ items }) => items.flatMap(({ input }) => Object.keys(variablesIn(input)))),
  );
  const [input, ...others] = texts;
  return [
    ...(input ? [input] : []),
    ...[...variables].map((name) => ({ key: `v:${name}`, label: name, sort: undefined })),
    ...others,
    ...names('evaluators').map((name) => ({ key: `e:${name}`, label: name, sort: `e:${name}` })),
    ...names('metrics').map((name) => ({ key: `m:${name}`, label: figureLabel(name), sort: `m:${name}` })),
    ...figures,
    ...(isReport ? [] : [label]),
  ];
}

/** The columns that the address names; without it, those that say something about these cases. */
export function chosenColumns(all: readonly GridColumn[], rows: readonly GridRow[], written?: string): GridColumn[] {
  if (written !== undefined) {
    const keys = new Set(written.split(',').map(decoded));
    return all.filter(({ key }) => keys.has(key));
  }
  const variables = all.filter(({ key }) => key.startsWith('v:'));
  const hasVariables = variables.length > 0 && variables.length <= mostVariables && rows.every(isOfVariables);
  const isUseful: Readonly<Record<string, boolean>> = {
    ...Object.fromEntries(variables.map(({ key }) => [key, hasVariables])),
    input: !hasVariables,
    expected: rows.some(({ expected }) => expected !== null),
    variant: rows.some(({ arms }) => arms.length > 1),
    cost: rows.some(({ arms }) => arms.some(({ costUsd }) => (costUsd ?? 0) > 0)),
  };
  let [evaluators, metrics] = [0, 0];
  return all.filter(({ key }) => {
    if (key.startsWith('e:')) return ++evaluators <= usualEvaluators;
    if (key.startsWith('m:')) return ++metrics <= usualMetrics;
    return isUseful[key] ?? true;
  });
}

/** More variables than this are one column, as they are written. */
const mostVariables = 3;

function isOfVariables({ input }: GridRow): boolean {
  return Object.keys(variablesIn(input)).length > 0;
}

/** The values of an input by their names, as texts; empty where it is not made of named values, or is cut. */
export function variablesIn(input: string | null): Readonly<Record<string, string>> {
  // Integers that a number cannot hold are texts with all of their digits.
  const value = input?.startsWith('{') ? parseJson(markUnsafeIntegers(input, '')) : undefined;
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, typeof one === 'string' ? one : JSON.stringify(one)]),
  );
}

/** The columns as the address has them; names may hold commas. */
export function writtenColumns(keys: readonly string[]): string {
  return keys.map((key) => key.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');
}

function decoded(key: string): string {
  return key.replaceAll('%2C', ',').replaceAll('%25', '%');
}

/** A line of the grid: a case under one variant. */
export interface GridLine {
  readonly row: GridRow;
  readonly arm: GridRow['arms'][number];
  /** Whether it is the first of its case, which shows what its lines share. */
  readonly isFirst: boolean;
}

/** The lines of the loaded cases; a case that moved to another page while a run goes on is shown once. */
export function gridLines(pages: readonly Grid[]): GridLine[] {
  const listed = new Set<string>();
  return pages.flatMap(({ items }) =>
    items.flatMap((row) => {
      const key = JSON.stringify([row.file, row.scenario, row.caseId]);
      if (listed.has(key)) return [];
      listed.add(key);
      return row.arms.map((arm, index) => ({ row, arm, isFirst: index === 0 }));
    }),
  );
}
