import { Select as BaseSelect } from '@base-ui/react/select';
import { Check } from 'lucide-react';
import { classes } from './classes.ts';
import { popupItemLook, popupLook } from './popup-look.ts';
import type { SelectOption } from './select.tsx';

/** The options of a select, each with an optional line about it. */
export function OptionPopup({ options }: { readonly options: readonly SelectOption[] }) {
  return (
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
  );
}
