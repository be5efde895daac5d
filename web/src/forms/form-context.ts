import { createContext, useContext } from 'react';
import type { DocumentChange, Path } from '../../../src/shared/document-edit/document-change.ts';
import type { FieldProblem } from './field-problems.ts';

/** The shared state of a form's fields. */
export interface FormState {
  readonly problems: readonly FieldProblem[];
  readonly onChange: (change: DocumentChange) => void;
}

/** Given around the fields of one form. */
export const FormContext = createContext<FormState>({ problems: [], onChange: () => undefined });

/** How a field changes the document. */
export function useFormChange(): FormState['onChange'] {
  return useContext(FormContext).onChange;
}

/** The problems of the value at a path, and of values inside of it that have no field. */
export function useFieldError(path: Path, isWithInside: boolean): string | undefined {
  const { problems } = useContext(FormContext);
  const found = problems.filter(
    (problem) => startsWith(problem.path, path) && (isWithInside || problem.path.length === path.length),
  );
  return found.length === 0 ? undefined : [...new Set(found.map(problemText))].join(' ');
}

/** Whether a path leads to another, or into it. */
export function startsWith(path: Path, start: Path): boolean {
  return start.length <= path.length && start.every((key, index) => path[index] === key);
}

function problemText({ message, hint }: FieldProblem): string {
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  return hint === undefined ? sentence : `${sentence} ${hint}`;
}
