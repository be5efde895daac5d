import { Quote, SearchX } from 'lucide-react';
import type { JudgedPair, PairQuote } from '../../../../src/report/compare/judged-pair.ts';
import { type PairwiseComparison, pairwiseTexts } from '../../../../src/report/compare/judged-pairs.ts';
import { orderText, quoteSourceText, winnerWords } from '../../../../src/report/presentation/pair-text.ts';
import { caseTitle } from '../../../../src/report/presentation/trial-text.ts';
import type { ComparisonRequest } from '../../data/trials.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { Bullets, Card } from '../../kit/page.tsx';
import { useSteps } from '../../kit/small-table.tsx';
import { TrialButton } from './compared-cases.tsx';
import { JudgeForm } from './judge-form.tsx';

interface JudgedCardProps {
  readonly request: ComparisonRequest;
  readonly judged: PairwiseComparison | undefined;
}

/** Which answers a judge prefers, pair by pair; or the form that lets it compare them. */
export function JudgedCard({ request, judged }: JudgedCardProps) {
  if (isReport && !judged) return null;
  return (
    <Card title="Answers side by side" isFlush>
      <div className="flex flex-col gap-2 p-4">
        {judged ? (
          <JudgedTexts judged={judged} />
        ) : (
          !isReport && (
            <p className="text-muted">
              A judge compares the answers to each case, in both orders. A preference counts only with words that are
              found in the answers. Each pair takes two model calls.
            </p>
          )
        )}
        {!isReport && <JudgeForm request={request} isJudged={judged !== undefined} />}
      </div>
      {judged && <PairList pairs={judged.pairs} />}
    </Card>
  );
}

function JudgedTexts({ judged }: { judged: PairwiseComparison }) {
  const [answer, ...others] = pairwiseTexts(judged);
  return (
    <>
      <p className="font-medium">{answer}</p>
      <Bullets texts={others} />
    </>
  );
}

const tones: Readonly<Record<JudgedPair['winner'], Tone>> = {
  a: 'bad',
  b: 'good',
  tie: 'neutral',
  'order-dependent': 'neutral',
  'not-judged': 'warn',
};
const step = 30;

function PairList({ pairs }: { pairs: readonly JudgedPair[] }) {
  const [visible, more] = useSteps(pairs, step, 'pairs');
  return (
    <>
      <ul className="divide-y divide-line border-t border-line">
        {visible.map((pair) => (
          <li key={`${pair.trialA} ${pair.trialB}`} className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2.5">
            <span className="w-36 shrink-0">
              <Badge tone={tones[pair.winner]}>{winnerWords[pair.winner]}</Badge>
            </span>
            <PairText pair={pair} />
            <span className="flex flex-wrap gap-1">
              <TrialButton trialId={pair.trialA} label="Trial of A" />
              <TrialButton trialId={pair.trialB} label="Trial of B" />
            </span>
          </li>
        ))}
      </ul>
      {more && <div className="border-t border-line p-3">{more}</div>}
    </>
  );
}

function PairText({ pair }: { pair: JudgedPair }) {
  return (
    <div className="min-w-48 flex-1">
      <span className="font-medium">{caseTitle(pair)}</span>
      <span className="block text-muted">{pair.reason}</span>
      <div className="mt-1 grid gap-x-4 gap-y-1 text-xs sm:grid-cols-2">
        {pair.orders.map((order) => (
          <div key={order.first} className="min-w-0">
            <span>{orderText(order)}</span>
            {order.quotes.map((quote, index) => (
              <QuoteLine key={`${index + 1} ${quote.event}`} quote={quote} />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function QuoteLine({ quote }: { quote: PairQuote }) {
  return (
    <span className="flex gap-1.5">
      {quote.isVerified ? (
        <Quote size={13} aria-hidden className="mt-0.5 shrink-0 text-accent" />
      ) : (
        <SearchX size={13} aria-hidden className="mt-0.5 shrink-0 text-fail" />
      )}
      <span className="min-w-0">
        <span className="line-clamp-4 font-mono break-words">{quote.quote}</span>
        <span className="text-muted">{quoteSourceText(quote)}</span>
      </span>
    </span>
  );
}
