import { Select as BaseSelect } from '@base-ui/react/select';
import { ChevronsUpDown } from 'lucide-react';
import { classes } from './classes.ts';
import { useFieldTies } from './field-ties.ts';
import { OptionPopup } from './option-popup.tsx';
import type { SelectOption } from './select.tsx';
import { inputLook } from './text-input.tsx';

/** Any number of several; none chosen reads as `placeholder`. */
export function MultiSelect({
  label,
  options,
  value,
  onChange,
  placeholder = 'Any',
  text,
  className,
}: {
  label: string;
  options: readonly SelectOption[];
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
  placeholder?: string;
  /** In place of what is chosen, where that says too much. */
  text?: string;
  className?: string;
}) {
  const labels = options.filter((option) => value.includes(option.value)).map((option) => option.label);
  return (
    <BaseSelect.Root multiple items={[...options]} value={[...value]} onValueChange={(chosen) => onChange(chosen)}>
      <BaseSelect.Trigger
        {...useFieldTies()}
        aria-label={`${label}: ${labels.join(', ') || placeholder}`}
        className={classes(inputLook, 'flex h-9 items-center justify-between gap-2 text-left', className)}
      >
        <span className={classes('truncate', labels.length === 0 && 'text-muted')}>
          {text ?? (labels.join(', ') || placeholder)}
        </span>
        <ChevronsUpDown size={14} aria-hidden className="shrink-0 text-muted" />
      </BaseSelect.Trigger>
      <OptionPopup options={options} />
    </BaseSelect.Root>
  );
}
