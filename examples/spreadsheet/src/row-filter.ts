import type { Operation } from './arguments.ts';
import { cellText } from './cell-text.ts';
import { failures } from './failures.ts';
import { findColumn } from './find-column.ts';

/** The comparisons a filter can make; text is compared exactly, with upper and lower case apart. */
export const FILTER_OPERATORS = ['equals', 'contains', 'greaterThan', 'lessThan', 'startsWith', 'endsWith'] as const;

type FilterOperator = (typeof FILTER_OPERATORS)[number];

const comparisons: Record<FilterOperator, (cell: string, wanted: string) => boolean> = {
  equals: (cell, wanted) => cell === wanted,
  contains: (cell, wanted) => cell.includes(wanted),
  greaterThan: (cell, wanted) => order(cell, wanted) > 0,
  lessThan: (cell, wanted) => order(cell, wanted) < 0,
  startsWith: (cell, wanted) => cell.startsWith(wanted),
  endsWith: (cell, wanted) => cell.endsWith(wanted),
};

/** Turns a filter operation into a test of one row. */
export function rowFilter(headers: readonly string[], operation: Operation): (row: readonly string[]) => boolean {
  const { column, operator, wanted } = readCondition(headers, operation);
  const compare = comparisons[operator];
  return (row) => compare(row[column] ?? '', wanted);
}

interface Condition {
  readonly column: number;
  readonly operator: FilterOperator;
  readonly wanted: string;
}

function readCondition(headers: readonly string[], operation: Operation): Condition {
  const { columnIndex, filterColumn, filterOperator, filterValue, filterExpression } = operation;
  if (filterExpression !== undefined) {
    const others = [columnIndex, filterColumn, filterOperator, filterValue];
    if (others.some((field) => field !== undefined)) throw failures.filterConflict();
    return parseExpression(headers, filterExpression);
  }
  const column = findColumn(headers, columnIndex, filterColumn);
  if (column === undefined) throw failures.filterColumnMissing();
  if (filterOperator === undefined || filterValue === undefined) throw failures.filterConditionMissing();
  return { column, operator: filterOperator, wanted: cellText(filterValue) };
}

// Each side is one bare word or one quoted text, so "a equals 1 and b equals 2" is refused, not misread.
const EXPRESSION =
  /^\s*(?:"(?<quotedName>[^"]+)"|(?<name>[^\s"]+))\s+(?<operator>\w+)\s+(?:"(?<quotedValue>[^"]*)"|(?<value>[^\s"]+))\s*$/;

function parseExpression(headers: readonly string[], expression: string): Condition {
  const parts = EXPRESSION.exec(expression)?.groups;
  const operator = FILTER_OPERATORS.find((known) => known === parts?.operator);
  const column = findColumn(headers, undefined, parts?.quotedName ?? parts?.name);
  if (operator === undefined || column === undefined) throw failures.filterExpression(expression, FILTER_OPERATORS);
  return { column, operator, wanted: parts?.quotedValue ?? parts?.value ?? '' };
}

function order(left: string, right: string): number {
  if (isNumeric(left) && isNumeric(right)) return Number(left) - Number(right);
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function isNumeric(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}
