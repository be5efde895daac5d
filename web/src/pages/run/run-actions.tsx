import { useNavigate } from '@tanstack/react-router';
import { CircleStop, Download, GitCompareArrows, StepForward } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { ShownRun, StartedRun } from '../../../../src/entry/server/api/runs.ts';
import { type CompareSearch, comparedParts } from '../../app/search-params.ts';
import { api, apiUrl } from '../../data/api.ts';
import { runAddress } from '../../data/queries.ts';
import { LinkButton } from '../../kit/button.tsx';
import { GuardedButton } from '../../kit/guarded-button.tsx';
import { Menu } from '../../kit/menu.tsx';
import { useChange } from '../../kit/use-change.ts';
import { useLoadedState } from '../../kit/use-loaded-state.ts';
import { variantChoices } from '../compare/compare-request.ts';
import { RunAgainMenu } from '../runs/run-again.tsx';
import { ShareButton } from '../share/share-button.tsx';
import { RunMoreMenu } from './run-labels.tsx';

/** Reports that can be downloaded. */
const reportFormats = [
  { format: 'html', label: 'HTML', description: 'One page to read and to send, without a server' },
  { format: 'markdown', label: 'Markdown', description: 'For a pull request or a wiki' },
  { format: 'json', label: 'JSON', description: 'Everything, for programs' },
  { format: 'csv', label: 'CSV', description: 'One line per trial, for spreadsheets' },
  { format: 'junit', label: 'JUnit', description: 'For CI systems' },
] as const;

const ConfirmDialog = lazy(async () => ({ default: (await import('../../kit/dialog.tsx')).ConfirmDialog }));

/** The actions on a run. */
export function RunActions({ run }: { run: ShownRun }) {
  const [isStopping, setIsStopping] = useLoadedState(false);
  const cancel = useRunChange(run.runId, 'cancel', 'What was running is being stopped; what finished is stored.');
  const resume = useRunChange(run.runId, 'resume', 'The run continues.');
  const retry = useRunChange(run.runId, 'retry-errors', 'Trials that ended in an error run again.');
  const rescore = useRunChange(run.runId, 'rescore', 'Scored again as a new run.');
  return (
    <>
      {run.canCancel && (
        <GuardedButton
          needs="run"
          icon={<CircleStop size={14} aria-hidden />}
          isBusy={cancel.isPending}
          onClick={() => setIsStopping(true)}
        >
          Cancel
        </GuardedButton>
      )}
      {run.canResume && (
        <GuardedButton
          needs="run"
          variant="primary"
          icon={<StepForward size={14} aria-hidden />}
          isBusy={resume.isPending}
          onClick={() => resume.mutate()}
        >
          Resume
        </GuardedButton>
      )}
      <RunAgainMenu run={run} onRetryErrors={() => retry.mutate()} onRescore={() => rescore.mutate()} />
      <LinkButton to="/compare" search={comparedWith(run)} icon={<GitCompareArrows size={14} aria-hidden />}>
        Compare
      </LinkButton>
      <Menu label="Report" icon={<Download size={14} aria-hidden />} groups={[reportGroup(run.runId)]} />
      <ShareButton what="run" fileUrl={apiUrl(`${runAddress(run.runId)}/report/html`)} />
      <RunMoreMenu run={run} />
      <Suspense>
        {isStopping && <CancelDialog onClose={() => setIsStopping(false)} onConfirm={() => cancel.mutate()} />}
      </Suspense>
    </>
  );
}

/** A run with variants is compared within itself; one without, with the run before it. */
function comparedWith({ runId, cells, header }: ShownRun): CompareSearch {
  const [first] = variantChoices(cells);
  const by = comparedParts.find((part) => part === header.request.experiment?.by) ?? first?.by;
  if (by === undefined) return { b: runId };
  const values = variantChoices(cells).find((choice) => choice.by === by)?.values ?? [];
  return { a: runId, by, ...(values.length === 2 && { valueA: values[0], valueB: values[1] }) };
}

function CancelDialog({ onClose, onConfirm }: { onClose: () => void; onConfirm: () => void }) {
  return (
    <ConfirmDialog
      title="Cancel this run?"
      isOpen
      onClose={onClose}
      confirmLabel="Cancel the run"
      isDangerous
      onConfirm={() => {
        onClose();
        onConfirm();
      }}
    >
      What has finished stays. What has not can be run later with Resume.
    </ConfirmDialog>
  );
}

function useRunChange(runId: string, change: 'cancel' | 'resume' | 'retry-errors' | 'rescore', message: string) {
  const navigate = useNavigate();
  return useChange({
    send: () => api.post<StartedRun>(`${runAddress(runId)}/${change}`),
    stale: [['run', runId], ['runs']],
    message,
    async onDone(changed) {
      if (changed.runId !== runId) await navigate({ to: '/runs/$runId', params: { runId: changed.runId } });
    },
  });
}

function reportGroup(runId: string) {
  return {
    label: 'Download as',
    items: reportFormats.map(({ format, label, description }) => ({
      key: format,
      label,
      description,
      onSelect: () => download(apiUrl(`${runAddress(runId)}/report/${format}`)),
    })),
  };
}

function download(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}
