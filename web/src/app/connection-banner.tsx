import { LoaderCircle, Unplug } from 'lucide-react';
import { useConnection, useConnectionState } from '../data/connection-context.ts';
import { Button } from '../kit/button.tsx';

/** Says that the server is away and that it is being waited for; what was loaded stays in sight. */
export function ConnectionBanner() {
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
              <span className="text-muted">What you see may be old. Trying again …</span>
            </p>
          ) : (
            <p className="min-w-0 flex-1">
              <span className="font-medium">The server was started again and does not know this browser.</span>{' '}
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
