import { Download, Upload } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { valueAt } from '../../../../../src/shared/document-edit/document-change.ts';
import { syntaxOf } from '../../../../../src/shared/document-edit/read-document.ts';
import { counted } from '../../../../../src/shared/format.ts';
import type { FormView } from '../../../file-editor/file-workbench.tsx';
import { Button } from '../../../kit/button.tsx';
import { Card } from '../../../kit/page.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { useLoadedState } from '../../../kit/use-loaded-state.ts';
import { caseLines } from './case-lines.ts';

const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog.tsx')).ImportDialog }));

interface CaseLinesCardProps extends Pick<FormView, 'value' | 'onChange'> {
  readonly file: string;
  readonly text: string;
}

/** The cases of a file as JSON Lines: out of it, and into it. */
export function CaseLinesCard({ file, text, value, onChange }: CaseLinesCardProps) {
  const [isImporting, setIsImporting] = useLoadedState(false);
  const toast = useToast();
  const syntax = syntaxOf(file);
  const list = valueAt(value, ['cases']);
  const cases: readonly unknown[] = Array.isArray(list) ? list : [];
  const save = (): void => {
    try {
      download(caseLines(cases), `${file.replace(/^.*\//, '').replace(/\.\w+$/, '')}.cases.jsonl`);
    } catch (error) {
      toast.show(error instanceof Error ? error.message : String(error), 'bad');
    }
  };
  if (syntax === undefined) return null;
  return (
    <Card
      title="Cases as JSON Lines"
      actions={
        <>
          <Button size="sm" icon={<Upload size={13} aria-hidden />} onClick={() => setIsImporting(true)}>
            Import …
          </Button>
          <Button size="sm" icon={<Download size={13} aria-hidden />} disabled={cases.length === 0} onClick={save}>
            Export
          </Button>
        </>
      }
    >
      <p className="text-muted">
        {cases.length === 0 ? 'The file lists no cases.' : `The file lists ${counted(cases.length, 'case')}.`} One JSON
        object in each line, with the keys of a case.
      </p>
      <Suspense>
        {isImporting && (
          <ImportDialog
            file={file}
            text={text}
            syntax={syntax}
            hasCases={cases.length > 0}
            onImport={(changes) => onChange(...changes)}
            onClose={() => setIsImporting(false)}
          />
        )}
      </Suspense>
    </Card>
  );
}

function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/jsonl' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
