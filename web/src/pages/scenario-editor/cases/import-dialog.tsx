import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { DocumentChange } from '../../../../../src/shared/document-edit/document-change.ts';
import type { Syntax } from '../../../../../src/shared/document-edit/read-document.ts';
import { counted } from '../../../../../src/shared/format.ts';
import { shorten } from '../../../../../src/shared/text.ts';
import { fileCheckQuery } from '../../../data/project.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field, Select, TextArea } from '../../../kit/field.tsx';
import { Remark } from '../../../kit/page.tsx';
import { ScrollBox } from '../../../kit/scroll-box.tsx';
import { type SmallColumn, SmallTable } from '../../../kit/small-table.tsx';
import { type CaseLine, type LineProblem, readCaseLines } from './case-lines.ts';
import { type ImportMode, importProblems, planImport } from './import-plan.ts';

const previewed = 5;
const longestCell = 120;
const mostBytes = 2_000_000;

interface ImportDialogProps {
  readonly file: string;
  readonly text: string;
  readonly syntax: Syntax;
  readonly hasCases: boolean;
  readonly onImport: (changes: readonly DocumentChange[]) => void;
  readonly onClose: () => void;
}

/** Takes cases from JSON Lines; all of them, or none where a line is wrong. */
export function ImportDialog({ file, text, syntax, hasCases, onImport, onClose }: ImportDialogProps) {
  const [lines, setLines] = useState('');
  const [mode, setMode] = useState<ImportMode>('add');
  const found = useImport({ file, text, syntax, lines, mode });
  const actions = (
    <>
      <Button variant="ghost" onClick={onClose}>
        Cancel
      </Button>
      <Button
        variant="primary"
        disabled={!found.isReady}
        onClick={() => {
          onImport(found.changes);
          onClose();
        }}
      >
        Import {counted(found.cases.length, 'case')}
      </Button>
    </>
  );
  return (
    <Dialog title="Import cases" isOpen onClose={onClose} actions={actions}>
      <Source lines={lines} onChange={setLines} />
      {hasCases && (
        <Select
          label="What happens to the cases of the file"
          options={[
            { value: 'add', label: 'Add to the cases of the file' },
            { value: 'replace', label: 'Replace the cases of the file' },
          ]}
          value={mode}
          onChange={(value) => setMode(value === 'replace' ? 'replace' : 'add')}
        />
      )}
      <div role="status" className="flex flex-col gap-3 empty:hidden">
        {found.failure !== null && <Remark tone="warn">{found.failure}</Remark>}
        <Problems problems={found.problems} />
        {found.cases.length > 0 && <Preview cases={found.cases} />}
      </div>
    </Dialog>
  );
}

/** The effect of an import, checked by the server as if it had been done. */
function useImport({
  file,
  text,
  syntax,
  lines,
  mode,
}: { lines: string; mode: ImportMode } & Pick<ImportDialogProps, 'file' | 'text' | 'syntax'>) {
  const read = useMemo(() => readCaseLines(lines), [lines]);
  const isReadable = read.problems.length === 0 && read.cases.length > 0;
  const plan = useMemo(
    () => (isReadable ? planImport(text, syntax, read.cases, mode) : undefined),
    [isReadable, text, syntax, read, mode],
  );
  const planned = typeof plan === 'object' ? plan : undefined;
  const check = useQuery({
    ...fileCheckQuery(file, 'scenario', planned?.text ?? ''),
    enabled: planned !== undefined,
  });
  // The answer about an earlier text says nothing about this one.
  const answer = check.isPlaceholderData ? undefined : check.data;
  const checked = planned && answer ? importProblems(planned, syntax, read.cases, answer.problems) : [];
  const problems: readonly LineProblem[] = [...read.problems, ...checked];
  return {
    cases: read.cases,
    problems,
    failure: typeof plan === 'string' ? plan : (check.error?.message ?? null),
    changes: planned?.changes ?? [],
    isReady: planned !== undefined && answer !== undefined && problems.every(({ severity }) => severity !== 'error'),
  };
}

function Source({ lines, onChange }: { lines: string; onChange: (lines: string) => void }) {
  const [problem, setProblem] = useState<string>();
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setProblem(file.size > mostBytes ? `${file.name} is larger than 2 MB. Name it in \`dataset\` instead.` : undefined);
    if (file.size <= mostBytes) onChange(await file.text());
  };
  return (
    <>
      <Field label="File" error={problem}>
        <input
          type="file"
          accept=".jsonl,.ndjson,.json,.txt"
          className="text-sm"
          onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
        />
      </Field>
      <Field label="Lines" hint='One JSON object each, such as {"name": "Paris", "input": {"city": "Paris"}}'>
        <TextArea rows={6} className="font-mono text-xs" value={lines} onChange={onChange} />
      </Field>
    </>
  );
}

function Problems({ problems }: { problems: readonly LineProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ScrollBox label="Problems" maxHeight={160}>
      <ul className="flex flex-col gap-1 p-2 text-sm">
        {problems.map(({ line, message, severity }, index) => (
          <li key={`${index + 1}`} className={severity === 'error' ? 'text-fail' : undefined}>
            Line {line}: {message}
          </li>
        ))}
      </ul>
    </ScrollBox>
  );
}

function Preview({ cases }: { cases: readonly CaseLine[] }) {
  const more = cases.length - previewed;
  return (
    <div>
      <SmallTable label="Preview" columns={previewColumns} rows={cases.slice(0, previewed)} />
      {more > 0 && <p className="px-4 text-xs text-muted">… and {counted(more, 'more case', 'more cases')}</p>}
    </div>
  );
}

const previewColumns: readonly SmallColumn<CaseLine>[] = [
  { header: 'Line', isFigure: true, isNarrow: true, cell: ({ line }) => line },
  { header: 'Name', cell: ({ value: { name } }) => (typeof name === 'string' ? name : '') },
  { header: 'Case', cell: ({ value: { name, ...rest } }) => shorten(JSON.stringify(rest), longestCell) },
];
