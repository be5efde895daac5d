import { Link } from '@tanstack/react-router';
import type { RunItem } from '../../../../src/entry/server/api/runs.ts';
import { grouped } from '../../../../src/shared/format.ts';
import { LinkButton } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Duration, Money, When } from '../../kit/figures.tsx';
import { OutcomeBar } from '../../kit/outcome-bar.tsx';
import { RunResult } from '../../runs/run-result.tsx';
import { runTitle } from '../../runs/run-title.ts';

/** The newest run in a few words. */
export function LatestRun({ run }: { run: RunItem }) {
  const { totals } = run;
  return (
    <Card
      title="Latest run"
      actions={
        <LinkButton size="sm" to="/runs/$runId" params={{ runId: run.runId }}>
          Open
        </LinkButton>
      }
    >
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <RunResult run={run} />
          <Link
            to="/runs/$runId"
            params={{ runId: run.runId }}
            className="min-w-0 font-medium underline-offset-2 hover:underline"
          >
            {runTitle(run)}
          </Link>
          <span className="text-muted">
            <When at={run.startedAt} />
          </span>
        </div>
        <OutcomeBar totals={totals} height={12} />
        <p className="text-muted">{run.reason}</p>
        <dl className="grid grid-cols-3 gap-2 sm:grid-cols-6">
          <Fact name="passed">{grouped(totals.pass)}</Fact>
          <Fact name="failed">{grouped(totals.fail)}</Fact>
          <Fact name="error">{grouped(totals.error)}</Fact>
          <Fact name="not run">{grouped(totals.skipped)}</Fact>
          <Fact name="took">
            <Duration ms={run.durationMs} />
          </Fact>
          <Fact name="cost">
            <Money usd={run.costUsd} />
          </Fact>
        </dl>
      </div>
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="font-semibold tabular-nums">{children}</dd>
    </div>
  );
}
