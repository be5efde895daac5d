import { Quote, SearchX } from 'lucide-react';
import type { Evidence, JudgedCriterion } from '../../../../../src/domain/judge-result.ts';
import { figureText } from '../../../../../src/report/presentation/figures-text.ts';
import { Badge } from '../../../kit/badge.tsx';
import { criterionState } from './result-groups.ts';
import { StateBadge } from './state-badge.tsx';

/** Shows a quote where it stands in the trace; undefined where the named event is not in it. */
export type ShowQuote = (evidence: Evidence) => (() => void) | undefined;

const answerWords = { met: 'Met', 'not-met': 'Not met', 'cannot-tell': 'Cannot tell' } as const;

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
  const { event, quote, isVerified } = evidence;
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
          {event}
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
