import type { Path } from '../../../src/shared/document-edit/document-change.ts';
import { isRecord } from '../../../src/shared/json.ts';
import type { FormField, NumberField, TextField } from './form-field.ts';
import { branchOf } from './union-branch.ts';

/** Something wrong with a value of a form, and where. */
export interface FieldProblem {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly severity?: 'error' | 'warning';
}

/** The problems that the form finds itself; the server has the last word. */
export function fieldProblems(field: FormField, value: unknown, path: Path = []): readonly FieldProblem[] {
  if (value === undefined || (value === null && field.kind !== 'choice' && field.kind !== 'union')) {
    const isMissing = field.isRequired && field.fallback === undefined && field.kind !== 'anything';
    return isMissing ? [{ path, message: 'This is required' }] : [];
  }
  switch (field.kind) {
    case 'text':
      return problem(path, textProblem(field, value));
    case 'number':
      return problem(path, numberProblem(field, value));
    case 'switch':
      return problem(path, typeof value === 'boolean' ? undefined : 'This is either true or false');
    case 'choice': {
      const isKnown = field.options.some((option) => option.value === value);
      return problem(path, isKnown ? undefined : `One of: ${field.options.map(({ label }) => label).join(', ')}`);
    }
    case 'list':
      if (!Array.isArray(value)) return problem(path, 'This is a list');
      return [
        ...problem(path, value.length < field.minItems ? `At least ${field.minItems} must be there` : undefined),
        ...value.flatMap((item, index) => fieldProblems(field.item, item, [...path, index])),
      ];
    case 'record':
      if (!isRecord(value)) return problem(path, 'These are values by name');
      return Object.entries(value).flatMap(([key, inner]) => fieldProblems(field.value, inner, [...path, key]));
    case 'group': {
      if (!isRecord(value)) return problem(path, 'These are values by name');
      const keys = field.entries.map(({ key }) => key);
      const unknown = field.isClosed ? Object.keys(value).filter((key) => !keys.includes(key)) : [];
      return [
        ...field.entries.flatMap(({ key, field: inner }) => fieldProblems(inner, value[key], [...path, key])),
        ...unknown.map((key) => ({ path: [...path, key], message: `Unknown setting ${key}` })),
      ];
    }
    case 'union': {
      const branch = field.branches[branchOf(field, value)];
      return branch === undefined ? [] : fieldProblems(branch.field, value, path);
    }
    case 'anything':
      return [];
  }
}

function problem(path: Path, message: string | undefined): readonly FieldProblem[] {
  return message === undefined ? [] : [{ path, message }];
}

function textProblem(field: TextField, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'This is a text';
  if (value.length < field.minLength) return field.minLength === 1 ? 'This cannot be empty' : 'This is too short';
  return field.pattern === undefined || matches(field.pattern, value) ? undefined : `This must match ${field.pattern}`;
}

/** Patterns of the program's own schemas only; one that a browser does not know is left to the server. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

function numberProblem(field: NumberField, value: unknown): string | undefined {
  // A `${VAR}` becomes a number only when the file is read.
  if (typeof value === 'string' && /^\$\{\w+\}$/.test(value)) return undefined;
  if (typeof value !== 'number' || Number.isNaN(value)) return 'This is a number';
  if (field.isInteger && !Number.isInteger(value)) return 'This is a whole number';
  const { minimum, maximum } = field;
  if (minimum !== undefined && (value < minimum || (field.isMinimumOutside && value === minimum))) {
    return field.isMinimumOutside ? `More than ${minimum}` : `At least ${minimum}`;
  }
  return maximum !== undefined && value > maximum ? `At most ${maximum}` : undefined;
}

/** Problems that a form found and those that the server found; of two about the same place, the server's. */
export function mergedProblems(
  own: readonly FieldProblem[],
  reported: readonly FieldProblem[],
): readonly FieldProblem[] {
  const further = own.filter(({ path }) => !reported.some((problem) => startsWith(problem.path, path)));
  // The server reports a missing field at its group, the form at the field.
  const exact = reported.filter(
    ({ path }) => !further.some((problem) => problem.path.length > path.length && startsWith(problem.path, path)),
  );
  return [...further, ...exact];
}

/** Whether a path leads to another, or into it. */
export function startsWith(path: Path, start: Path): boolean {
  return start.length <= path.length && start.every((key, index) => path[index] === key);
}
