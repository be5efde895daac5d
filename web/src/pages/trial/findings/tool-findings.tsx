import type { TrialRecord } from '../../../../../src/domain/record.ts';
import { figureText, percentText } from '../../../../../src/report/presentation/figures.ts';
import { valueText } from '../../../../../src/report/presentation/trial-text.ts';
import { formatDuration } from '../../../../../src/shared/format.ts';
import { Badge } from '../../../kit/badge.tsx';
import { CodeBlock } from '../../../kit/code.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Card } from '../../../kit/page.tsx';
import { SmallTable } from '../../../kit/small-table.tsx';
import { StateBadge } from './state-badge.tsx';

/** The tests of a suite against an MCP server. */
export function HealthTable({ toolHealth }: Pick<TrialRecord, 'toolHealth'>) {
  if (toolHealth.length === 0) return null;
  const passed = toolHealth.filter(({ state }) => state === 'pass').length;
  return (
    <Card
      title="Tool health"
      isFlush
      actions={
        <Badge tone={passed === toolHealth.length ? 'good' : 'bad'}>
          {passed} of {toolHealth.length} passed
        </Badge>
      }
    >
      <SmallTable
        label="Tool health"
        columns={[
          { header: 'Test' },
          { header: 'Tool' },
          { header: 'Result', isNarrow: true },
          { header: 'Time', isFigure: true },
          { header: 'Details' },
        ]}
        rows={toolHealth.map(({ testName, toolName, state, latency, retryCount, details, error }, index) => ({
          key: `${index + 1} ${testName}`,
          isProblem: state !== 'pass',
          cells: [
            testName,
            <code key="tool" className="font-mono text-xs">
              {toolName}
            </code>,
            <StateBadge key="state" state={state} />,
            `${formatDuration(latency)}${retryCount > 0 ? `, ${retryCount} again` : ''}`,
            <div key="details">
              {details}
              {error !== undefined && error !== details && <p className="text-xs text-fail">{error}</p>}
            </div>,
          ],
        }))}
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
          { header: 'Metric' },
          { header: 'Result', isNarrow: true },
          { header: 'Score', isFigure: true },
          { header: 'Details' },
        ]}
        rows={workflow.map(({ metric, passed, score, details, state }) => ({
          key: metric,
          isProblem: !passed,
          cells: [
            metric,
            <StateBadge key="state" state={state ?? (passed ? 'pass' : 'fail')} />,
            score.toFixed(2),
            details,
          ],
        }))}
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
        columns={[{ header: 'Script' }, { header: 'Score', isFigure: true }, { header: 'Summary' }]}
        rows={scripts.map(({ name, score, summary, error, metrics }, index) => ({
          key: `${index + 1} ${name}`,
          isProblem: error !== undefined,
          cells: [
            name,
            score === undefined ? '' : figureText(score),
            <div key="summary">
              {error ?? summary ?? ''}
              {metrics && (
                <Disclosure summary={<span className="text-xs text-muted">Metrics</span>}>
                  <CodeBlock text={valueText(metrics)} maxHeight={240} label="Metrics of the script" />
                </Disclosure>
              )}
            </div>,
          ],
        }))}
      />
    </Card>
  );
}
