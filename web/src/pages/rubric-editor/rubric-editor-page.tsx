import { useNavigate, useSearch } from '@tanstack/react-router';
import { DeleteFileButton } from '../../file-editor/delete-file-button.tsx';
import { FileWorkbench } from '../../file-editor/file-workbench.tsx';
import { useEditedFile } from '../../file-editor/use-edited-file.ts';
import { useFileCheck } from '../../file-editor/use-file-check.ts';
import { NewRubric } from './new-rubric.tsx';
import { RubricForm } from './rubric-form.tsx';

/** A rubric file as form and text, or where a new one is to lie. */
export function RubricEditorPage() {
  const { file, new: isNew } = useSearch({ from: '/rubrics/edit' });
  if (file === undefined) return <NewRubric />;
  return <RubricEditor key={file} path={file} startText={isNew === undefined ? undefined : firstText} />;
}

const firstText = `# Weights add up to 1. A scenario names this file in its judge section: rubric: <this file>
criteria:
  - id: task_completion
    weight: 0.7
    description: Does everything that was asked for
  - id: efficiency
    weight: 0.3
    description: No needless steps and no dead ends
`;
const keyOrder = ['criteria', 'instructions', 'references'];

function RubricEditor({ path, startText }: { path: string; startText: string | undefined }) {
  const navigate = useNavigate();
  const file = useEditedFile(path, 'rubric', startText);
  const check = useFileCheck(file);
  return (
    <FileWorkbench
      title={path}
      breadcrumbs={[{ label: 'Rubrics', to: '/rubrics' }, { label: path }]}
      file={file}
      check={check}
      keyOrder={keyOrder}
      actions={
        <DeleteFileButton file={file} onDeleted={() => void navigate({ to: '/rubrics', ignoreBlocker: true })} />
      }
      onSaved={() => {
        if (startText !== undefined) void navigate({ to: '/rubrics/edit', search: { file: path }, replace: true });
      }}
    >
      {(form) => <RubricForm {...form} />}
    </FileWorkbench>
  );
}
