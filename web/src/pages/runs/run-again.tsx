import { History, Play } from 'lucide-react';
import type { ShownRun, StartRun } from '../../../../src/entry/server/api/runs.ts';
import { counted } from '../../../../src/shared/format.ts';
import { useRefusal } from '../../data/access.ts';
import { Button } from '../../kit/button.tsx';
import { GuardedButton } from '../../kit/guarded-button.tsx';
import { Menu } from '../../kit/menu.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useStartRun } from './use-start-run.ts';

interface RunAgainMenuProps {
  readonly run: ShownRun;
  readonly onRetryErrors: () => void;
  readonly onRescore: () => void;
}

/** The ways to run a run again, or a part of it; those that are impossible are left out. */
export function RunAgainMenu({ run, onRetryErrors, onRescore }: RunAgainMenuProps) {
  const refusal = useRefusal('run');
  const { isPending, startAgain } = useStartAgain();
  const items = [
    ...againItems(run).map(({ wish, ...item }) => ({ ...item, onSelect: () => startAgain(wish) })),
    ...changeItems(run, { onRetryErrors, onRescore }),
  ];
  if (items.length === 0) return null;
  const icon = <History size={14} aria-hidden />;
  if (refusal !== undefined || isPending) {
    return (
      <Button icon={icon} disabled isBusy={isPending} title={refusal}>
        Run again
      </Button>
    );
  }
  return <Menu label="Run again" icon={icon} groups={[{ label: 'With the files as they are now', items }]} />;
}

interface AgainItem {
  readonly key: string;
  readonly label: string;
  readonly description: string;
}

/** Ways to run it again as a new run, in the words of the command line. */
function againItems({
  runId,
  isLive,
  totals,
  whyNotAgain,
  again,
}: ShownRun): (AgainItem & { readonly wish: StartRun })[] {
  const { failed = 0, flaky = 0 } = again ?? {};
  if (isLive || whyNotAgain !== null) return [];
  const from = runId;
  const items = [
    { key: 'all', label: 'Run all again', count: totals.planned, noun: 'trial', wish: { from } },
    { key: 'failed', label: 'Run failed', count: failed, noun: 'case', wish: { from, failed: true } },
    { key: 'flaky', label: 'Run flaky', count: flaky, noun: 'flaky case', wish: { from, flaky: true } },
  ];
  return items.flatMap(({ count, noun, ...item }) =>
    count === 0 ? [] : [{ ...item, description: `${counted(count, noun)}, as a new run` }],
  );
}

type ChangeActions = Omit<RunAgainMenuProps, 'run'>;

/** Changes of the trials that there are. */
function changeItems(
  { canRetryErrors, canRescore, totals }: ShownRun,
  { onRetryErrors, onRescore }: ChangeActions,
): (AgainItem & { readonly onSelect: () => void })[] {
  const errors = `${counted(totals.error, 'trial')}, in this run; earlier attempts are kept`;
  const retry = { key: 'errors', label: 'Retry errors', description: errors, onSelect: onRetryErrors };
  const scored = 'Evaluates the stored traces, as a new run';
  const rescore = { key: 'rescore', label: 'Score again', description: scored, onSelect: onRescore };
  return [...(canRetryErrors ? [retry] : []), ...(canRescore ? [rescore] : [])];
}

/** Runs the case of a trial again, under its variant; or says why that is impossible. */
export function RunCaseButton({ trialId, whyNot }: { trialId: string; whyNot: string | null }) {
  const { isPending, startAgain } = useStartAgain();
  const icon = <Play size={14} aria-hidden />;
  if (whyNot !== null) {
    return (
      <Button size="sm" icon={icon} disabled title={whyNot}>
        Run this case<span className="sr-only"> ({whyNot})</span>
      </Button>
    );
  }
  return (
    <GuardedButton
      needs="run"
      size="sm"
      variant="primary"
      icon={icon}
      isBusy={isPending}
      onClick={() => startAgain({ trial: trialId })}
    >
      Run this case
    </GuardedButton>
  );
}

/** Starts a run and goes to it; a refusal becomes a message. */
function useStartAgain() {
  const start = useStartRun();
  const toast = useToast();
  const startAgain = (wish: StartRun): void =>
    start.mutate(wish, { onError: (error) => toast.show(error.message, 'bad') });
  return { isPending: start.isPending, startAgain };
}
