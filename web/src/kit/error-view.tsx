import { RotateCw, TriangleAlert } from 'lucide-react';
import { ApiFailure } from '../data/api-failure.ts';
import { Button } from './button.tsx';

/** What went wrong, where, and what to do. */
export function ErrorView({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const failure = error instanceof ApiFailure ? error : null;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-fail/40 bg-fail-ground p-4">
      <TriangleAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-fail" />
      <div className="flex min-w-0 flex-col items-start gap-1.5">
        <p className="font-medium">{message}</p>
        {failure?.hint && <p className="text-muted">{failure.hint}</p>}
        {failure !== null && failure.problems.length > 0 && (
          <ul className="list-disc pl-4 font-mono text-xs">
            {failure.problems.map((problem) => (
              <li key={`${problem.file}:${problem.line}:${problem.column}:${problem.message}`}>
                {problem.file}:{problem.line}:{problem.column} {problem.message}
                {problem.hint && <span className="block text-muted">{problem.hint}</span>}
              </li>
            ))}
          </ul>
        )}
        {onRetry !== undefined && (
          <Button size="sm" icon={<RotateCw size={13} aria-hidden />} onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}
