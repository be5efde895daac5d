import { CircleX, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FileProblem } from '../../../src/entry/server/api/project.ts';
import type { Position } from '../../../src/shared/document-edit/read-document.ts';
import { Button } from '../kit/button.tsx';
import { WithCode } from '../kit/code.tsx';
import type { FormDocument } from './use-document.ts';
import type { EditedFile } from './use-edited-file.ts';

/** Notices about a file: it is read-only, it has changed, or the form waits. */
export function FileNotices({
  file,
  refusal,
  document,
  onGo,
}: {
  file: EditedFile;
  /** Why this token may not change it. */
  refusal: string | undefined;
  document: FormDocument;
  onGo: (position: Position) => void;
}) {
  const { base, onDisk } = file.editing;
  const { broken, whyNoForm } = document;
  return (
    <>
      {base?.isEditable === false && <Notice>This file can only be read here: {base.whyNot}.</Notice>}
      {refusal !== undefined && <Notice>This file can only be read here: {refusal}.</Notice>}
      {onDisk !== null && (
        <Notice
          actions={
            <Button size="sm" onClick={file.compare}>
              Show both
            </Button>
          }
        >
          The file has changed on disk since it was opened here. What you typed is still here and not saved.
        </Notice>
      )}
      {broken !== null && (
        <Notice
          actions={
            <Button size="sm" onClick={() => onGo(broken.position)}>
              Go to line {broken.position.line}
            </Button>
          }
        >
          The text cannot be read yet: {broken.message.replace(/[.:]?$/, '.')} The form waits; nothing is lost.
        </Notice>
      )}
      {whyNoForm !== null && <Notice>{whyNoForm}</Notice>}
    </>
  );
}

function Notice({ actions, children }: { actions?: ReactNode; children: ReactNode }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-2 rounded-lg border border-error/40 bg-error-ground px-4 py-2"
    >
      <p className="min-w-0">{children}</p>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}

/** The problems of a file; each links to its place in the text. */
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
              {problem.hint && (
                <span className="block text-xs text-muted">
                  <WithCode text={problem.hint} />
                </span>
              )}
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
