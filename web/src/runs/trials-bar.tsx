import { grouped } from '../../../src/shared/format.ts';
import { OutcomeBar, type OutcomeTotals } from '../kit/outcome-bar.tsx';

/** How many of the judged trials passed, as a bar and in figures; `+1` for one that was not judged. */
export function TrialsBar({ totals }: { totals: OutcomeTotals }) {
  const judged = totals.pass + totals.fail;
  return (
    <span className="flex items-center gap-2">
      <span className="w-16 shrink-0 @2xl:w-20">
        <OutcomeBar totals={totals} />
      </span>
      <span
        className="text-xs whitespace-nowrap text-muted tabular-nums"
        title={`${grouped(totals.pass)} of ${grouped(judged)} judged trials passed, ${grouped(totals.planned)} planned`}
      >
        {grouped(totals.pass)} / {grouped(judged)}
        {judged < totals.planned && ` +${grouped(totals.planned - judged)}`}
      </span>
    </span>
  );
}
