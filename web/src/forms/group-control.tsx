import { isRecord } from '../documents/document-change.ts';
import { Button } from '../kit/button.tsx';
import { AnythingControl } from './anything-control.tsx';
import { useFormChange } from './form-context.ts';
import type { GroupField } from './form-field.ts';
import { LabelledGroup } from './labelled.tsx';
import { type FieldProps, SchemaField } from './schema-field.tsx';
import { emptyValue } from './union-branch.ts';

/** Values by their names; one that may be left out takes no room until it is asked for. */
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
      aria-label={`Take ${field.label} out`}
      onClick={() => change({ kind: 'remove', path })}
    >
      Take out
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

/** The fields of a group without a frame around them. */
export function GroupEntries({ field, value, path }: FieldProps<GroupField>) {
  const values = isRecord(value) ? value : {};
  return field.entries.map(({ key, field: inner }) => (
    <SchemaField
      key={key}
      field={inner}
      value={Object.hasOwn(values, key) ? values[key] : undefined}
      path={[...path, key]}
    />
  ));
}
