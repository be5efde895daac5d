import { isRecord } from '../../../src/shared/json.ts';
import { Button } from '../kit/button.tsx';
import { Select } from '../kit/field.tsx';
import { AddField, FieldPlace, useFieldsInUse } from './fields-in-use.tsx';
import { InnerField, useFormChange } from './form-context.tsx';
import type { FieldProps, FormField, GroupField, UnionField } from './form-field.ts';
import { isSmall } from './items.tsx';
import { LabelledGroup } from './labelled.tsx';
import { AnythingControl } from './simple-controls.tsx';
import { branchOf, emptyValue } from './union-branch.ts';

/** Values by their names; one that may be left out is hidden until it is added. */
export function GroupControl({ field, value, path, isBare }: FieldProps<GroupField>) {
  const change = useFormChange();
  if (value !== undefined && value !== null && !isRecord(value)) {
    return <AnythingControl field={{ ...field, kind: 'anything' }} value={value} path={path} />;
  }
  const isOptional = !field.isRequired && path.length > 0;
  if (isOptional && value === undefined) {
    return (
      <LabelledGroup field={field} path={path} isBare={isBare}>
        <div>
          <Button
            size="sm"
            aria-label={`Set ${field.label}`}
            onClick={() => change({ kind: 'set', path, value: emptyValue(field) })}
          >
            Set
          </Button>
        </div>
      </LabelledGroup>
    );
  }
  const remove = isOptional && (
    <Button
      size="sm"
      variant="ghost"
      aria-label={`Remove ${field.label}`}
      onClick={() => change({ kind: 'remove', path })}
    >
      Remove
    </Button>
  );
  return (
    <LabelledGroup field={field} path={path} isBare={isBare} actions={remove}>
      <div className={isBare ? 'flex flex-col gap-3' : 'flex flex-col gap-3 border-l-2 border-line pl-3'}>
        <GroupEntries field={field} value={value} path={path} />
      </div>
    </LabelledGroup>
  );
}

/** The fields of groups of up to so many are shown unset too. */
const mostAtOnce = 3;

/** The fields of a group without a frame around them: those in use, and of a long one a list of what can be added. */
export function GroupEntries({ field, value, path, isBare }: FieldProps<GroupField>) {
  const change = useFormChange();
  const values = isRecord(value) ? value : {};
  const read = (key: string): unknown => (Object.hasOwn(values, key) ? values[key] : undefined);
  const { fields, rest, add } = useFieldsInUse(field.entries, {
    read,
    set: (key, inner) => change({ kind: 'set', path: [...path, key], value: inner }),
    isUsual: () => field.entries.length <= mostAtOnce,
  });
  const of = field.label === '' ? '' : ` of ${field.label}`;
  return (
    <>
      {fields.map(({ key, field: inner }) => (
        <FieldPlace key={key} path={[...path, key]}>
          <InnerField field={inner} value={read(key)} path={[...path, key]} isBare={isBare} />
        </FieldPlace>
      ))}
      <AddField label="Add setting" rest={rest} path={path} groupOf={() => `Settings${of}`} onAdd={add} />
    </>
  );
}

const none = 'none';

/** A value of one of several shapes, and the choice between them. */
export function UnionControl({ field, value, path, isBare }: FieldProps<UnionField>) {
  const change = useFormChange();
  const chosen = branchOf(field, value);
  const branch = field.branches[chosen];
  // A text can be typed at once, and is gone when it is emptied: it needs no other way to be unset.
  const isTyped = branch !== undefined && isSmall(branch.field);
  const isUnset = value === undefined && !field.isRequired && !isTyped;
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
      options={field.isRequired || isTyped ? options : [{ value: none, label: 'not set' }, ...options]}
      value={isUnset ? none : String(chosen)}
      onChange={choose}
    />
  );
  return (
    <LabelledGroup field={field} path={path} isBare={isBare} actions={shape}>
      {isBare && <div>{shape}</div>}
      {!isUnset && branch !== undefined && (
        <Branch field={{ ...branch.field, label: field.label }} value={value} path={path} />
      )}
    </LabelledGroup>
  );
}

function Branch({ field, value, path }: FieldProps) {
  if (field.kind !== 'group') return <InnerField field={field} value={value} path={path} isBare />;
  // The chosen shape already says what has only one value in it.
  const entries = field.entries.filter(({ field: inner }) => inner.kind !== 'choice' || inner.options.length > 1);
  return (
    <div className="flex flex-col gap-3 border-l-2 border-line pl-3">
      <GroupEntries field={{ ...field, entries }} value={value} path={path} />
    </div>
  );
}

/** The value, as far as the new shape can hold it. */
function converted(value: unknown, next: FormField): unknown {
  if (next.kind === 'list' && typeof value === 'string') return [value];
  if (next.kind === 'text' && Array.isArray(value) && typeof value[0] === 'string') return value[0];
  return emptyValue(next);
}
