import type { TrialRecord } from './record.ts';
import type { RunHeader, RunSummary } from './run.ts';

/**
 * What happens in a run, in order, as plain data. `trial-finished` is sent only after the record is durable.
 * Terminal, files and pages all listen to these values and cannot change a record.
 */
export type RunEvent =
  | {
      readonly type: 'run-started';
      readonly run: RunHeader;
      readonly alreadyStored: number;
      readonly concurrency: number;
    }
  | { readonly type: 'trial-started'; readonly trialId: string; readonly scenario: string; readonly caseId: string }
  | { readonly type: 'trial-finished'; readonly record: TrialRecord }
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'run-finished'; readonly summary: RunSummary };

/** Receives run events; must not throw. */
export type Emit = (event: RunEvent) => void;
