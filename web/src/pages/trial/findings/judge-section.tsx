import { Quote, SearchX } from 'lucide-react';
import type { Evidence, JudgeAnswer, JudgedCriterion, JudgeResult } from '../../../../../src/domain/judge-result.ts';
import { reusedVerdictText } from '../../../../../src/domain/marks.ts';
import { totalTokensOf } from '../../../../../src/domain/usage.ts';
import { figureText } from '../../../../../src/report/presentation/figures.ts';
import { valueText } from '../../../../../src/report/presentation/trial-text.ts';
import { costText, grouped } from '../../../../../src/shared/format.ts';
import { Badge } from '../../../kit/badge.tsx';
import { CodeBlock, FoldedCode, WithCode } from '../../../kit/code.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Card, Remark } from '../../../kit/page.tsx';
import { FactList } from '../../../kit/small-table.tsx';
import type { Deciding } from '../what-happened/deciding.ts';
import { criterionState, responseEvidence } from './result-groups.ts';
import { StateBadge } from './state-badge.tsx';

/** Shows a quote where it stands in the trace; undefined where the named event is not in it. */
export type ShowQuote = (evidence: Evidence) => (() => void) | undefined;

const answerWords = { met: 'met', 'not-met': 'not met', 'cannot-tell': 'cannot tell' } as const;

/** Each criterion with the judge's answer and the passages that it rests on. */
export function JudgedCriteria({ criteria, onQuote }: { criteria: readonly JudgedCriterion[]; onQuote: ShowQuote }) {
  return (
    <ul aria-label="Criteria of the judge" className="flex flex-col divide-y divide-line border-t border-line">
      {criteria.map((criterion) => (
        <li key={criterion.id} className="flex flex-col gap-1.5 py-2.5">
          <div className="flex flex-wrap items-start gap-2">
            <StateBadge state={criterionState(criterion)} word={answerWords[criterion.answer]} />
            <span className="min-w-0 flex-1 font-medium">
              {criterion.kind === 'failure' && <span className="text-muted">Must not hold: </span>}
              {criterion.text}
            </span>
            {criterion.score !== undefined && <Badge tone="neutral">{figureText(criterion.score)}</Badge>}
          </div>
          <p className="whitespace-pre-wrap text-muted">{criterion.reason}</p>
          <EvidenceList evidence={criterion.evidence} onQuote={onQuote} />
        </li>
      ))}
    </ul>
  );
}

/** Passages of the trace that an answer rests on; each leads to where it stands. */
export function EvidenceList({ evidence, onQuote }: { evidence: readonly Evidence[]; onQuote: ShowQuote }) {
  return evidence.map((item, index) => (
    <EvidenceQuote key={`${index + 1} ${item.event}`} evidence={item} onShow={onQuote(item)} />
  ));
}

function EvidenceQuote({ evidence, onShow }: { evidence: Evidence; onShow: (() => void) | undefined }) {
  const { event, quote, isVerified, file, line } = evidence;
  const words = (
    <>
      {isVerified ? (
        <Quote size={13} aria-hidden className="mt-1 shrink-0 text-accent" />
      ) : (
        <SearchX size={13} aria-hidden className="mt-1 shrink-0 text-fail" />
      )}
      <span className="min-w-0">
        <span className="line-clamp-4 font-mono text-xs">{quote}</span>
        <span className="flex flex-wrap items-center gap-2 text-xs text-muted">
          {file === undefined ? event : `${file}:${line}`}
          {!isVerified && <Badge tone="bad">not found in that event</Badge>}
        </span>
      </span>
    </>
  );
  if (!onShow) return <div className="flex gap-2 rounded-md border border-line px-2 py-1">{words}</div>;
  return (
    <button
      type="button"
      onClick={onShow}
      title="Show it in the trace"
      className="flex gap-2 rounded-md border border-line px-2 py-1 text-left hover:border-accent hover:bg-accent-ground/50"
    >
      {words}
    </button>
  );
}

interface JudgeSectionProps {
  readonly judge: JudgeResult;
  readonly onQuote: ShowQuote;
  /** Findings against the trial, which are shown at the top of the page. */
  readonly above: Deciding;
  readonly headline: string;
}

/** The judge's verdict; with a panel, that of each member and how far they differ. */
export function JudgeSection({ judge, onQuote, above, headline }: JudgeSectionProps) {
  const { spread, panel = [] } = judge;
  return (
    <Card isColumn title="Judge" actions={<StateBadge state={judge.state} />}>
      <Answer answer={judge} onQuote={onQuote} above={above} headline={headline} />
      {spread && (
        <p className="text-muted">
          Scores of the panel: mean {figureText(spread.mean)}, from {figureText(spread.min)} to {figureText(spread.max)}
          , standard deviation {figureText(spread.standardDeviation)}
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
    </Card>
  );
}

interface AnswerProps extends Partial<Pick<JudgeSectionProps, 'above' | 'headline'>> {
  readonly answer: JudgeAnswer;
  readonly onQuote: ShowQuote;
}

function Answer({ answer, onQuote, above, headline = '' }: AnswerProps) {
  const { reason, warnings, fault, raw, response } = answer;
  const criteria = (answer.criteria ?? []).filter((each) => !above?.judged.includes(each));
  const isReasonAbove = headline.includes(reason) || (above !== undefined && above.judged.length > 0);
  const evidence = above !== undefined && above.evidence.length > 0 ? [] : responseEvidence(response);
  return (
    <>
      {!isReasonAbove && <p className="whitespace-pre-wrap">{reason}</p>}
      <AnswerFacts answer={answer} />
      {fault && (
        <Remark tone="warn">
          <strong>{fault.code}</strong> {!reason.includes(fault.message) && fault.message}{' '}
          <WithCode text={fault.hint} />
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
        (answer.criteria ?? []).length === 0 && <EvidenceList evidence={evidence} onQuote={onQuote} />
      )}
      {raw !== undefined && (
        <Disclosure summary="The reply that could not be read">
          <CodeBlock text={raw} label="Reply of the judge" />
        </Disclosure>
      )}
      {response !== undefined && <FoldedCode label="Response as the judge gave it" text={valueText(response)} />}
    </>
  );
}

function AnswerFacts({ answer }: { answer: JudgeAnswer }) {
  const { mode, model, score, threshold, confidence, promptVersion, costUsd, usage, isCached } = answer;
  const tokens = totalTokensOf(usage);
  return (
    <FactList
      facts={[
        score === undefined ? null : ['Score', figureText(score)],
        threshold === undefined ? null : ['Passes from', figureText(threshold)],
        model === undefined ? null : ['Model', model],
        ['Mode', mode],
        confidence === undefined ? null : ['Confidence', figureText(confidence)],
        ['Prompt', promptVersion],
        costUsd === null || costUsd === 0 ? null : ['Cost', costText(costUsd)],
        tokens === undefined || tokens === 0 ? null : ['Tokens', grouped(tokens)],
        isCached ? ['Reused', reusedVerdictText] : null,
      ]}
    />
  );
}
