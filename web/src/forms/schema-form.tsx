import { useMemo } from 'react';
import type { DocumentChange, Path } from '../documents/document-change.ts';
import { type FieldProblem, fieldProblems } from './field-problems.ts';
import { FormContext } from './form-context.ts';
import type { FormField } from './form-field.ts';
import { GroupEntries } from './group-control.tsx';
import { mergedProblems } from './merged-problems.ts';
import { SchemaField } from './schema-field.tsx';

/** A form for a value: what the schema says is told at once, what the server says beside it. */
export function SchemaForm({
  field,
  value,
  path = [],
  problems,
  onChange,
  isBare = false,
}: {
  field: FormField;
  value: unknown;
  path?: Path;
  problems: readonly FieldProblem[];
  onChange: (change: DocumentChange) => void;
  /** The labels of its fields stand around it already. */
  isBare?: boolean;
}) {
  const state = useMemo(
    () => ({ problems: mergedProblems(fieldProblems(field, value, path), problems), onChange }),
    [field, value, path, problems, onChange],
  );
  return (
    <FormContext value={state}>
      <div className="flex flex-col gap-4">
        {field.kind === 'group' ? (
          <GroupEntries field={field} value={value} path={path} isBare={isBare} />
        ) : (
          <SchemaField field={field} value={value} path={path} />
        )}
      </div>
    </FormContext>
  );
}
