import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useConnection, useConnectionState } from '../data/connection.ts';
import { LinkButton } from '../kit/button.tsx';
import { EmptyState, ErrorView, Page } from '../kit/page.tsx';
import { PageProgramMissing } from './page-loading.ts';

/** Shown in place of a page that broke, or whose program could not be loaded. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const isProgramMissing = error instanceof PageProgramMissing;
  useReloadOnReturn(isProgramMissing);
  const retry = (): void => {
    // After the server was renewed, files of this page have other names.
    if (isProgramMissing) window.location.reload();
    reset();
    void router.invalidate();
  };
  return (
    <Page title="Something went wrong">
      <ErrorView error={error} onRetry={retry} />
    </Page>
  );
}

/** Finds out whether the server is away, and loads the page again when it is back. */
function useReloadOnReturn(isProgramMissing: boolean): void {
  const connection = useConnection();
  const state = useConnectionState();
  const wasAway = useRef(false);
  useEffect(() => {
    if (isProgramMissing) connection.tryNow();
  }, [isProgramMissing, connection]);
  useEffect(() => {
    if (isProgramMissing && wasAway.current && state === 'connected') window.location.reload();
    wasAway.current = state === 'away';
  }, [isProgramMissing, state]);
}

/** For addresses that lead nowhere. */
export function NotFoundPage() {
  return (
    <Page title="Nothing here">
      <EmptyState
        icon={<Compass size={22} />}
        title="Page not found"
        action={<LinkButton to="/">To the dashboard</LinkButton>}
      />
    </Page>
  );
}
