import type { ReactNode } from 'react';
import { marksOf } from '../../../../../src/domain/marks.ts';
import type { EvaluatorResult } from '../../../../../src/domain/outcome.ts';
import type { TrialRecord } from '../../../../../src/domain/record.ts';
import type { TrialDetail } from '../../../../../src/entry/server/api/trials.ts';
import { plainOutput, valueText } from '../../../../../src/report/presentation/trial-text.ts';
import { isRecord } from '../../../../../src/shared/json.ts';
import { useEvaluatorLabels } from '../../../data/project.ts';
import { Badge, OutcomeBadge } from '../../../kit/badge.tsx';
import { CodeBlock, DiffBlock, WithCode } from '../../../kit/code.tsx';
import { Card } from '../../../kit/page.tsx';
import { CriteriaList } from '../findings/findings.tsx';
import { EvidenceList, JudgedCriteria, type ShowQuote } from '../findings/judge-section.tsx';
import { StateBadge } from '../findings/state-badge.tsx';
import { FaultNote } from '../trial-facts.tsx';
import { besides, type Deciding } from './deciding.ts';
import { ExpectedActual } from './expected-actual.tsx';

interface WhatHappenedProps {
  readonly trial: TrialDetail;
  readonly deciding: Deciding;
  readonly onQuote: ShowQuote;
}

/** Why the trial ended as it did, with the evidence: the first thing to read. */
export function WhatHappened({ trial, deciding, onQuote }: WhatHappenedProps) {
  const { record } = trial;
  const { fault, outcome, reason } = record;
  return (
    <Card
      isColumn
      title="What happened"
      actions={
        <>
          {outcome === 'pass' && fault?.code === 'NOT_JUDGED' && <Badge tone="warn">not judged</Badge>}
          <OutcomeBadge outcome={outcome} marks={marksOf(record)} />
        </>
      }
    >
      <p className="text-base font-medium whitespace-pre-wrap">{plainOutput(reason)}</p>
      {fault && <FaultNote fault={fault} reason={reason} />}
      <ThrownError record={record} />
      <ExpectedActual trial={trial} />
      <DecidingFindings record={record} deciding={deciding} onQuote={onQuote} />
    </Card>
  );
}

/** The error that a tool threw, where the reason does not have all of it. */
function ThrownError({ record: { toolError, reason } }: { record: TrialRecord }) {
  if (!toolError || reason.includes(toolError.message)) return null;
  const text = toolError.name === undefined ? toolError.message : `${toolError.name}: ${toolError.message}`;
  return (
    <Evidence label="The tool failed with">
      <CodeBlock text={plainOutput(text)} maxHeight={220} label="Error of the tool" />
    </Evidence>
  );
}

function DecidingFindings({ record, deciding, onQuote }: { record: TrialRecord } & Omit<WhatHappenedProps, 'trial'>) {
  const { reason: headline, judge } = record;
  const { results, gates, criteria, judged, evidence } = deciding;
  const judgeReason = judged.length > 0 && judge ? besides(headline, judge.reason) : undefined;
  return (
    <>
      {results.map((result, index) => (
        <FailedResult key={`${index + 1} ${result.type}`} result={result} headline={headline} />
      ))}
      {gates.map((gate, index) => (
        <FailedGate key={`${index + 1} ${gate.gate_type}`} gate={gate} headline={headline} />
      ))}
      {criteria.length > 0 && (
        <Evidence label="Criteria">
          <CriteriaList criteria={criteria} headline={headline} />
        </Evidence>
      )}
      {judged.length + evidence.length > 0 && (
        <Evidence label="Judge">
          {judgeReason !== undefined && <p className="whitespace-pre-wrap">{judgeReason}</p>}
          {judged.length > 0 && <JudgedCriteria criteria={judged} onQuote={onQuote} />}
          <EvidenceList evidence={evidence} onQuote={onQuote} />
        </Evidence>
      )}
    </>
  );
}

function FailedResult({ result, headline }: { result: EvaluatorResult; headline: string }) {
  const labelOf = useEvaluatorLabels();
  const { diff, ...figures } = result.metadata ?? {};
  const reason = besides(headline, result.reason);
  const { fault } = result;
  return (
    <Evidence label={labelOf(result.type)} note={result.id ?? result.name} state={result.state}>
      {reason !== undefined && <p className="whitespace-pre-wrap">{plainOutput(reason)}</p>}
      {fault && (
        <p className="text-xs text-error">
          {fault.code}: <WithCode text={fault.hint} />
        </p>
      )}
      {typeof diff === 'string' && <DiffBlock text={diff} maxHeight={320} />}
      {Object.keys(figures).length > 0 && (
        <CodeBlock text={valueText(figures)} maxHeight={160} label="Figures behind the result" />
      )}
    </Evidence>
  );
}

/** A gate with its command and what that printed, where it ran one. */
function FailedGate({ gate, headline }: { gate: TrialRecord['gates'][number]; headline: string }) {
  const labelOf = useEvaluatorLabels();
  const reason = besides(headline, gate.message);
  return (
    <Evidence label={labelOf(gate.gate_type)} state="fail">
      {reason !== undefined && <p className="whitespace-pre-wrap">{plainOutput(reason)}</p>}
      <GateDetail detail={gate.detail} />
    </Evidence>
  );
}

function GateDetail({ detail }: { detail: unknown }) {
  if (detail === undefined || detail === null) return null;
  if (!isRecord(detail) || typeof detail.command !== 'string') {
    return <CodeBlock text={valueText(detail)} maxHeight={240} label="Detail of the gate" />;
  }
  const printed = ['stdout', 'stderr'].flatMap((name) => {
    const text = detail[name];
    return typeof text === 'string' && text !== '' ? [`${name}:\n${text.trimEnd()}`] : [];
  });
  const ended = typeof detail.exit_code === 'number' ? `exit ${detail.exit_code}` : 'did not end by itself';
  const lines = [`$ ${detail.command}`, ...(printed.length > 0 ? printed : ['(printed nothing)']), ended];
  return <CodeBlock text={plainOutput(lines.join('\n'))} maxHeight={280} label="Command of the gate and its output" />;
}

interface EvidenceProps {
  readonly label: string;
  readonly note?: string | undefined;
  readonly state?: EvaluatorResult['state'];
  readonly children: ReactNode;
}

function Evidence({ label, note, state, children }: EvidenceProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5 border-l-2 border-fail/50 pl-3">
      <h3 className="flex flex-wrap items-center gap-2 text-xs font-medium text-muted">
        {state !== undefined && <StateBadge state={state} />}
        {label}
        {note !== undefined && note !== label && <code className="font-mono">{note}</code>}
      </h3>
      {children}
    </div>
  );
}
