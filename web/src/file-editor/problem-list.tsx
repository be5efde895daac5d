import { CircleX, TriangleAlert } from 'lucide-react';
import type { FileProblem } from '../../../src/entry/server/api/project.ts';
import type { Position } from '../documents/read-document.ts';

/** What is wrong with a file; each leads to its place in the text. */
export function ProblemList({
  problems,
  onGo,
}: {
  problems: readonly FileProblem[];
  onGo: (position: Position) => void;
}) {
  if (problems.length === 0) return null;
  return (
    <ul aria-label="Problems" className="flex flex-col divide-y divide-line rounded-lg border border-line bg-surface">
      {problems.map((problem) => (
        <li key={`${problem.line}:${problem.column}:${problem.message}`}>
          <button
            type="button"
            onClick={() => onGo(problem)}
            className="flex w-full items-start gap-2 px-3 py-2 text-left hover:bg-raised"
          >
            <ProblemIcon severity={problem.severity} />
            <span className="min-w-0 flex-1">
              {problem.message}
              {problem.hint && <span className="block text-xs text-muted">{problem.hint}</span>}
            </span>
            <span className="shrink-0 font-mono text-xs text-muted">
              {problem.line}:{problem.column}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function ProblemIcon({ severity }: Pick<FileProblem, 'severity'>) {
  if (severity === 'error') return <CircleX size={16} aria-label="Error" className="mt-0.5 shrink-0 text-fail" />;
  return <TriangleAlert size={16} aria-label="Warning" className="mt-0.5 shrink-0 text-error" />;
}
