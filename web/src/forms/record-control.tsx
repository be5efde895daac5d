import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { isRecord } from '../../../src/shared/json.ts';
import { Button } from '../kit/button.tsx';
import { TextInput } from '../kit/field.tsx';
import { InnerField, useFormChange } from './form-context.tsx';
import type { FieldProps, RecordField } from './form-field.ts';
import { AddButton, BigItem, isSmall } from './items.tsx';
import { LabelledGroup } from './labelled.tsx';
import { AnythingControl } from './simple-controls.tsx';
import { emptyValue } from './union-branch.ts';

/** Values under names that people choose. */
export function RecordControl({ field, value, path, isBare }: FieldProps<RecordField>) {
  const change = useFormChange();
  const [countAtFirst] = useState(isRecord(value) ? Object.keys(value).length : 0);
  if (value !== undefined && value !== null && !isRecord(value)) {
    return <AnythingControl field={{ ...field, kind: 'anything' }} value={value} path={path} />;
  }
  const record = isRecord(value) ? value : {};
  const names = Object.keys(record);
  const rename = (from: string, to: string): void => {
    const entries = Object.entries(record).map(([name, inner]) => [name === from ? to : name, inner]);
    change({ kind: 'set', path, value: Object.fromEntries(entries) });
  };
  return (
    <LabelledGroup field={field} path={path} isBare={isBare}>
      {names.length > 0 && (
        <ul className="flex flex-col gap-2">
          {names.map((name, index) => (
            <RecordEntry
              // Names change while they are typed, so the index is the key.
              key={`${field.label} ${index + 1}`}
              field={field}
              value={record[name]}
              path={[...path, name]}
              names={names}
              index={index}
              onRename={(to) => rename(name, to)}
              isOpenAtFirst={names.length === 1 || index >= countAtFirst}
            />
          ))}
        </ul>
      )}
      <AddButton
        label={field.label}
        onClick={() => change({ kind: 'set', path: [...path, freeName(names)], value: emptyValue(field.value) })}
      />
    </LabelledGroup>
  );
}

interface RecordEntryProps extends FieldProps<RecordField> {
  readonly names: readonly string[];
  readonly index: number;
  readonly onRename: (name: string) => void;
  readonly isOpenAtFirst: boolean;
}

/** One name and its value. */
function RecordEntry({ field, value, path, names, index, onRename, isOpenAtFirst }: RecordEntryProps) {
  const change = useFormChange();
  const name = names[index] ?? '';
  const input = (
    <NameInput label={`Name ${index + 1} of ${field.label}`} name={name} others={names} onRename={onRename} />
  );
  const inner = (
    <InnerField field={{ ...field.value, label: `${field.label}: ${name}` }} value={value} path={path} isBare />
  );
  const button = (
    <Button
      variant="ghost"
      size="sm"
      aria-label={`Remove ${name}`}
      onClick={() => change({ kind: 'remove', path })}
      icon={<X size={14} aria-hidden />}
    />
  );
  if (isSmall(field.value) || field.value.kind === 'anything') {
    return (
      <li className="flex items-start gap-2">
        {input}
        {inner}
        {button}
      </li>
    );
  }
  const head = <div className="p-0.5">{input}</div>;
  return (
    <BigItem title={name} path={path} head={head} isOpenAtFirst={isOpenAtFirst} buttons={button}>
      {inner}
    </BigItem>
  );
}

/** A name is applied when its field loses the focus, so half a name never replaces another. */
function NameInput({
  label,
  name,
  others,
  onRename,
}: {
  label: string;
  name: string;
  others: readonly string[];
  onRename: (name: string) => void;
}) {
  const [typed, setTyped] = useState(name);
  useEffect(() => setTyped(name), [name]);
  const isTaken = typed !== name && others.includes(typed);
  const finish = (): void => {
    if (typed === name) return;
    if (typed === '' || isTaken) setTyped(name);
    else onRename(typed);
  };
  return (
    <TextInput
      aria-label={label}
      aria-invalid={isTaken || undefined}
      value={typed}
      onChange={setTyped}
      onBlur={finish}
      onKeyDown={(event) => event.key === 'Enter' && finish()}
      className="max-w-44 flex-1 font-mono"
    />
  );
}

function freeName(names: readonly string[]): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'name' : `name-${number}`;
    if (!names.includes(name)) return name;
  }
}
