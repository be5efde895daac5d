import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Path } from '../../../src/shared/document-edit/document-change.ts';
import { AddMenu } from '../kit/add-menu.tsx';
import type { FieldEntry, FormField } from './form-field.ts';
import { emptyValue } from './union-branch.ts';

interface FieldsInUse {
  /** Required ones first, then those that have a value or had one while the form was open. */
  readonly fields: readonly FieldEntry[];
  /** The others, which can be added. */
  readonly rest: readonly FieldEntry[];
  readonly add: (key: string) => void;
}

interface Values {
  readonly read: (key: string) => unknown;
  readonly set: (key: string, value: unknown) => void;
  /** Whether a field is shown without a value too. */
  readonly isUsual?: (field: FormField) => boolean;
}

/** The fields of a form that are in use, and a way to add others. */
export function useFieldsInUse(entries: readonly FieldEntry[], { read, set, isUsual }: Values): FieldsInUse {
  const [kept, setKept] = useState<readonly string[]>([]);
  const isSet = ({ key }: FieldEntry): boolean => read(key) !== undefined;
  // A field that is emptied stays where one types; what is removed as a whole goes.
  const used = entries.filter((entry) => isSet(entry) && !isWhole(entry.field)).map(({ key }) => key);
  if (used.some((key) => !kept.includes(key))) setKept([...new Set([...kept, ...used])]);
  const isShown = (entry: FieldEntry): boolean =>
    entry.field.isRequired || isSet(entry) || kept.includes(entry.key) || isUsual?.(entry.field) === true;
  const fields = entries.filter(isShown).sort((a, b) => Number(b.field.isRequired) - Number(a.field.isRequired));
  const add = (key: string): void => {
    const field = entries.find((entry) => entry.key === key)?.field;
    if (field === undefined) return;
    if (isWhole(field)) set(key, emptyValue(field));
    else setKept([...kept, key]);
  };
  return { fields, rest: entries.filter((entry) => !isShown(entry)), add };
}

/** Whether a field has a value as soon as it is there, and a button that removes it. */
function isWhole({ kind }: FormField): boolean {
  return kind === 'group' || kind === 'union';
}

/** Adds one of the fields that are not in use; the field that was added takes the focus. */
export function AddField({
  label,
  rest,
  path = [],
  groupOf,
  onAdd,
}: {
  label: string;
  rest: readonly FieldEntry[];
  /** Where the fields stand in the document. */
  path?: Path;
  /** The heading above a field in the list. */
  groupOf: (key: string) => string;
  onAdd: (key: string) => void;
}) {
  const [added, setAdded] = useState<string>();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (added !== undefined) focusField(place.current, added);
  }, [added]);
  return (
    <div ref={place} className="empty:hidden">
      {rest.length > 0 && (
        <AddMenu
          label={label}
          choices={rest.map(({ key, field }) => ({
            key,
            label: field.label,
            code: key,
            hint: field.description,
            group: groupOf(key),
          }))}
          onAdd={(key) => {
            onAdd(key);
            setAdded([...path, key].join('.'));
          }}
        />
      )}
    </div>
  );
}

/** Where a field of a form stands, so it can be found after it was added. */
export function FieldPlace({ path, children }: { path: Path; children: ReactNode }) {
  return (
    <div data-field={path.join('.')} className="min-w-0 scroll-mt-20">
      {children}
    </div>
  );
}

function focusField(from: HTMLElement | null, name: string): void {
  const form = from?.closest('fieldset, dialog, form') ?? document;
  const field = [...form.querySelectorAll<HTMLElement>('[data-field]')].find(({ dataset }) => dataset.field === name);
  const input = field?.querySelector<HTMLElement>('input, textarea, select, [role="combobox"]');
  // The button of a field without an input is the one that adds to it, behind the one that removes it.
  (input ?? [...(field?.querySelectorAll('button') ?? [])].at(-1))?.focus();
  field?.scrollIntoView({ block: 'nearest' });
}
