import { Select as BaseSelect } from '@base-ui/react/select';
import { ChevronsUpDown } from 'lucide-react';
import { classes } from './classes.ts';
import { OptionPopup } from './option-popup.tsx';
import type { SelectProps } from './select.tsx';
import { inputLook } from './text-input.tsx';

/** One of several, with a line about each where there is one. */
export function RichSelect({ label, options, value, onChange, id, describedBy, isDisabled, className }: SelectProps) {
  return (
    <BaseSelect.Root
      items={[...options]}
      value={value}
      disabled={isDisabled ?? false}
      onValueChange={(chosen) => chosen !== null && onChange(chosen)}
    >
      <BaseSelect.Trigger
        id={id}
        aria-label={label}
        aria-describedby={describedBy}
        className={classes(
          inputLook,
          'flex h-9 items-center justify-between gap-2 text-left data-disabled:opacity-60',
          className,
        )}
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
