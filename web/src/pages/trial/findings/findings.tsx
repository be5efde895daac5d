import type { TrialRecord } from '../../../../../src/domain/record.ts';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { CriteriaSection } from './criteria-section.tsx';
import { GatesTable } from './gates-table.tsx';
import { InteractionSection } from './interaction-section.tsx';
import { JudgeSection } from './judge-section.tsx';
import type { ShowQuote } from './judged-criteria.tsx';
import { AssertionsTable, MetricsTable } from './result-tables.tsx';
import { HealthTable, ScriptsTable, WorkflowTable } from './tool-findings.tsx';
import { TurnsSection } from './turns-section.tsx';

/** All that was found out about a trial: what decides first, then what is only tracked. */
export function Findings({ record, onQuote }: { record: TrialRecord; onQuote: ShowQuote }) {
  const { judge, criteria, gates, turns, interaction, toolHealth, workflow, workflowScore, scripts } = record;
  const isEmpty = record.evaluatorResults.length === 0 && gates.length === 0 && toolHealth.length === 0 && !judge;
  return (
    <div className="flex flex-col gap-4">
      {isEmpty && (
        <EmptyState title="Nothing was evaluated">
          {record.outcome === 'error' ? 'The trial broke before anything could be judged.' : 'There are no results.'}
        </EmptyState>
      )}
      <AssertionsTable record={record} />
      <GatesTable gates={gates} />
      {judge && <JudgeSection judge={judge} onQuote={onQuote} />}
      {criteria && <CriteriaSection criteria={criteria} />}
      <HealthTable toolHealth={toolHealth} />
      <WorkflowTable workflow={workflow} workflowScore={workflowScore} />
      <TurnsSection turns={turns} />
      <MetricsTable record={record} />
      {interaction && <InteractionSection interaction={interaction} />}
      <ScriptsTable scripts={scripts} />
    </div>
  );
}
