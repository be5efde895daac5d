import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorView } from '../kit/error-view.tsx';
import { Page } from '../kit/page.tsx';

/** Shown in place of a page that broke, or whose program could not be loaded. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const isProgramGone = /dynamically imported module|module script|preload/i.test(String(error));
  const retry = (): void => {
    // After the server was renewed, files of this page have other names.
    if (isProgramGone) window.location.reload();
    reset();
    void router.invalidate();
  };
  return (
    <Page title="Something went wrong">
      <ErrorView
        error={isProgramGone ? new Error('This page could not be loaded. The server may be away or renewed.') : error}
        onRetry={retry}
      />
    </Page>
  );
}
