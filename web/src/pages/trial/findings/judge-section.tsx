import type { JudgeAnswer, JudgeResult } from '../../../../../src/domain/judge-result.ts';
import { costText, figureText } from '../../../../../src/report/presentation/figures-text.ts';
import { valueText } from '../../../../../src/report/presentation/plain-output.ts';
import { grouped } from '../../../../../src/shared/format.ts';
import { Card } from '../../../kit/card.tsx';
import { CodeBlock } from '../../../kit/code-block.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { FactList } from './fact-list.tsx';
import { EvidenceList, JudgedCriteria, type ShowQuote } from './judged-criteria.tsx';
import { Remark } from './remark.tsx';
import { responseEvidence } from './result-groups.ts';
import { StateBadge } from './state-badge.tsx';

/** What the judge said; with a panel, what each member said and how far they differ. */
export function JudgeSection({ judge, onQuote }: { judge: JudgeResult; onQuote: ShowQuote }) {
  const { spread, panel = [] } = judge;
  return (
    <Card title="Judge" actions={<StateBadge state={judge.state} />}>
      <div className="flex flex-col gap-3">
        <Answer answer={judge} onQuote={onQuote} />
        {spread && (
          <p className="text-muted">
            Scores of the panel: mean {figureText(spread.mean)}, from {figureText(spread.min)} to{' '}
            {figureText(spread.max)}, standard deviation {figureText(spread.standardDeviation)}
          </p>
        )}
        {panel.map((member, index) => (
          <Disclosure
            key={`${index + 1} ${member.model}`}
            summary={
              <span className="flex flex-wrap items-center gap-2">
                {member.model ?? `Judge ${index + 1}`} <StateBadge state={member.state} />
                {member.score !== undefined && <span className="text-muted">{figureText(member.score)}</span>}
              </span>
            }
          >
            <div className="flex flex-col gap-3">
              <Answer answer={member} onQuote={onQuote} />
            </div>
          </Disclosure>
        ))}
      </div>
    </Card>
  );
}

function Answer({ answer, onQuote }: { answer: JudgeAnswer; onQuote: ShowQuote }) {
  const { reason, criteria = [], warnings, fault, raw, response } = answer;
  return (
    <>
      <p className="whitespace-pre-wrap">{reason}</p>
      <AnswerFacts answer={answer} />
      {fault && (
        <Remark tone="warn">
          <strong>{fault.code}</strong> {!reason.includes(fault.message) && fault.message} {fault.hint}
        </Remark>
      )}
      {warnings.map((warning) => (
        <Remark key={warning} tone="info">
          {warning}
        </Remark>
      ))}
      {criteria.length > 0 ? (
        <JudgedCriteria criteria={criteria} onQuote={onQuote} />
      ) : (
        <EvidenceList evidence={responseEvidence(response)} onQuote={onQuote} />
      )}
      {raw !== undefined && (
        <Disclosure summary="The reply that could not be read">
          <CodeBlock text={raw} label="Reply of the judge" />
        </Disclosure>
      )}
      {response !== undefined && (
        <Disclosure summary={<span className="text-muted">Response as the judge gave it</span>}>
          <CodeBlock text={valueText(response)} label="Response of the judge" />
        </Disclosure>
      )}
    </>
  );
}

function AnswerFacts({ answer }: { answer: JudgeAnswer }) {
  const { mode, model, score, threshold, confidence, promptVersion, costUsd, usage, isCached } = answer;
  const tokens = usage.inputTokens + usage.outputTokens;
  return (
    <FactList
      facts={[
        score === undefined ? null : ['Score', figureText(score)],
        threshold === undefined ? null : ['Passes from', figureText(threshold)],
        model === undefined ? null : ['Model', model],
        ['Mode', mode],
        confidence === undefined ? null : ['Says it is sure', figureText(confidence)],
        ['Prompt', promptVersion],
        costUsd === null || costUsd === 0 ? null : ['Cost', costText(costUsd)],
        tokens === 0 ? null : ['Tokens', grouped(tokens)],
        isCached ? ['From', 'cache'] : null,
      ]}
    />
  );
}
