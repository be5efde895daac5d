import { useQuery } from '@tanstack/react-query';
import {
  type JudgedRanking,
  rankingCells,
  rankingHeads,
  rankingTexts,
  variantPairText,
} from '../../../../src/report/compare/judged-ranking.ts';
import { judgingQuery } from '../../data/trials.ts';
import { Card } from '../../kit/page.tsx';
import { SmallTable } from '../../kit/small-table.tsx';
import { JudgeForm } from './judge-form.tsx';

/** All variants ranked by the preferences of a judge, or the form that lets it compare every two of them. */
export function RankingCard({ runId, by }: { runId: string; by: string }) {
  const request = { a: runId, by };
  const { data } = useQuery(judgingQuery(request));
  // The server sends the document of `assay compare --judge --json`.
  const ranking = (data?.ranking ?? undefined) as unknown as JudgedRanking | undefined;
  if (isReport && !ranking) return null;
  return (
    <Card title="Ranking by a judge">
      <div className="flex flex-col gap-2">
        {ranking ? (
          <Ranking ranking={ranking} />
        ) : (
          <p className="text-muted">
            A judge compares the answers of every two variants to each case, in both orders. Each pair of answers takes
            two model calls.
          </p>
        )}
        {!isReport && <JudgeForm request={request} isJudged={ranking !== undefined} />}
      </div>
    </Card>
  );
}

function Ranking({ ranking }: { ranking: JudgedRanking }) {
  const [variant = '', ...numbers] = rankingHeads;
  return (
    <>
      <p className="font-medium">{ranking.summary}</p>
      {ranking.ranked.length > 0 && (
        <SmallTable
          label="Ranking by a judge"
          columns={[{ header: variant }, ...numbers.map((header) => ({ header, isFigure: true }))]}
          rows={ranking.ranked.map((one) => ({ key: one.label, cells: rankingCells(one) }))}
        />
      )}
      <ul className="list-disc pl-5">
        {ranking.pairs.map((pair) => (
          <li key={`${pair.a} ${pair.b}`}>{variantPairText(pair)}</li>
        ))}
      </ul>
      <ul className="list-disc pl-5 text-muted">
        {rankingTexts(ranking).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}
