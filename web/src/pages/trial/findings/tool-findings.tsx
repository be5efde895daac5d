import type { TrialRecord } from '../../../../../src/domain/record.ts';
import { figureText, percentText } from '../../../../../src/report/presentation/figures.ts';
import { valueText } from '../../../../../src/report/presentation/trial-text.ts';
import { formatDuration } from '../../../../../src/shared/format.ts';
import { Badge, PassedBadge } from '../../../kit/badge.tsx';
import { FoldedCode, Mono } from '../../../kit/code.tsx';
import { Card } from '../../../kit/page.tsx';
import { SmallTable } from '../../../kit/small-table.tsx';
import { StateBadge } from './state-badge.tsx';

/** The tests of a suite against an MCP server. */
export function HealthTable({ toolHealth }: Pick<TrialRecord, 'toolHealth'>) {
  if (toolHealth.length === 0) return null;
  const passed = toolHealth.filter(({ state }) => state === 'pass').length;
  return (
    <Card title="Tool health" isFlush actions={<PassedBadge passed={passed} all={toolHealth.length} />}>
      <SmallTable
        label="Tool health"
        columns={[
          { header: 'Test', cell: ({ testName }) => testName },
          { header: 'Tool', cell: ({ toolName }) => <Mono>{toolName}</Mono> },
          { header: 'Result', isNarrow: true, cell: ({ state }) => <StateBadge state={state} /> },
          {
            header: 'Time',
            isFigure: true,
            cell: ({ latency, retryCount: again }) =>
              `${formatDuration(latency)}${again > 0 ? `, ${again} again` : ''}`,
          },
          {
            header: 'Details',
            cell: ({ details, error }) => (
              <>
                {details}
                {error !== undefined && error !== details && <p className="text-xs text-fail">{error}</p>}
              </>
            ),
          },
        ]}
        rows={toolHealth}
        isProblem={({ state }) => state !== 'pass'}
      />
    </Card>
  );
}

/** The figures that a workflow is scored by. */
export function WorkflowTable({ workflow, workflowScore }: Pick<TrialRecord, 'workflow' | 'workflowScore'>) {
  if (workflow.length === 0) return null;
  return (
    <Card
      title="Workflow"
      isFlush
      actions={workflowScore !== null && <Badge tone="neutral">score {percentText(workflowScore)}</Badge>}
    >
      <SmallTable
        label="Workflow"
        columns={[
          { header: 'Metric', cell: ({ metric }) => metric },
          {
            header: 'Result',
            isNarrow: true,
            cell: ({ state, passed }) => <StateBadge state={state ?? (passed ? 'pass' : 'fail')} />,
          },
          { header: 'Score', isFigure: true, cell: ({ score }) => score.toFixed(2) },
          { header: 'Details', cell: ({ details }) => details },
        ]}
        rows={workflow}
        isProblem={({ passed }) => !passed}
      />
    </Card>
  );
}

/** The reports of the scenario's evaluator scripts. */
export function ScriptsTable({ scripts }: Pick<TrialRecord, 'scripts'>) {
  if (scripts.length === 0) return null;
  return (
    <Card title="Scripts" isFlush>
      <SmallTable
        label="Scripts"
        columns={[
          { header: 'Script', cell: ({ name }) => name },
          { header: 'Score', isFigure: true, cell: ({ score }) => (score === undefined ? '' : figureText(score)) },
          {
            header: 'Summary',
            cell: ({ summary, error, metrics }) => (
              <>
                {error ?? summary ?? ''}
                {metrics && <FoldedCode label="Metrics" text={valueText(metrics)} maxHeight={240} />}
              </>
            ),
          },
        ]}
        rows={scripts}
        isProblem={({ error }) => error !== undefined}
      />
    </Card>
  );
}
