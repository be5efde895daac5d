import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { runQuery } from '../../data/queries.ts';
import { runTitle } from '../runs/run-summary.tsx';

/** The title of a run above its id; leads there. */
export function RunLink({ runId }: { runId: string }) {
  const { data } = useQuery(runQuery(runId));
  // A report has one run.
  if (isReport && !data) return <span className="font-mono text-xs whitespace-nowrap">{runId}</span>;
  return (
    <Link to="/runs/$runId" params={{ runId }} className="group inline-block">
      {data && <span className="block font-medium group-hover:underline">{runTitle(data)}</span>}
      <span className="font-mono text-xs whitespace-nowrap text-accent group-hover:underline">{runId}</span>
    </Link>
  );
}
