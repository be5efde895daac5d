import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, type SyntheticEvent, useId } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { ErrorView } from './page.tsx';

/** Something that wants an answer before the page goes on. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  actions,
  isWide = false,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  actions?: ReactNode;
  isWide?: boolean;
}) {
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-veil transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <BaseDialog.Popup
          className={classes(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border border-line bg-surface text-ink shadow-popup transition-opacity outline-hidden data-ending-style:opacity-0 data-starting-style:opacity-0',
            isWide ? 'max-w-3xl' : 'max-w-lg',
          )}
        >
          <div className="flex items-center justify-between gap-2 border-b border-line py-2 pr-2 pl-4">
            <BaseDialog.Title className="font-semibold">{title}</BaseDialog.Title>
            <BaseDialog.Close aria-label="Close" className="rounded p-1.5 text-muted hover:bg-raised hover:text-ink">
              <X size={16} aria-hidden />
            </BaseDialog.Close>
          </div>
          <div className="min-h-0 overflow-y-auto p-4">
            <div className="flex flex-col gap-4">{children}</div>
          </div>
          {actions !== undefined && (
            <div className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">{actions}</div>
          )}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** A dialog with a form: Enter sends it as its button does, and a refusal stands below its fields. */
export function FormDialog({
  submit,
  icon,
  onSubmit,
  sending,
  isReady = true,
  children,
  ...dialog
}: {
  title: string;
  /** The words on the button that sends it. */
  submit: string;
  icon?: ReactNode;
  onSubmit: () => void;
  onClose: () => void;
  sending: { readonly isPending: boolean; readonly error: unknown };
  /** Whether it can be sent as it is filled in. */
  isReady?: boolean;
  isWide?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  const send = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (isReady) onSubmit();
  };
  const actions = (
    <>
      <Button variant="ghost" onClick={dialog.onClose}>
        Cancel
      </Button>
      <Button type="submit" form={id} variant="primary" icon={icon} isBusy={sending.isPending} disabled={!isReady}>
        {submit}
      </Button>
    </>
  );
  return (
    <Dialog {...dialog} isOpen actions={actions}>
      <form id={id} onSubmit={send} className="flex flex-col gap-4" noValidate>
        {children}
        {sending.error != null && <ErrorView error={sending.error} />}
      </form>
    </Dialog>
  );
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog({
  title,
  isOpen,
  onClose,
  onConfirm,
  confirmLabel,
  isDangerous = false,
  isBusy = false,
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => void;
  confirmLabel: string;
  isDangerous?: boolean;
  isBusy?: boolean;
  children: ReactNode;
}) {
  const actions = (
    <>
      <Button variant="ghost" onClick={onClose}>
        Cancel
      </Button>
      <Button variant={isDangerous ? 'danger' : 'primary'} isBusy={isBusy} onClick={onConfirm}>
        {confirmLabel}
      </Button>
    </>
  );
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} actions={actions}>
      {children}
    </Dialog>
  );
}
