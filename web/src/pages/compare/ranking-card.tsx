import { useQuery } from '@tanstack/react-query';
import type { JudgedRanking } from '../../../../src/report/compare/judged-ranking.ts';
import { rankingSections } from '../../../../src/report/presentation/ranking-text.ts';
import { plainWords } from '../../../../src/shared/blocks/block.ts';
import { judgingQuery } from '../../data/trials.ts';
import { Card } from '../../kit/page.tsx';
import { SectionBlocks } from '../../kit/sections.tsx';
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
        {ranking
          ? rankingSections(ranking).map((section) => (
              <SectionBlocks key={plainWords(section.title ?? '')} section={section} label="Ranking by a judge" />
            ))
          : !isReport && (
              <p className="text-muted">
                A judge compares the answers of every two variants to each case, in both orders. Each pair of answers
                takes two model calls.
              </p>
            )}
        {!isReport && <JudgeForm request={request} isJudged={ranking !== undefined} />}
      </div>
    </Card>
  );
}
