import { Switch as BaseSwitch } from '@base-ui/react/switch';
import { type ReactNode, useId, useMemo } from 'react';
import { FieldContext, useFieldTies } from './field-ties.ts';

/** A label with what belongs to it: a hint, and what is wrong. The control in it is tied to them. */
export function Field({
  label,
  hint,
  error,
  isRequired = false,
  isInvalid = false,
  children,
}: {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  isRequired?: boolean;
  /** Marks the control itself as wrong. */
  isInvalid?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const hasHint = hint !== undefined && hint !== null && hint !== '';
  const hasError = error !== undefined && error !== null && error !== '';
  const describedBy = [hasHint && hintId, hasError && errorId].filter(Boolean).join(' ') || undefined;
  const ties = useMemo(
    () => ({ id, 'aria-describedby': describedBy, ...(isInvalid && { 'aria-invalid': true as const }) }),
    [id, describedBy, isInvalid],
  );
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {isRequired && <span className="text-muted"> (required)</span>}
      </label>
      {hasHint && (
        <div id={hintId} className="text-xs text-muted">
          {hint}
        </div>
      )}
      <FieldContext value={ties}>{children}</FieldContext>
      {hasError && (
        <div id={errorId} role="alert" className="text-xs font-medium text-fail">
          {error}
        </div>
      )}
    </div>
  );
}

export { MultiSelect } from './multi-select.tsx';
export { Select, type SelectOption } from './select.tsx';
export { NumberInput, SearchInput, TextArea, TextInput } from './text-input.tsx';

/** On or off, at once. */
export function Switch({
  label,
  value,
  onChange,
}: {
  label?: string;
  value: boolean;
  onChange: (value: boolean) => void;
}) {
  return (
    <BaseSwitch.Root
      aria-label={label}
      {...useFieldTies()}
      checked={value}
      onCheckedChange={onChange}
      className="relative flex h-5 w-9 shrink-0 cursor-pointer rounded-full border border-edge bg-raised p-px transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50"
    >
      <BaseSwitch.Thumb className="size-4 rounded-full bg-edge transition-transform data-checked:translate-x-4 data-checked:bg-surface" />
    </BaseSwitch.Root>
  );
}
