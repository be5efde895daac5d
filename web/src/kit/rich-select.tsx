import { Select as BaseSelect } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import { classes } from './classes.ts';
import { popupItemLook, popupLook } from './popup-look.ts';
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
        <BaseSelect.Value className="truncate" />
        <BaseSelect.Icon>
          <ChevronsUpDown size={14} aria-hidden className="text-muted" />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50 outline-hidden">
          <BaseSelect.Popup className={classes(popupLook, 'min-w-(--anchor-width)')}>
            <BaseSelect.List className="max-h-[min(24rem,var(--available-height))] overflow-y-auto">
              {options.map((option) => (
                <BaseSelect.Item key={option.value} value={option.value} className={popupItemLook}>
                  <BaseSelect.ItemIndicator className="col-start-1 row-start-1">
                    <Check size={14} aria-hidden />
                  </BaseSelect.ItemIndicator>
                  <BaseSelect.ItemText className="col-start-2">{option.label}</BaseSelect.ItemText>
                  {option.hint && <span className="col-start-2 text-xs text-muted">{option.hint}</span>}
                </BaseSelect.Item>
              ))}
            </BaseSelect.List>
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  );
}
