import { createContext, type ReactElement, useContext } from 'react';
import type { DocumentChange, Path } from '../../../src/shared/document-edit/document-change.ts';
import { type FieldProblem, startsWith } from './field-problems.ts';
import type { FieldProps } from './form-field.ts';

/** The shared state of a form's fields. */
export interface FormState {
  readonly problems: readonly FieldProblem[];
  readonly onChange: (change: DocumentChange) => void;
  /** The control of a field of any kind. */
  readonly Control: (props: FieldProps) => ReactElement | null;
}

/** Given around the fields of one form. */
export const FormContext = createContext<FormState>({ problems: [], onChange: () => undefined, Control: () => null });

/** A field inside of another one. The form supplies its control, so lists and groups need not import every kind. */
export function InnerField(props: FieldProps) {
  const { Control } = useContext(FormContext);
  return <Control {...props} />;
}

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

function problemText({ message, hint }: FieldProblem): string {
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  return hint === undefined ? sentence : `${sentence} ${hint}`;
}
