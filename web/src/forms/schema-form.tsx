import { type KeyboardEvent, useMemo, useState } from 'react';
import type { DocumentChange, Path } from '../../../src/shared/document-edit/document-change.ts';
import { Chip } from '../kit/badge.tsx';
import { TextInput } from '../kit/field.tsx';
import { type FieldProblem, fieldProblems, mergedProblems } from './field-problems.ts';
import { FormContext, useFormChange } from './form-context.tsx';
import type { FieldProps, FormField, ListField } from './form-field.ts';
import { GroupControl, GroupEntries, UnionControl } from './group-control.tsx';
import { LabelledGroup } from './labelled.tsx';
import { ListControl } from './list-control.tsx';
import { RecordControl } from './record-control.tsx';
import { AnythingControl, ChoiceControl, NumberControl, SwitchControl, TextControl } from './simple-controls.tsx';

/** A form for a value: problems by the schema are shown at once, those of the server beside them. */
export function SchemaForm({
  field,
  value,
  path = [],
  problems,
  onChange,
  isBare = false,
  isUntouched = false,
}: {
  field: FormField;
  value: unknown;
  path?: Path;
  problems: readonly FieldProblem[];
  onChange: (change: DocumentChange) => void;
  /** The labels of its fields stand around it already. */
  isBare?: boolean;
  /** Nothing was typed yet: what is missing is not a mistake. */
  isUntouched?: boolean;
}) {
  const state = useMemo(
    () => ({
      problems: mergedProblems(isUntouched ? [] : fieldProblems(field, value, path), problems),
      onChange,
      Control: FieldControl,
    }),
    [field, value, path, problems, onChange, isUntouched],
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

/** Whether a field holds tags, which are short words that need no field each. */
function isTags(field: FormField, value: unknown, path: Path): boolean {
  if (path.at(-1) !== 'tags' || field.kind !== 'list' || field.item.kind !== 'text') return false;
  return (
    value === undefined || value === null || (Array.isArray(value) && value.every((tag) => typeof tag === 'string'))
  );
}

/** Tags as chips, with one field in which more are typed. */
function TagsControl({ field, value, path, isBare }: FieldProps<ListField>) {
  const change = useFormChange();
  const [typed, setTyped] = useState('');
  const tags: readonly string[] = Array.isArray(value) ? value : [];
  const remove = (index: number): void => change({ kind: 'remove', path: [...path, index] });
  const add = (): void => {
    const added = [...new Set(typed.split(',').map((tag) => tag.trim()))].filter(
      (tag) => tag !== '' && !tags.includes(tag),
    );
    setTyped('');
    if (added.length > 0) change({ kind: 'set', path, value: [...tags, ...added] });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault();
      add();
    }
    if (event.key === 'Backspace' && typed === '' && tags.length > 0) remove(tags.length - 1);
  };
  return (
    <LabelledGroup field={field} path={path} isBare={isBare}>
      {tags.length > 0 && (
        <ul className="flex flex-wrap gap-1.5">
          {tags.map((tag, index) => (
            // The same tag may be there twice, so the index is its key.
            <li key={`${index + 1}`}>
              <Chip label={tag || '(empty)'} removeLabel={`Remove the tag ${tag}`} onRemove={() => remove(index)} />
            </li>
          ))}
        </ul>
      )}
      <TextInput
        aria-label={`Add to ${field.label}`}
        placeholder="Type a tag, then Enter"
        value={typed}
        onChange={setTyped}
        onKeyDown={onKeyDown}
        onBlur={add}
        className="max-w-72"
      />
    </LabelledGroup>
  );
}
