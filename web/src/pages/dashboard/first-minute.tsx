import { FilePlus2, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { LinkButton } from '../../kit/button.tsx';
import { CommandLine } from '../../kit/code.tsx';
import { GuardedButton } from '../../kit/guarded-button.tsx';
import { Card, ErrorView } from '../../kit/page.tsx';
import { useStartRun } from '../runs/use-start-run.ts';

/** First steps while there are no runs: click here, or type there. */
export function FirstMinute({ hasScenarios }: { hasScenarios: boolean }) {
  const start = useStartRun();
  return (
    <Card>
      <div className="mx-auto flex max-w-2xl flex-col gap-6 py-6">
        <div>
          <h2 className="text-lg font-semibold">Nothing has been run yet</h2>
          <p className="text-muted">
            {hasScenarios
              ? 'There are scenarios in this project. Run them, and this page shows how they went.'
              : 'A scenario defines a task for a tool or an agent and how to judge the answer. Create one, then run it.'}
          </p>
        </div>
        <ol className="flex flex-col gap-4">
          {!hasScenarios && (
            <Step number={1} title="Create a scenario">
              <LinkButton
                to="/scenarios/edit"
                search={{ new: '1' }}
                variant="primary"
                icon={<FilePlus2 size={14} aria-hidden />}
              >
                New scenario
              </LinkButton>
              <span className="text-muted">or in a terminal, with an example to start from:</span>
              <CommandLine command="assay init" />
            </Step>
          )}
          <Step number={hasScenarios ? 1 : 2} title="Run it">
            <GuardedButton
              needs="run"
              variant={hasScenarios ? 'primary' : 'secondary'}
              disabled={!hasScenarios}
              isBusy={start.isPending}
              icon={<Play size={14} aria-hidden />}
              onClick={() => start.mutate({})}
            >
              Run everything
            </GuardedButton>
            <span className="text-muted">or in a terminal:</span>
            <CommandLine command="assay run" />
          </Step>
          <Step number={hasScenarios ? 2 : 3} title="Read what happened">
            <span className="text-muted">
              Each trial shows its messages and steps, its checks, and why it passed or failed.
            </span>
          </Step>
        </ol>
        {start.isError && <ErrorView error={start.error} />}
      </div>
    </Card>
  );
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-3">
      <span
        aria-hidden
        className="flex size-6 shrink-0 items-center justify-center rounded-full bg-raised text-xs font-semibold"
      >
        {number}
      </span>
      <div className="flex min-w-0 flex-col items-start gap-2">
        <p className="font-medium">{title}</p>
        <div className="flex flex-wrap items-center gap-2">{children}</div>
      </div>
    </li>
  );
}
