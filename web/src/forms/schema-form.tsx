import { useMemo } from 'react';
import type { DocumentChange, Path } from '../../../src/shared/document-edit/document-change.ts';
import { type FieldProblem, fieldProblems, mergedProblems } from './field-problems.ts';
import { FormContext } from './form-context.tsx';
import type { FieldProps, FormField } from './form-field.ts';
import { GroupControl, GroupEntries, UnionControl } from './group-control.tsx';
import { ListControl } from './list-control.tsx';
import { RecordControl } from './record-control.tsx';
import { AnythingControl, ChoiceControl, NumberControl, SwitchControl, TextControl } from './simple-controls.tsx';
import { isTags, TagsControl } from './tags-control.tsx';

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
    () => ({ problems: mergedProblems(fieldProblems(field, value, path), problems), onChange, Control: FieldControl }),
    [field, value, path, problems, onChange],
  );
  return (
    <FormContext value={state}>
      <div className="flex flex-col gap-4">
        {field.kind === 'group' ? (
          <GroupEntries field={field} value={value} path={path} isBare={isBare} />
        ) : (
          <FieldControl field={field} value={value} path={path} />
        )}
      </div>
    </FormContext>
  );
}

/** The control of a field by its kind: the one place that names them all. */
function FieldControl({ field, ...rest }: FieldProps) {
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
      return isTags(field, rest.value, rest.path) ? (
        <TagsControl field={field} {...rest} />
      ) : (
        <ListControl field={field} {...rest} />
      );
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
