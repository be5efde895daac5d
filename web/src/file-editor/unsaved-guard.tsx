import { useBlocker } from '@tanstack/react-router';
import { isRecord } from '../../../src/shared/json.ts';
import { ConfirmDialog } from '../kit/dialog.tsx';

/** Asks before one leaves a page with something unsaved, be it by a link or by closing the tab. */
export function UnsavedGuard({ isUnsaved, name }: { isUnsaved: boolean; name: string }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved && addressOf(current) !== addressOf(next),
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      title="Leave without saving?"
      isOpen={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      onConfirm={() => blocker.proceed?.()}
      confirmLabel="Leave without saving"
      isDangerous
    >
      What you changed in {name} is not saved yet, and is lost when you leave.
    </ConfirmDialog>
  );
}

function addressOf({ pathname, search }: { pathname: string; search: unknown }): string {
  const { file, name, tab } = isRecord(search) ? search : {};
  return JSON.stringify([pathname, file, name, tab]);
}
