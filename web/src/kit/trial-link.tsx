import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A run by its id, or by what else it is called here; leads to its page. */
export function RunIdLink({ runId, children }: { runId: string; children?: ReactNode }) {
  return (
    <Link to="/runs/$runId" params={{ runId }} className="rounded font-mono text-xs text-accent hover:underline">
      {children ?? runId}
    </Link>
  );
}

/** A trial by its id, or by what else it is called here; leads to its page. */
export function TrialIdLink({ trialId, children }: { trialId: string; children?: ReactNode }) {
  return (
    <Link to="/trials/$trialId" params={{ trialId }} className="rounded font-mono text-xs text-accent hover:underline">
      {children ?? trialId}
    </Link>
  );
}
