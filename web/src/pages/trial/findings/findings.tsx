import type { Interaction } from '../../../../../src/domain/interaction.ts';
import type { EvaluatorResult } from '../../../../../src/domain/outcome.ts';
import type { TrialRecord } from '../../../../../src/domain/record.ts';
import { figureText, percentText } from '../../../../../src/report/presentation/figures.ts';
import { criteriaCountsText } from '../../../../../src/report/presentation/trial-text.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Mono } from '../../../kit/code.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Card, EmptyState, Remark } from '../../../kit/page.tsx';
import { figureColumns, type SmallColumn, SmallTable, TableCard } from '../../../kit/small-table.tsx';
import type { Deciding } from '../what-happened/deciding.ts';
import { JudgeSection, type ShowQuote } from './judge-section.tsx';
import { isProblem, type ShownCriterion, serverPerformance, shownCriteria, turnSummary } from './result-groups.ts';
import { AssertionsTable, evaluatorColumns, GatesTable, MetricsTable } from './result-tables.tsx';
import { ServerPerformanceCard } from './server-performance-card.tsx';
import { StateBadge } from './state-badge.tsx';
import { HealthTable, ScriptsTable, WorkflowTable } from './tool-findings.tsx';

/** Criteria with what they must be, and why they are not; an explanation that the headline has is left out. */
export function CriteriaList({ criteria, headline }: { criteria: readonly ShownCriterion[]; headline?: string }) {
  return (
    <ul className="mt-2 flex flex-col divide-y divide-line">
      {criteria.map(({ key, criterion, mustBe, isGood, explanation }) => (
        <li key={key} className="flex flex-col gap-1 py-2">
          <span className="flex flex-wrap items-center gap-2">
            <StateBadge state={isGood ? 'pass' : 'fail'} />
            <span className="text-xs text-muted">must be {String(mustBe)}</span>
            <code className="min-w-0 rounded bg-raised px-1.5 py-0.5 font-mono text-xs">{criterion}</code>
          </span>
          {!headline?.includes(explanation) && (
            <span className="text-sm whitespace-pre-wrap text-muted">{explanation}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Each boolean criterion with its explanation: which part of it was false, and with which values. */
function CriteriaSection({ record, above }: { record: TrialRecord; above: Deciding }) {
  const { criteria } = record;
  const keys = new Set(above.criteria.map(({ key }) => key));
  const visible = criteria ? shownCriteria(criteria).filter(({ key }) => !keys.has(key)) : [];
  if (!criteria || visible.length === 0) return null;
  const { reason, confidence, recommendation } = criteria.summary;
  return (
    <Card
      title={keys.size > 0 ? 'Other criteria' : 'Criteria'}
      actions={<Badge tone="neutral">confidence {confidence.toLowerCase()}</Badge>}
    >
      {keys.size === 0 && !record.reason.includes(reason) && <p>{reason}</p>}
      <p className="text-muted tabular-nums">{criteriaCountsText(criteria)}</p>
      {recommendation !== '' && <p className="text-muted">{recommendation}</p>}
      <CriteriaList criteria={visible} />
    </Card>
  );
}

const counts = ['total_commands', 'unique_commands', 'error_count', 'retry_count', 'help_invocations'] as const;
const headers = ['Calls', 'Different', 'Errors', 'Again', 'Help', 'Error rate', 'First try'];

/** How well the agent used the tool, all in all and by subcommand; diagnostic, and never part of the outcome. */
function InteractionSection({ interaction }: { interaction: Interaction }) {
  const rows = [{ ...interaction, name: undefined }, ...Object.entries(interaction.subcommands).map(named)];
  return (
    <TableCard
      title="How the tool was used"
      actions={<Badge tone="neutral">seen by: {interaction.source}</Badge>}
      columns={[
        {
          header: 'Command',
          cell: ({ name }) => (name === undefined ? <strong>All commands</strong> : <Mono>{name}</Mono>),
        },
        ...figureColumns(headers, (figures: (typeof rows)[number]) => [
          ...counts.map((key) => figureText(figures[key])),
          percentText(figures.error_rate),
          percentText(figures.first_try_success_rate),
        ]),
      ]}
      rows={rows}
    >
      <div className="flex flex-col gap-2 px-4 py-2 empty:hidden">
        {!interaction.completed && <Remark tone="warn">The agent did not complete.</Remark>}
        {interaction.disagreements.map(({ message }) => (
          <Remark key={message} tone="info">
            {message}
          </Remark>
        ))}
        {interaction.unrecorded.length > 0 && (
          <Remark tone="info">
            Bypassed the recorder:
            <ul className="font-mono text-xs">
              {interaction.unrecorded.map((line, index) => (
                <li key={`${index + 1}`}>{line}</li>
              ))}
            </ul>
          </Remark>
        )}
      </div>
    </TableCard>
  );
}

function named([name, figures]: [string, Interaction['subcommands'][string]]) {
  return { ...figures, name };
}

const valueColumn: SmallColumn<EvaluatorResult> = {
  header: 'Value',
  isFigure: true,
  cell: ({ value }) => (value === undefined ? '' : figureText(value)),
};

/** The results after each answer of a conversation; turns with failures are open. */
function TurnsSection({ turns }: { turns: TrialRecord['turns'] }) {
  if (turns.length === 0) return null;
  return (
    <Card title="Turn by turn">
      <div className="flex flex-col gap-1">
        {turns.map(({ turn, results }) => (
          <Disclosure
            key={turn}
            isOpen={results.some(isProblem)}
            summary={
              <>
                Turn {turn} <span className="text-xs text-muted">{turnSummary(results)}</span>
              </>
            }
          >
            <SmallTable
              label={`Results of turn ${turn}`}
              columns={[
                ...evaluatorColumns,
                // An empty column would take the room of the reasons.
                ...(results.some(({ value }) => value !== undefined) ? [valueColumn] : []),
                { header: 'Reason', cell: ({ reason }) => reason },
              ]}
              rows={results}
              isProblem={isProblem}
            />
          </Disclosure>
        ))}
      </div>
    </Card>
  );
}

interface FindingsProps {
  readonly record: TrialRecord;
  /** Findings against the trial, which are shown at the top of the page. */
  readonly above: Deciding;
  readonly onQuote: ShowQuote;
}

/** All else that was found out about a trial: figures first, then what decides. */
export function Findings({ record, above, onQuote }: FindingsProps) {
  const { judge, gates, turns, interaction, toolHealth, workflow, workflowScore, scripts } = record;
  const performance = serverPerformance(record);
  const isEmpty = record.evaluatorResults.length === 0 && gates.length === 0 && toolHealth.length === 0 && !judge;
  return (
    <div className="flex flex-col gap-4">
      {isEmpty && (
        <EmptyState title="Nothing was evaluated">
          {record.outcome === 'error' ? 'The trial ended before anything could be judged.' : 'There are no results.'}
        </EmptyState>
      )}
      <MetricsTable record={record} />
      <AssertionsTable record={record} above={above} />
      <GatesTable gates={gates} above={above} />
      {judge && <JudgeSection judge={judge} onQuote={onQuote} above={above} headline={record.reason} />}
      <CriteriaSection record={record} above={above} />
      <HealthTable toolHealth={toolHealth} />
      {performance && <ServerPerformanceCard performance={performance} />}
      <WorkflowTable workflow={workflow} workflowScore={workflowScore} />
      <TurnsSection turns={turns} />
      {interaction && <InteractionSection interaction={interaction} />}
      <ScriptsTable scripts={scripts} />
    </div>
  );
}
