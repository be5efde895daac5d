import { Save } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { DocumentChange, Path } from '../../../src/shared/document-edit/document-change.ts';
import { type Position, positionOf } from '../../../src/shared/document-edit/read-document.ts';
import type { FieldProblem } from '../forms/field-problems.ts';
import { Button } from '../kit/button.tsx';
import { classes } from '../kit/classes.ts';
import { Tabs } from '../kit/disclosure.tsx';
import { type Breadcrumb, ErrorView, Page, Skeleton } from '../kit/page.tsx';
import { CodeEditor, type CodeEditorHandle } from './code-editor.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { FileNotices, ProblemList } from './file-notices.tsx';
import { UnsavedGuard } from './unsaved-guard.tsx';
import { problemsByPath, useDocument } from './use-document.ts';
import type { CheckedText, EditedFile } from './use-edited-file.ts';

/** Ctrl+S, or the same key of a Mac, saves; the browser's own dialog never opens. */
function useSaveKey(save: () => Promise<void>, isWanted: boolean): void {
  const latest = useRef(save);
  useEffect(() => {
    latest.current = save;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      if (isWanted) void latest.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isWanted]);
}

/** The props of the form beside the text. */
export interface FormView {
  readonly value: unknown;
  readonly problems: readonly FieldProblem[];
  readonly onChange: (...changes: readonly DocumentChange[]) => void;
  /** Goes to where a value stands in the text. */
  readonly onShow: (path: Path) => void;
}

type Pane = 'form' | 'text';

/** A file as a form and as text, side by side or one at a time: two views of the same words. */
export function FileWorkbench({
  title,
  breadcrumbs,
  file,
  check,
  keyOrder,
  summary,
  actions,
  onSaved,
  children,
}: {
  title: string;
  breadcrumbs: readonly Breadcrumb[];
  file: EditedFile;
  check: CheckedText;
  keyOrder: readonly string[];
  /** A line about what the file is or does. */
  summary?: ReactNode;
  actions?: ReactNode;
  onSaved?: () => void;
  children: (form: FormView) => ReactNode;
}) {
  const { editing, path } = file;
  const editor = useRef<CodeEditorHandle>(null);
  const [pane, setPane] = useState<Pane>('form');
  const document = useDocument(path, editing.text, file.setText, keyOrder);
  const { lastValid } = document;
  const problems = useMemo(
    () => (lastValid ? problemsByPath(lastValid, check.problems) : []),
    [lastValid, check.problems],
  );
  const isReadOnly = editing.base?.isEditable === false;
  const finish = async (writing: Promise<boolean>): Promise<void> => {
    if (await writing) onSaved?.();
  };
  const save = (): Promise<void> => finish(file.save());
  useSaveKey(save, file.isUnsaved && !isReadOnly);
  const goTo = (position: Position): void => {
    setPane('text');
    // The pane must be drawn before it can scroll.
    requestAnimationFrame(() => editor.current?.goTo(position));
  };

  const buttons = (
    <>
      <SaveState file={file} />
      {actions}
      <Button
        variant="primary"
        icon={<Save size={14} aria-hidden />}
        isBusy={file.isSaving}
        disabled={isReadOnly || !file.isUnsaved}
        title="Ctrl+S"
        onClick={() => void save()}
      >
        Save
      </Button>
    </>
  );
  return (
    <Page title={title} breadcrumbs={breadcrumbs}>
      <div className="sticky top-(--bar-height) z-20 -mx-4 -mt-4 flex min-h-13 flex-wrap items-center justify-between gap-2 border-b border-line bg-ground px-4 py-2 sm:-mx-6 sm:px-6 lg:top-0">
        <div className="min-w-0 text-sm text-muted">{summary}</div>
        <div className="flex flex-wrap items-center gap-2">{buttons}</div>
      </div>
      {file.failure ? (
        <ErrorView error={file.failure} onRetry={file.reload} />
      ) : file.isLoading ? (
        <Skeleton lines={12} />
      ) : (
        <>
          <FileNotices file={file} document={document} onGo={goTo} />
          <div className="lg:hidden">
            <Tabs
              label="View"
              tabs={panes}
              value={pane}
              onChange={(key) => setPane(key === 'text' ? 'text' : 'form')}
            />
          </div>
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <div className={classes('min-w-0', pane !== 'form' && 'max-lg:hidden')}>
              {lastValid !== null && (
                <fieldset
                  aria-label="Form"
                  disabled={document.broken !== null || isReadOnly}
                  inert={document.broken !== null}
                  className={classes('flex min-w-0 flex-col gap-4', document.broken !== null && 'opacity-50')}
                >
                  {children({
                    value: lastValid.value,
                    problems,
                    onChange: document.onChange,
                    onShow: (place) => goTo(positionOf(lastValid, place)),
                  })}
                </fieldset>
              )}
            </div>
            <div
              className={classes(
                'flex min-w-0 flex-col gap-3 lg:sticky lg:top-17 lg:h-[calc(100dvh-8.75rem)]',
                pane !== 'text' && 'max-lg:hidden',
              )}
            >
              <div className="h-[60dvh] min-h-64 overflow-hidden rounded-lg border border-line lg:h-auto lg:flex-1">
                <CodeEditor
                  ref={editor}
                  text={editing.text}
                  onChange={file.setText}
                  problems={check.problems}
                  label={`Text of ${path}`}
                  isReadOnly={isReadOnly}
                />
              </div>
              <div className="max-h-56 shrink-0 overflow-y-auto">
                <ProblemList problems={check.problems} onGo={goTo} />
              </div>
            </div>
          </div>
        </>
      )}
      <UnsavedGuard isUnsaved={file.isUnsaved} name={path} />
      <ConflictDialog file={file} onOverwrite={() => void finish(file.overwrite())} />
    </Page>
  );
}

const panes = [
  { key: 'form', label: 'Form' },
  { key: 'text', label: 'Text' },
];

function SaveState({ file }: { file: EditedFile }) {
  const text = file.isUnsaved ? 'Not saved yet' : 'Saved';
  return (
    <span role="status" className="text-right text-xs text-muted sm:min-w-22">
      {file.editing.base === null && !file.isUnsaved ? '' : text}
    </span>
  );
}
