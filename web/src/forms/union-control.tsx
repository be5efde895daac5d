import { Select } from '../kit/field.tsx';
import { useFormChange } from './form-context.ts';
import type { FormField, UnionField } from './form-field.ts';
import { GroupEntries } from './group-control.tsx';
import { LabelledGroup } from './labelled.tsx';
import { type FieldProps, SchemaField } from './schema-field.tsx';
import { branchOf, emptyValue } from './union-branch.ts';

const none = 'none';

/** A value of one of several shapes, and the choice between them. */
export function UnionControl({ field, value, path, isBare }: FieldProps<UnionField>) {
  const change = useFormChange();
  const isUnset = value === undefined && !field.isRequired;
  const chosen = branchOf(field, value);
  const branch = field.branches[chosen];
  const choose = (key: string): void => {
    const next = field.branches[Number(key)]?.field;
    if (key === none || next === undefined) change({ kind: 'remove', path });
    else if (Number(key) !== chosen || value === undefined)
      change({ kind: 'set', path, value: converted(value, next) });
  };
  const options = field.branches.map(({ label }, index) => ({ value: String(index), label }));
  const shape = (
    <Select
      label={`Kind of ${field.label}`}
      options={field.isRequired ? options : [{ value: none, label: 'not set' }, ...options]}
      value={isUnset ? none : String(chosen)}
      onChange={choose}
    />
  );
  return (
    <LabelledGroup field={field} path={path} isBare={isBare} actions={shape}>
      {isBare && <div>{shape}</div>}
      {!isUnset && branch !== undefined && <Branch field={branch.field} value={value} path={path} />}
    </LabelledGroup>
  );
}

function Branch({ field, value, path }: FieldProps) {
  if (field.kind !== 'group') return <SchemaField field={field} value={value} path={path} isBare />;
  return (
    <div className="flex flex-col gap-3 border-l-2 border-line pl-3">
      <GroupEntries field={field} value={value} path={path} />
    </div>
  );
}

/** What is there goes on as far as the new shape can hold it. */
function converted(value: unknown, next: FormField): unknown {
  if (next.kind === 'list' && typeof value === 'string') return [value];
  if (next.kind === 'text' && Array.isArray(value) && typeof value[0] === 'string') return value[0];
  return emptyValue(next);
}
