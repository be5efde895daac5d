import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Navigation } from './navigation.tsx';
import { ProjectSwitch } from './project-switch.tsx';

/** The navigation as something that opens over the page. */
export function NavigationDrawer({ onClose, footer }: { onClose: () => void; footer: ReactNode }) {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-veil transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-50 flex w-64 flex-col gap-4 overflow-y-auto border-r border-line bg-surface py-2 text-ink transition-transform data-ending-style:-translate-x-full data-starting-style:-translate-x-full">
          <div className="flex items-center justify-between pr-2 pl-4">
            <Dialog.Title className="font-semibold">Assay</Dialog.Title>
            <Dialog.Close aria-label="Close" className="rounded p-2 text-muted hover:bg-raised hover:text-ink">
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          <div className="px-4 empty:hidden">
            <ProjectSwitch />
          </div>
          <Navigation onNavigate={onClose} />
          <div className="mt-auto px-4">{footer}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
