import { grouped } from '../../../src/shared/numbers.ts';
import { OutcomeBar, type OutcomeTotals } from '../kit/outcome-bar.tsx';

/** How many of the trials passed, as a bar and in figures. */
export function TrialsBar({ totals }: { totals: OutcomeTotals }) {
  return (
    <span className="flex items-center gap-2">
      <span className="w-16 shrink-0 @2xl:w-20">
        <OutcomeBar totals={totals} />
      </span>
      <span className="text-xs whitespace-nowrap text-muted tabular-nums">
        {grouped(totals.pass)} / {grouped(totals.planned)}
      </span>
    </span>
  );
}
