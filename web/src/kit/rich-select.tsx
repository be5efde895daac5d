import { Select as BaseSelect } from '@base-ui/react/select';
import { ChevronsUpDown } from 'lucide-react';
import { classes } from './classes.ts';
import { useFieldTies } from './field-ties.ts';
import { OptionPopup } from './option-popup.tsx';
import type { SelectProps } from './select.tsx';
import { inputLook } from './text-input.tsx';

/** One of several, with a line about each where there is one. */
export function RichSelect({ label, options, value, onChange, className }: SelectProps) {
  return (
    <BaseSelect.Root items={[...options]} value={value} onValueChange={(chosen) => chosen !== null && onChange(chosen)}>
      <BaseSelect.Trigger
        aria-label={label}
        {...useFieldTies()}
        className={classes(inputLook, 'flex h-9 items-center justify-between gap-2 text-left', className)}
      >
        <BaseSelect.Value className="truncate">
          {options.find((option) => option.value === value)?.label}
        </BaseSelect.Value>
        <BaseSelect.Icon>
          <ChevronsUpDown size={14} aria-hidden className="text-muted" />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <OptionPopup options={options} />
    </BaseSelect.Root>
  );
}
