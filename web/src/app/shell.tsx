import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { Keyboard, LoaderCircle, Menu, Unplug } from 'lucide-react';
import { lazy, Suspense, useCallback } from 'react';
import { sessionQuery } from '../data/access.ts';
import { useConnection, useConnectionState } from '../data/connection.ts';
import { statusQuery } from '../data/queries.ts';
import { Button } from '../kit/button.tsx';
import { useLoadedState } from '../kit/use-loaded-state.ts';
import iconUrl from './icon.svg';
import { useKeptFocus } from './kept-focus.ts';
import { useKeys, usePaletteKey } from './keys.ts';
import { Navigation } from './navigation.tsx';
import { ProjectSwitch } from './project-switch.tsx';
import { ThemeSwitch } from './theme.tsx';

/** Says that the server is away and that it is being waited for; what was loaded stays in sight. */
function ConnectionBanner() {
  const state = useConnectionState();
  const connection = useConnection();
  return (
    <div role="status" aria-live="polite" className="fixed inset-x-0 bottom-0 z-20 lg:left-54">
      {state !== 'connected' && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-error/40 bg-error-ground px-4 py-2 sm:px-6">
          <Unplug size={16} aria-hidden className="text-error" />
          {state === 'away' ? (
            <p className="min-w-0 flex-1">
              <span className="font-medium">The server does not answer.</span>{' '}
              <span className="text-muted">This page may be out of date. Reconnecting …</span>
            </p>
          ) : (
            <p className="min-w-0 flex-1">
              <span className="font-medium">The server was restarted and no longer accepts this browser.</span>{' '}
              <span className="text-muted">Open the address that `assay serve` printed.</span>
            </p>
          )}
          {state === 'away' && <LoaderCircle size={14} aria-hidden className="animate-spin text-error" />}
          <Button size="sm" onClick={connection.tryNow}>
            Try now
          </Button>
        </div>
      )}
    </div>
  );
}

// Parts that open on demand are loaded on demand.
const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.tsx')).KeysDialog }));
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const NavigationDrawer = lazy(async () => ({ default: (await import('./navigation-drawer.tsx')).NavigationDrawer }));

/** The frame of every page: navigation at the side, or behind a button on narrow screens. */
export function Shell() {
  const [areKeysShown, setAreKeysShown] = useLoadedState(false);
  const [isDrawerOpen, setIsDrawerOpen] = useLoadedState(false);
  const showKeys = useCallback(() => setAreKeysShown(true), [setAreKeysShown]);
  const [isPaletteOpen, setIsPaletteOpen] = useLoadedState(false);
  const openPalette = useCallback(() => setIsPaletteOpen(true), [setIsPaletteOpen]);
  useKeptFocus();
  useKeys(showKeys);
  usePaletteKey(openPalette);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[13.5rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded focus:bg-surface focus:px-3 focus:py-2"
      >
        Skip to the content
      </a>
      <header className="sticky top-0 z-30 flex h-(--bar-height) items-center gap-2 border-b border-line bg-surface px-2 lg:hidden">
        <button
          type="button"
          aria-label="Pages"
          aria-expanded={isDrawerOpen}
          onClick={() => setIsDrawerOpen(true)}
          className="rounded p-2 hover:bg-raised"
        >
          <Menu size={18} aria-hidden />
        </button>
        <ProjectName />
      </header>
      <aside
        aria-label="Navigation"
        className="sticky top-0 hidden h-dvh flex-col gap-4 overflow-y-auto border-r border-line bg-surface py-3 lg:flex"
      >
        <div className="flex flex-col gap-2 px-3">
          <ProjectName />
          <ProjectSwitch />
        </div>
        <Navigation />
        <div className="mt-auto px-3">
          <Footer onShowKeys={showKeys} />
        </div>
      </aside>
      <main id="content" tabIndex={-1} className="min-w-0">
        <ConnectionBanner />
        <Outlet />
      </main>
      <Suspense>
        {isPaletteOpen && <Palette onClose={() => setIsPaletteOpen(false)} />}
        {areKeysShown && <KeysDialog onClose={() => setAreKeysShown(false)} />}
        {isDrawerOpen && (
          <NavigationDrawer onClose={() => setIsDrawerOpen(false)} footer={<Footer onShowKeys={showKeys} />} />
        )}
      </Suspense>
    </div>
  );
}

function ProjectName() {
  const { data } = useQuery(statusQuery());
  return (
    <Link to="/" className="flex min-w-0 items-center gap-2 rounded no-underline">
      <img src={iconUrl} alt="" width={26} height={26} />
      <span className="min-w-0 leading-tight">
        <span className="block font-semibold">Assay</span>
        <span className="block h-4 truncate text-xs text-muted" title={data?.project}>
          {data?.project ?? ''}
        </span>
      </span>
    </Link>
  );
}

function Footer({ onShowKeys }: { onShowKeys: () => void }) {
  const { data } = useQuery(statusQuery());
  const { data: session } = useQuery(sessionQuery());
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 text-xs text-muted">
      {session !== undefined && session.role !== 'owner' && (
        <span className="w-full truncate">
          {session.tokenName}: role {session.role}
        </span>
      )}
      <ThemeSwitch />
      <button
        type="button"
        onClick={onShowKeys}
        aria-label="Keys"
        title="Keys (?)"
        className="rounded p-1.5 hover:bg-raised hover:text-ink"
      >
        <Keyboard size={15} aria-hidden />
      </button>
      <span className="tabular-nums">{data === undefined ? '' : `v${data.assayVersion}`}</span>
    </div>
  );
}
