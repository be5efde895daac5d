import { useState } from 'react';
import type { Path } from '../../../src/shared/document-edit/document-change.ts';
import { isRecord } from '../../../src/shared/json.ts';
import { InnerField, useFormChange } from './form-context.tsx';
import type { FieldProps, ListField } from './form-field.ts';
import { AddButton, BigItem, ItemButtons, isSmall } from './items.tsx';
import { Labelled, LabelledGroup } from './labelled.tsx';
import { TextControl } from './simple-controls.tsx';
import { emptyValue } from './union-branch.ts';

/** Items one below the other, each of which can be moved and taken out. */
export function ListControl({ field, value, path, isBare }: FieldProps<ListField>) {
  const change = useFormChange();
  const [countAtFirst] = useState(Array.isArray(value) ? value.length : 0);
  if (value !== undefined && value !== null && !Array.isArray(value))
    return <NoList field={field} value={value} path={path} />;
  const items: readonly unknown[] = value ?? [];
  const add = (): void => change({ kind: 'insert', path, index: items.length, value: emptyValue(field.item) });
  return (
    <LabelledGroup field={field} path={path} isBare={isBare}>
      {items.length > 0 && (
        <ol className="flex flex-col gap-2">
          {items.map((item, index) => (
            <ListItem
              // Items have no name, so the index is their key.
              key={`${field.label} ${index + 1}`}
              field={field}
              item={item}
              index={index}
              count={items.length}
              path={path}
              isOpenAtFirst={items.length === 1 || index >= countAtFirst}
            />
          ))}
        </ol>
      )}
      <AddButton label={field.label} onClick={add} />
    </LabelledGroup>
  );
}

function ListItem({
  field,
  item,
  index,
  count,
  path,
  isOpenAtFirst,
}: {
  field: ListField;
  item: unknown;
  index: number;
  count: number;
  path: Path;
  isOpenAtFirst: boolean;
}) {
  const change = useFormChange();
  const name = `${field.label} ${index + 1}`;
  const itemPath = [...path, index];
  const control = <InnerField field={{ ...field.item, label: name }} value={item} path={itemPath} isBare />;
  const buttons = (
    <ItemButtons
      name={name}
      index={index}
      count={count}
      onMove={(to) => change({ kind: 'move', path, from: index, to })}
      onRemove={() => change({ kind: 'remove', path: itemPath })}
    />
  );
  if (isSmall(field.item)) {
    return (
      <li className="flex items-start gap-1">
        {control}
        {buttons}
      </li>
    );
  }
  const title = titleOf(item);
  const head = `${index + 1}. ${title}`;
  return (
    <BigItem
      title={title === '' ? name : `${name}: ${title}`}
      head={head}
      path={itemPath}
      isOpenAtFirst={isOpenAtFirst}
      buttons={buttons}
    >
      {control}
    </BigItem>
  );
}

/** The title of an item, if it has one. */
function titleOf(item: unknown): string {
  const name = isRecord(item) ? (item.name ?? item.id ?? item.description ?? item.user ?? item.content) : undefined;
  return typeof name === 'string' ? name : '';
}

/** A single value in place of a list, as some files have it. */
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
          <span className="text-sm text-muted">This form cannot show the value; see the text of the file.</span>
        </Labelled>
      )}
      <AddButton
        label={field.label}
        onClick={() => change({ kind: 'set', path, value: [value, emptyValue(field.item)] })}
      />
    </div>
  );
}

function pickInfo({ label, description, fallback, isRequired }: ListField) {
  return { label, description, fallback, isRequired };
}
