import { X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import type { Path } from '../../../src/shared/document-edit/document-change.ts';
import { TextInput } from '../kit/field.tsx';
import { useFormChange } from './form-context.tsx';
import type { FieldProps, FormField, ListField } from './form-field.ts';
import { LabelledGroup } from './labelled.tsx';

/** Whether a field holds tags, which are short words that need no field each. */
export function isTags(field: FormField, value: unknown, path: Path): boolean {
  if (path.at(-1) !== 'tags' || field.kind !== 'list' || field.item.kind !== 'text') return false;
  return (
    value === undefined || value === null || (Array.isArray(value) && value.every((tag) => typeof tag === 'string'))
  );
}

/** Tags as chips, with one field in which more are typed. */
export function TagsControl({ field, value, path, isBare }: FieldProps<ListField>) {
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
              <Tag tag={tag} onRemove={() => remove(index)} />
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

function Tag({ tag, onRemove }: { tag: string; onRemove: () => void }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-full border border-line bg-raised py-0.5 pr-1 pl-2.5 text-xs">
      <span className="truncate">{tag === '' ? '(empty)' : tag}</span>
      <button
        type="button"
        aria-label={`Remove the tag ${tag}`}
        onClick={onRemove}
        className="rounded-full p-0.5 text-muted hover:text-ink"
      >
        <X size={12} aria-hidden />
      </button>
    </span>
  );
}
