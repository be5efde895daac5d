import { Menu as BaseMenu } from '@base-ui/react/menu';
import { ChevronDown } from 'lucide-react';
import { buttonLook } from './button.tsx';
import type { MenuProps } from './menu.tsx';
import { popupLook } from './popup-look.ts';

/** The menu itself, open when it appears. */
export function OpenMenu({ label, icon, groups, variant = 'secondary', size = 'md' }: MenuProps) {
  return (
    <BaseMenu.Root defaultOpen>
      <BaseMenu.Trigger className={buttonLook(variant, size)}>
        {icon}
        {label}
        <ChevronDown size={14} aria-hidden />
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={4} align="end" className="z-50 outline-hidden">
          <BaseMenu.Popup className={`${popupLook} max-h-(--available-height) min-w-48 overflow-y-auto`}>
            {groups.map((group) => (
              <BaseMenu.Group
                key={group.label}
                className="not-first:mt-1 not-first:border-t not-first:border-line not-first:pt-1"
              >
                <BaseMenu.GroupLabel className="px-2 py-1 text-xs font-medium text-muted">
                  {group.label}
                </BaseMenu.GroupLabel>
                {group.items.map((item) => (
                  <BaseMenu.Item
                    key={item.key}
                    onClick={item.onSelect}
                    className="flex cursor-default flex-col rounded px-2 py-1.5 text-sm outline-hidden select-none data-highlighted:bg-raised"
                  >
                    {item.label}
                    {item.description && <span className="text-xs text-muted">{item.description}</span>}
                  </BaseMenu.Item>
                ))}
              </BaseMenu.Group>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
