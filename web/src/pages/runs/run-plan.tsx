import { variantText } from '../../../../src/domain/variant-text.ts';
import type { RunPlan } from '../../../../src/entry/server/api/runs.ts';
import { costText, counted, formatDuration, grouped } from '../../../../src/shared/format.ts';
import { ErrorView } from '../../kit/page.tsx';
import { SmallTable } from '../../kit/small-table.tsx';

interface RunPlanProps {
  /** Undefined while it is made. */
  readonly plan: RunPlan | undefined;
  readonly error: Error | null;
  /** Trials that the files have, which is known at once. */
  readonly inFiles: number | undefined;
}

/** The size of a run, and its cost and time by earlier trials. */
export function RunPlanView({ plan: data, error, inFiles }: RunPlanProps) {
  if (error) return <ErrorView error={error} />;
  return (
    <section aria-label="What runs" className="flex flex-col gap-2 rounded-md bg-raised p-3 text-sm">
      <p role="status">
        {data === undefined ? (
          <>
            {inFiles !== undefined && (
              <>
                <strong>{counted(inFiles, 'trial')}</strong> by the files.{' '}
              </>
            )}
            Counting exactly …
          </>
        ) : (
          <>
            <strong>{counted(data.trials, 'trial')}</strong> {planText(data)}
          </>
        )}
      </p>
      {data !== undefined && <p className="text-xs text-muted">{basisText(data)}</p>}
      {data !== undefined && data.variantCount > 1 && <VariantTable plan={data} />}
    </section>
  );
}

function VariantTable({ plan }: { plan: RunPlan }) {
  const left = plan.variantCount - plan.variants.length;
  return (
    <details>
      <summary className="cursor-pointer text-xs text-muted">{counted(plan.variantCount, 'variant')}</summary>
      <SmallTable
        label="Variants"
        columns={[
          { header: 'Variant', cell: ({ variant }) => variantText(variant) || 'called directly' },
          { header: 'Trials', isFigure: true, cell: ({ trials }) => grouped(trials) },
          { header: 'Cost', isFigure: true, cell: costOf },
          {
            header: 'Earlier trials',
            isFigure: true,
            cell: ({ earlierTrials: count }) => (count === 0 ? 'none' : grouped(count)),
          },
        ]}
        rows={plan.variants}
      />
      {left > 0 && <p className="text-xs text-muted">… and {counted(left, 'more variant')}</p>}
    </details>
  );
}

/** `of 4 cases in 2 scenarios; cost: about $0.12; time: about 3 min`. */
export function planText(plan: RunPlan): string {
  const { cases, scenarios, reused, durationMs } = plan;
  const what = `of ${counted(cases, 'case')} in ${counted(scenarios, 'scenario')}`;
  const taken = reused === 0 ? '' : `, ${grouped(reused)} reused from earlier runs`;
  const time = durationMs === null ? 'unknown' : `about ${formatDuration(durationMs)}`;
  return `${what}${taken}; cost: ${costOf(plan)}; time: ${time}`;
}

const least = 0.0001;

/** A cost that is unknown is never 0, and a lower bound of almost nothing says nothing. */
function costOf({ costUsd, isCostLowerBound }: Pick<RunPlan, 'costUsd' | 'isCostLowerBound'>): string {
  if (costUsd === null || (isCostLowerBound && costUsd < least)) return 'unknown';
  if (costUsd === 0) return 'none';
  if (costUsd < least) return `less than ${costText(least)}`;
  return `${isCostLowerBound ? 'at least' : 'about'} ${costText(costUsd)}`;
}

/** The evidence for cost and time. */
export function basisText({ earlierTrials, durationMs }: Pick<RunPlan, 'earlierTrials' | 'durationMs'>): string {
  if (earlierTrials === 0) return 'Nothing of this was run before, so its time is unknown.';
  const basis = `By ${counted(earlierTrials, 'earlier trial')} of the same scenarios and variants.`;
  return durationMs === null ? `${basis} A part of it was not measured before.` : basis;
}
