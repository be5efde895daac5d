import { Plus } from 'lucide-react';
import { Button } from '../kit/button.tsx';
import { useFormChange } from './form-context.ts';
import type { FormField, ListField } from './form-field.ts';
import { ItemButtons } from './item-buttons.tsx';
import { Labelled, LabelledGroup } from './labelled.tsx';
import { type FieldProps, SchemaField } from './schema-field.tsx';
import { TextControl } from './simple-controls.tsx';
import { emptyValue } from './union-branch.ts';

/** Items one below the other, each of which can be moved and taken out. */
export function ListControl({ field, value, path, isBare }: FieldProps<ListField>) {
  const change = useFormChange();
  if (value !== undefined && value !== null && !Array.isArray(value))
    return <NoList field={field} value={value} path={path} />;
  const items: readonly unknown[] = value ?? [];
  const add = (): void => change({ kind: 'insert', path, index: items.length, value: emptyValue(field.item) });
  return (
    <LabelledGroup field={field} path={path} isBare={isBare}>
      {items.length > 0 && (
        <ol className="flex flex-col gap-2">
          {items.map((item, index) => {
            const name = `${field.label} ${index + 1}`;
            const buttons = (
              <ItemButtons
                name={name}
                index={index}
                count={items.length}
                onMove={(to) => change({ kind: 'move', path, from: index, to })}
                onRemove={() => change({ kind: 'remove', path: [...path, index] })}
              />
            );
            return (
              // Items have no name of their own: the place is what they are known by.
              <li key={name} className={isSmall(field.item) ? 'flex items-start gap-1' : bigItem}>
                <SchemaField field={{ ...field.item, label: name }} value={item} path={[...path, index]} isBare />
                {buttons}
              </li>
            );
          })}
        </ol>
      )}
      <div>
        <Button size="sm" icon={<Plus size={13} aria-hidden />} aria-label={`Add to ${field.label}`} onClick={add}>
          Add
        </Button>
      </div>
    </LabelledGroup>
  );
}

const bigItem = 'flex items-start gap-2 rounded-md border border-line p-3';

function isSmall({ kind }: FormField): boolean {
  return kind === 'text' || kind === 'number' || kind === 'choice' || kind === 'switch';
}

/** One value where a list is asked for, which some files have: shown as it is, and as the list that it stands for. */
function NoList({ field, value, path }: FieldProps<ListField>) {
  const change = useFormChange();
  return (
    <div className="flex flex-col items-start gap-2">
      {field.item.kind === 'text' && typeof value === 'string' ? (
        <div className="w-full">
          <TextControl field={{ ...field.item, ...pickInfo(field) }} value={value} path={path} />
        </div>
      ) : (
        <Labelled field={field} path={path}>
          {(ties) => (
            <span {...ties} className="text-sm text-muted">
              Written in another way; see the text of the file.
            </span>
          )}
        </Labelled>
      )}
      <Button
        size="sm"
        icon={<Plus size={13} aria-hidden />}
        aria-label={`Add to ${field.label}`}
        onClick={() => change({ kind: 'set', path, value: [value, emptyValue(field.item)] })}
      >
        Add
      </Button>
    </div>
  );
}

function pickInfo({ label, description, fallback, isRequired }: ListField) {
  return { label, description, fallback, isRequired };
}
