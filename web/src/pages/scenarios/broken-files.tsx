import { Link } from '@tanstack/react-router';
import { CircleX } from 'lucide-react';
import type { ScenarioList } from '../../../../src/entry/server/api/project.ts';
import { Card } from '../../kit/card.tsx';

/** Files that cannot be read, with what is wrong and the way to the editor. */
export function BrokenFiles({ files }: { files: ScenarioList['broken'] }) {
  if (files.length === 0) return null;
  return (
    <Card title={files.length === 1 ? 'A file cannot be read' : `${files.length} files cannot be read`}>
      <ul className="flex flex-col gap-2">
        {files.map(({ file, problems }) => (
          <li key={file} className="flex gap-2">
            <CircleX size={16} aria-hidden className="mt-0.5 shrink-0 text-fail" />
            <div className="min-w-0">
              <Link to="/scenarios/edit" search={{ file }} className="font-mono text-accent underline">
                {file}
              </Link>
              <ul className="text-xs text-muted">
                {problems.slice(0, 3).map((problem) => (
                  <li key={`${problem.line}:${problem.column}:${problem.message}`}>
                    {problem.line}:{problem.column} {problem.message}
                  </li>
                ))}
                {problems.length > 3 && <li>… and {problems.length - 3} more</li>}
              </ul>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
