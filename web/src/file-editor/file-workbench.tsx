import { Save } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { DocumentChange, Path } from '../../../src/shared/document-edit/document-change.ts';
import { type Position, positionOf } from '../../../src/shared/document-edit/read-document.ts';
import { useRefusal } from '../data/access.ts';
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

/** The props of the form beside the text. */
export interface FormView {
  readonly value: unknown;
  readonly problems: readonly FieldProblem[];
  readonly onChange: (...changes: readonly DocumentChange[]) => void;
  /** Goes to where a value stands in the text. */
  readonly onShow: (path: Path) => void;
}

interface FileWorkbenchProps {
  readonly title: string;
  readonly breadcrumbs: readonly Breadcrumb[];
  readonly file: EditedFile;
  readonly check: CheckedText;
  readonly keyOrder: readonly string[];
  /** A line about what the file is or does. */
  readonly summary?: ReactNode;
  readonly actions?: ReactNode;
  readonly onSaved?: () => void;
  /** Switches between the editor and other views of the file. */
  readonly tabs?: ReactNode;
  /** Shown in place of form and text, which keep their state. */
  readonly otherView?: ReactNode;
  /** Shown above the text. */
  readonly besideText?: ReactNode;
  readonly children: (form: FormView) => ReactNode;
}

/** A file as a form and as text, side by side or one at a time: two views of the same words. */
export function FileWorkbench(props: FileWorkbenchProps) {
  const { file, check, onSaved } = props;
  const document = useDocument(file.path, file.editing.text, file.setText, props.keyOrder);
  const panes = usePanes();
  const refusal = useRefusal(file.kind === 'config' ? 'configure' : 'edit');
  const isReadOnly = file.editing.base?.isEditable === false || refusal !== undefined;
  const finish = async (writing: Promise<boolean>): Promise<void> => {
    if (await writing) onSaved?.();
  };
  const save = (): Promise<void> => finish(file.save());
  useSaveKey(save, file.isUnsaved && !isReadOnly);
  const view = { file, check, document, panes, isReadOnly };
  return (
    <Page title={props.title} breadcrumbs={props.breadcrumbs}>
      <div className="sticky top-(--bar-height) z-20 -mx-4 -mt-4 flex min-h-13 flex-wrap items-center justify-between gap-2 border-b border-line bg-ground px-4 py-2 sm:-mx-6 sm:px-6 lg:top-0">
        <div className="min-w-0 text-sm text-muted">{props.summary}</div>
        <div className="flex flex-wrap items-center gap-2">
          <SaveState file={file} />
          {props.actions}
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
        </div>
      </div>
      {file.failure ? (
        <ErrorView error={file.failure} onRetry={file.reload} />
      ) : file.isLoading ? (
        <Skeleton lines={12} />
      ) : (
        <>
          {props.tabs}
          <FileNotices file={file} refusal={refusal} document={document} onGo={panes.goTo} />
          {props.otherView ?? (
            <>
              <PaneTabs {...panes} />
              <div className="grid items-start gap-4 lg:grid-cols-2">
                <FormPane {...view}>{props.children}</FormPane>
                <TextPane {...view}>{props.besideText}</TextPane>
              </div>
            </>
          )}
        </>
      )}
      <UnsavedGuard isUnsaved={file.isUnsaved} name={file.path} />
      <ConflictDialog file={file} onOverwrite={() => void finish(file.overwrite())} />
    </Page>
  );
}

type Pane = 'form' | 'text';

interface Panes {
  readonly pane: Pane;
  readonly setPane: (pane: Pane) => void;
  readonly editor: RefObject<CodeEditorHandle | null>;
  readonly goTo: (position: Position) => void;
}

/** Which of the two is seen where there is room for one, and the way to a place in the text. */
function usePanes(): Panes {
  const editor = useRef<CodeEditorHandle>(null);
  const [pane, setPane] = useState<Pane>('form');
  const goTo = (position: Position): void => {
    setPane('text');
    // The pane must be drawn before it can scroll.
    requestAnimationFrame(() => editor.current?.goTo(position));
  };
  return { pane, setPane, editor, goTo };
}

function PaneTabs({ pane, setPane }: Panes) {
  const tabs = [
    { key: 'form', label: 'Form' },
    { key: 'text', label: 'Text' },
  ];
  return (
    <div className="lg:hidden">
      <Tabs label="View" tabs={tabs} value={pane} onChange={(key) => setPane(key === 'text' ? 'text' : 'form')} />
    </div>
  );
}

interface PaneProps extends Pick<FileWorkbenchProps, 'file' | 'check'> {
  readonly document: ReturnType<typeof useDocument>;
  readonly panes: Panes;
  readonly isReadOnly: boolean;
}

/** The form of the last text that could be read; it waits while the text is broken. */
function FormPane(props: PaneProps & Pick<FileWorkbenchProps, 'children'>) {
  const { check, document, panes, isReadOnly, children } = props;
  const { lastValid } = document;
  const isBroken = document.broken !== null;
  const problems = useMemo(
    () => (lastValid ? problemsByPath(lastValid, check.problems) : []),
    [lastValid, check.problems],
  );
  return (
    <div className={classes('min-w-0', panes.pane !== 'form' && 'max-lg:hidden')}>
      {lastValid !== null && (
        <fieldset
          aria-label="Form"
          disabled={isBroken || isReadOnly}
          inert={isBroken}
          className={classes('flex min-w-0 flex-col gap-4', isBroken && 'opacity-50')}
        >
          {children({
            value: lastValid.value,
            problems,
            onChange: document.onChange,
            onShow: (place) => panes.goTo(positionOf(lastValid, place)),
          })}
        </fieldset>
      )}
    </div>
  );
}

function TextPane({ file, check, panes, isReadOnly, children }: PaneProps & { children: ReactNode }) {
  return (
    <div
      className={classes(
        'flex min-w-0 flex-col gap-3 lg:sticky lg:top-17 lg:h-[calc(100dvh-8.75rem)]',
        panes.pane !== 'text' && 'max-lg:hidden',
      )}
    >
      {children !== undefined && (
        <div className="max-h-[45%] shrink-0 overflow-y-auto max-lg:max-h-none">{children}</div>
      )}
      <div className="h-[60dvh] min-h-64 overflow-hidden rounded-lg border border-line lg:h-auto lg:flex-1">
        <CodeEditor
          ref={panes.editor}
          text={file.editing.text}
          onChange={file.setText}
          problems={check.problems}
          label={`Text of ${file.path}`}
          isReadOnly={isReadOnly}
        />
      </div>
      <div className="max-h-56 shrink-0 overflow-y-auto">
        <ProblemList problems={check.problems} onGo={panes.goTo} />
      </div>
    </div>
  );
}

function SaveState({ file }: { file: EditedFile }) {
  const text = file.isUnsaved ? 'Not saved yet' : 'Saved';
  return (
    <span role="status" className="text-right text-xs text-muted sm:min-w-22">
      {file.editing.base === null && !file.isUnsaved ? '' : text}
    </span>
  );
}

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
