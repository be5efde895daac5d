import { useMemo } from 'react';
import type { DocumentChange, Path } from '../../../src/shared/document-edit/document-change.ts';
import { type FieldProblem, fieldProblems, mergedProblems } from './field-problems.ts';
import { FormContext } from './form-context.ts';
import type { FormField } from './form-field.ts';
import { GroupControl, GroupEntries, UnionControl } from './group-control.tsx';
import { ListControl } from './list-control.tsx';
import { RecordControl } from './record-control.tsx';
import { AnythingControl, ChoiceControl, NumberControl, SwitchControl, TextControl } from './simple-controls.tsx';

/** A value with its place in the document, and the field that shows it. */
export interface FieldProps<Field extends FormField = FormField> {
  readonly field: Field;
  readonly value: unknown;
  readonly path: Path;
  /** Its label stands elsewhere already: here it is only heard. */
  readonly isBare?: boolean | undefined;
}

/** The field of a form for a value of any shape. */
export function SchemaField({ field, ...rest }: FieldProps) {
  switch (field.kind) {
    case 'text':
      return <TextControl field={field} {...rest} />;
    case 'number':
      return <NumberControl field={field} {...rest} />;
    case 'switch':
      return <SwitchControl field={field} {...rest} />;
    case 'choice':
      return <ChoiceControl field={field} {...rest} />;
    case 'list':
      return <ListControl field={field} {...rest} />;
    case 'group':
      return <GroupControl field={field} {...rest} />;
    case 'record':
      return <RecordControl field={field} {...rest} />;
    case 'union':
      return <UnionControl field={field} {...rest} />;
    case 'anything':
      return <AnythingControl field={field} {...rest} />;
  }
}

/** A form for a value: problems by the schema are shown at once, those of the server beside them. */
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
